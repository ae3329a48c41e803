// SandboxProbe: the layers of confinement that a daemon puts on its extensions, by what is demanded and what there is.

import ExtensionProtocol
import LinuxSystem

/// Found once, at the start. Making one waits for children: not for the loop's thread.
struct SandboxProbe: Sendable {
    let layers: ConfinementLayers
    /// Why others are not to be had.
    let problems: [String]
    /// Why nothing is launched; nil where extensions are launched with `layers`.
    let error: ExtensionHostError?

    /// - Parameters:
    ///   - trees: what holds the processes together: a view needs a pid namespace, and any layer `exthost-init`.
    ///   - wanted: the means of tree kill that the operator named.
    init(
        _ initProgram: String?, _ demand: ConfinementDemand, enclosedBy trees: TreeKillProbe, wanted: TreeKill?,
        as identity: UserIdentity?
    ) {
        let means = trees.found
        guard demand != .none else {
            (layers, problems, error) = (.none, [], nil)
            return
        }
        guard let initProgram else {
            (layers, problems) = (.none, ["nothing is launched: \(Self.nowhere)"])
            error = Self.halfMissing(Self.nowhere, remedy: "Install exthost-init beside exthostd and restart exthostd")
            return
        }
        guard means != .session else {
            layers = .none
            // The guardian needs nothing of the machine: where even that one fails, the program is at fault.
            if wanted != .session {
                let why = "\(initProgram) does not work: \(trees.problems.joined(separator: "; "))"
                problems = ["nothing is launched: \(why)"]
                error = Self.halfMissing(
                    why, remedy: "Install the exthost-init of the same version as exthostd and restart exthostd")
            } else {
                let why = "namespaces, landlock, seccomp: there is no exthost-init around extensions, which puts them on"
                problems = [why]
                error = demand == .required ? Self.notConfined(why) : nil
            }
            return
        }
        let probe = ConfinementProbe(
            initProgram: initProgram,
            wanted: ConfinementLayers(namespaces: means == .namespace, landlock: .max, seccomp: true), as: identity)
        problems = probe.problems + (means == .namespace ? [] : ["namespaces: there is no pid namespace around extensions"])
        do {
            layers = try probe.layers(demand)
            error = nil
        } catch {
            layers = .none
            self.error = Self.notConfined("\(error)")
        }
    }

    /// Where `exthostd` looks for its other half.
    static let nowhere = "exthost-init is missing: not at EXTHOST_INIT, not beside exthostd, not in ../libexec/exthost"

    /// A missing half of the installation is no lack of the machine: to confine by the best there is does not allow it.
    private static func halfMissing(_ why: String, remedy: String) -> ExtensionHostError {
        ExtensionHostError(
            .launchFailed, "no extension is launched without exthost-init, the program that confines extensions",
            remedy: "\(remedy); exthostd --sandbox none launches extensions unconfined", cause: why)
    }

    private static func notConfined(_ why: String) -> ExtensionHostError {
        ExtensionHostError(
            .launchFailed, "extensions are not launched without the confinement that this daemon was told to put on them",
            remedy: "exthostctl doctor says what the machine lacks; exthostd --sandbox best confines by what there is",
            cause: why)
    }
}
