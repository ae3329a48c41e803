// NEFilterProvider: the base of the two providers of a filter.

import ExtensionPointKit
import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// The base of data and control providers. The queue of the request calls its methods.
open class NEFilterProvider: NEProvider {
    private let configuration = Mutex(FilterConfiguration())

    func adopt(_ configuration: FilterConfiguration) { self.configuration.withLock { $0 = configuration } }

    /// The configuration that the app has saved.
    open var filterConfiguration: NEFilterProviderConfiguration {
        NEFilterProviderConfiguration(configuration.withLock { $0 })
    }

    /// Starts the filter. Flows come when the handler has been called with nil.
    ///
    /// - Parameter completionHandler: called within 60 seconds (ours).
    open func startFilter(completionHandler: @escaping @Sendable ((any Error)?) -> Void) { PointSession.notWritten() }

    /// The form of `startFilter(completionHandler:)` that waits. Either must be written.
    open func startFilter() async throws { PointSession.notWritten() }

    /// Stops the filter. After the handler, which is called within five seconds (ours), the process ends.
    open func stopFilter(with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void) {
        PointSession.notWritten()
    }

    /// The form of `stopFilter(with:completionHandler:)` that waits. Either may be written.
    open func stopFilter(with reason: NEProviderStopReason) async {}

    /// Takes a report of a decision whose verdict has `shouldReport`.
    open func handle(_ report: NEFilterReport) { PointSession.notWritten() }
}
