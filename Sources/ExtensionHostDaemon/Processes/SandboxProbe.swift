// SandboxProbe: the layers of confinement that a daemon puts on its extensions, by what is demanded and what there is.

import LinuxSystem

/// Found once, at the start. Making one waits for children: not for the loop's thread.
struct SandboxProbe: Sendable {
    let layers: ConfinementLayers
    /// Why others are not to be had.
    let problems: [String]
    /// Set when what is required is not to be had: then nothing is launched.
    let error: (any Error)?

    /// - Parameter means: what holds the processes together: a view needs a pid namespace, and any layer `exthost-init`.
    init(_ initProgram: String?, _ demand: ConfinementDemand, enclosedBy means: TreeKill) {
        guard demand != .none else {
            (layers, problems, error) = (.none, [], nil)
            return
        }
        // Without a program the probe finds nothing, and says so by the name that it looked for.
        let program = means == .session ? nil : initProgram
        let probe = ConfinementProbe(
            initProgram: program ?? "exthost-init",
            wanted: ConfinementLayers(namespaces: means == .namespace, landlock: .max, seccomp: true))
        do {
            layers = try probe.layers(demand)
            error = nil
        } catch {
            layers = .none
            self.error = error
        }
        problems = probe.problems + (means == .namespace ? [] : ["namespaces: there is no pid namespace around extensions"])
    }
}
