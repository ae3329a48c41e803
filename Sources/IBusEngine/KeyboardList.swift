// KeyboardList: the keyboards of a user, as engines.

package import ExtensionHost
import ExtensionProtocol
import PointHosts
import PropertyListCoding

extension IBusComponent {
    /// Returns the component with the keyboards that the daemon offers.
    ///
    /// - Parameter keyboards: the identifiers of the wanted ones; empty for all.
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `invalidArgument` for an extension of another point, or if
    ///   there is no keyboard; `connectionLost`.
    package static func of(_ host: HostApplication, keyboards: [String]) async throws -> IBusComponent {
        let found = try await host.extensions()
        let chosen: [FoundExtension]
        if keyboards.isEmpty {
            chosen = found.filter { $0.point == KeyboardHost.point }
        } else {
            chosen = try keyboards.map { identifier in
                guard let one = found.first(where: { $0.identifier == identifier }) else {
                    throw ExtensionHostError(.noSuchExtension, "there is no extension \(identifier) that can be used")
                }
                guard one.point == KeyboardHost.point else {
                    throw ExtensionHostError(
                        .invalidArgument, "\(identifier) is no keyboard: its point is \(one.point)",
                        remedy: "exthostctl list shows the extensions with their points")
                }
                return one
            }
        }
        var engines: [Engine] = []
        for one in chosen {
            // A keyboard without a language writes that of the framework.
            let language = try await host.attributes(of: one.identifier)["PrimaryLanguage"]?.string ?? "en-US"
            engines.append(Engine(keyboard: one.identifier, title: one.displayName, language: language))
        }
        return IBusComponent(engines: engines)
    }
}
