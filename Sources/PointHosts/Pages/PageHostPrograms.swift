// PageHostPrograms: the programs of a page host, and the confinement that this machine gives it.

package import ExtensionProtocol
internal import Glibc
package import LinuxSystem
internal import Locks

/// The programs that start a page host.
package struct PageHostPrograms: Sendable, Hashable {
    /// The path of `exthost-pagehost`.
    package let program: String
    /// The path of `exthost-init`, which confines it.
    package let initProgram: String

    /// Finds the programs.
    ///
    /// - Parameter program: the path of `exthost-pagehost`; nil searches for it.
    /// - Throws: `helperMissing` with the places that were searched.
    package init(program: String? = nil) throws(ExtensionHostError) {
        self.program =
            if let program { program } else {
                try HelperProgram(
                    name: "exthost-pagehost", variable: "EXTHOST_PAGEHOST", task: "shows pages for hosts"
                ).locate()
            }
        initProgram = try HelperProgram(
            name: "exthost-init", variable: "EXTHOST_INIT", task: "confines the page host"
        ).locate()
    }

    /// The layers that confine page hosts here, and the reasons why others are not available.
    ///
    /// The first call waits for a few children, milliseconds each.
    ///
    /// - Throws: `notPermitted` if there is no layer, or if `EXTHOST_SANDBOX` is `required` and one is missing.
    package func confinement() throws(ExtensionHostError) -> (layers: ConfinementLayers, problems: [String]) {
        let probe = Self.probes.withLock { probes in
            if let probe = probes[initProgram] { return probe }
            let probe = ConfinementProbe(initProgram: initProgram)
            probes[initProgram] = probe
            return probe
        }
        let demand = getenv("EXTHOST_SANDBOX").flatMap { ConfinementDemand(rawValue: String(cString: $0)) }
        let reason: String
        do throws(ConfinementMissing) {
            let layers = try probe.layers(demand == .required ? .required : .best)
            if !layers.isEmpty { return (layers, probe.problems) }
            reason = probe.problems.joined(separator: "; ")
        } catch {
            reason = "\(error)"
        }
        throw ExtensionHostError(
            .notPermitted, "no page host is started, because this machine cannot confine it",
            remedy: "exthostctl doctor shows what the machine lacks", cause: reason)
    }

    private static let probes = Mutex<[String: ConfinementProbe]>([:])
}
