// ListKeeper: the control provider of ListFilter, which asks it about the hosts that its list leaves open.

import NetworkExtension

/// Allows the open hosts that have answered before.
final class ListKeeper: NEFilterControlProvider {
    /// The hosts that a real provider would ask its server about.
    private static let known: Set<String> = ["new.example"]

    override func startFilter(completionHandler: @escaping @Sendable ((any Error)?) -> Void) { completionHandler(nil) }

    override func stopFilter(with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void) {
        completionHandler()
    }

    override func handleNewFlow(_ flow: NEFilterFlow) async -> NEFilterControlVerdict {
        let host = (flow.url?.host ?? (flow as? NEFilterSocketFlow)?.remoteHostname ?? "").lowercased()
        return Self.known.contains(host) ? .allow(withUpdateRules: false) : .drop(withUpdateRules: false)
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
