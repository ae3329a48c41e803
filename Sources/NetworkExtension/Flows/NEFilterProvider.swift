// NEFilterProvider: the base of the two providers of a filter.

import AppGroups
import ExtensionPointKit
public import Foundation
import Locks
import PointFrameworkKit
import PointMessages
import PropertyListCoding

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

/// The configuration of a filter.
open class NEFilterProviderConfiguration: NSObject {
    var value: FilterConfiguration
    /// Values that only the app and its providers know.
    open var vendorConfiguration: [String: Any]?

    /// Makes a configuration without values.
    public override init() { value = FilterConfiguration() }

    init(_ value: FilterConfiguration) {
        self.value = value
        vendorConfiguration = value.vendor?.plist.dictionary.map { foundationValues($0) }
    }

    /// Whether loads of web pages are filtered.
    open var filterBrowsers: Bool {
        get { value.filtersBrowsers }
        set { value.filtersBrowsers = newValue }
    }

    /// Whether connections of sockets are filtered.
    open var filterSockets: Bool {
        get { value.filtersSockets }
        set { value.filtersSockets = newValue }
    }

    /// The server of the filter.
    open var serverAddress: String? {
        get { value.serverAddress }
        set { value.serverAddress = newValue }
    }

    /// The user at the server.
    open var username: String? {
        get { value.username }
        set { value.username = newValue }
    }

    /// The organization that filters.
    open var organization: String? {
        get { value.organization }
        set { value.organization = newValue }
    }

    /// The place of the user's password.
    open var passwordReference: Data? {
        get { value.passwordReference.map { Data($0) } }
        set { value.passwordReference = newValue.map { Array($0) } }
    }

    /// The place of the user's certificate.
    open var identityReference: Data? {
        get { value.identityReference.map { Data($0) } }
        set { value.identityReference = newValue.map { Array($0) } }
    }
}
