// SandboxProbe: the layers of confinement around a daemon's extensions, by what the settings demand and the machine
// has.

import ExtensionProtocol
import LinuxSystem

/// The layers that the machine supports, probed once, at the start. The probe waits for children, so it must not run on
/// the loop's thread.
struct SandboxProbe: Sendable {
    let layers: ConfinementLayers
    /// The reasons why other layers are not available.
    let problems: [String]
    /// The reason why nothing is launched; nil where extensions are launched with `layers`.
    let error: ExtensionHostError?

    /// Probes the layers.
    ///
    /// - Parameters:
    ///   - trees: the means that holds the processes together: a view needs a pid namespace, and any layer needs
    ///     `exthost-init`.
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
            (layers, problems) = (.none, ["the daemon launches nothing: \(Self.nowhere)"])
            error = Self.halfMissing(Self.nowhere, remedy: "Install exthost-init beside exthostd and restart exthostd")
            return
        }
        guard means != .session else {
            layers = .none
            // The guardian needs nothing of the machine: if even the guardian fails, the program is at fault.
            if wanted != .session {
                let why = "\(initProgram) does not work: \(trees.problems.joined(separator: "; "))"
                problems = ["the daemon launches nothing: \(why)"]
                error = Self.halfMissing(
                    why, remedy: "Install the exthost-init of the same version as exthostd and restart exthostd")
            } else {
                let why = "namespaces, landlock, seccomp: these layers need exthost-init as the parent of extensions"
                problems = [why]
                error = demand == .required ? Self.notConfined(why) : nil
            }
            return
        }
        let probe = ConfinementProbe(
            initProgram: initProgram,
            wanted: ConfinementLayers(namespaces: means == .namespace, landlock: .max, seccomp: true), as: identity)
        problems = probe.problems + (means == .namespace ? [] : ["namespaces: extensions run without a pid namespace"])
        do {
            layers = try probe.layers(demand)
            error = nil
        } catch {
            layers = .none
            self.error = Self.notConfined("\(error)")
        }
    }

    /// The message that lists where `exthostd` looks for `exthost-init`.
    static let nowhere = "exthost-init is missing: not at EXTHOST_INIT, not beside exthostd, not in ../libexec/exthost"

    /// Returns the error for a missing or broken `exthost-init`.
    ///
    /// That is a fault of the installation and not of the machine, so the setting `best` does not allow an unconfined
    /// launch.
    private static func halfMissing(_ why: String, remedy: String) -> ExtensionHostError {
        ExtensionHostError(
            .launchFailed,
            "the daemon launches no extension without exthost-init, the program that confines extensions",
            remedy: "\(remedy); exthostd --sandbox none launches extensions unconfined", cause: why)
    }

    private static func notConfined(_ why: String) -> ExtensionHostError {
        ExtensionHostError(
            .launchFailed, "the daemon launches no extension, because this machine lacks the required confinement",
            remedy: "exthostctl doctor shows what the machine lacks; exthostd --sandbox best uses the available layers",
            cause: why)
    }
}
