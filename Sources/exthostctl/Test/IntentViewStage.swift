// IntentViewStage: the views of an intent of one test.

import ExtensionHost
import PointHosts
import Scenarios

/// The views that are open, from their step on.
actor IntentViewStage {
    private let host: HostApplication
    private let identifier: String
    private var shown: IntentViewEnding?

    init(_ host: HostApplication, _ identifier: String) { (self.host, self.identifier) = (host, identifier) }

    /// Shows the views of an intent. They take the place of the open ones.
    ///
    /// - Throws: errors of `IntentViewHost.show` and `IntentsHost.perform`.
    func perform(_ step: IntentStep) async throws -> IntentViewEnding {
        let open = shown
        shown = nil
        await open?.end()
        let made = try await IntentViewEnding(step, IntentViewHost(host), host, identifier)
        shown = made
        return made
    }
}
