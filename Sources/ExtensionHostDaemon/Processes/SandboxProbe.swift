// SandboxProbe: the layers of confinement that a daemon puts on its extensions, by what is demanded and what there is.

import LinuxSystem

/// Found once, at the start. Making one waits for children: not for the loop's thread.
struct SandboxProbe: Sendable {
    let layers: ConfinementLayers
    /// Why others are not to be had.
    let problems: [String]
    /// Why what is required is not to be had; set, nothing is launched.
    let error: String?

    /// - Parameter means: what holds the processes together: a view needs a pid namespace, and any layer `exthost-init`.
    init(_ initProgram: String?, _ demand: ConfinementDemand, enclosedBy means: TreeKill, as identity: UserIdentity?) {
        guard demand != .none else {
            (layers, problems, error) = (.none, [], nil)
            return
        }
        guard let initProgram, means != .session else {
            let problem = "namespaces, landlock, seccomp: there is no exthost-init around extensions, which puts them on"
            (layers, problems, error) = (.none, [problem], demand == .required ? problem : nil)
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
            self.error = "\(error)"
        }
    }
}
