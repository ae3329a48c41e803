// URLSessionConfiguration: the configuration of a session, under Apple's name.

public import Foundation
public import FoundationNetworking
internal import TransferMessages

/// The configuration of a `URLSession`. A session copies it, so later changes have no effect on that.
///
/// Source: Apple's documentation. Any thread may use it, one at a time.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
    // Unchecked: as on Apple's systems. Its author uses it on one thread at a time, and a session has a copy.

    private enum Kind { case usual, ephemeral, background }
    private var kind = Kind.usual
    /// The values that only FoundationNetworking uses. They are made at the first use, because they open files.
    private lazy var other: FoundationNetworking.URLSessionConfiguration = kind == .ephemeral ? .ephemeral : .default
    private var hasOther = false

    /// The identifier of a background session; nil for others.
    open private(set) var identifier: String?
    /// The app group whose container gets the files of a background session. An extension needs one.
    open var sharedContainerIdentifier: String?
    /// Whether the app is launched in the background when all tasks have ended.
    open var sessionSendsLaunchEvents = true
    /// Whether tasks wait for a good time.
    open var isDiscretionary = false
    /// Seconds without a byte.
    open var timeoutIntervalForRequest: TimeInterval = 60
    /// Seconds until a task fails.
    open var timeoutIntervalForResource: TimeInterval = 604_800
    /// The fields that each request has, unless it has its own.
    open var httpAdditionalHeaders: [AnyHashable: Any]?
    /// The number of connections to one host name at a time.
    open var httpMaximumConnectionsPerHost = 6
    /// Has no effect: there are no cellular networks.
    open var allowsCellularAccess = true
    /// Has no effect: background sessions always wait, and others never do.
    open var waitsForConnectivity = false
    /// The cache policy of requests; it has no effect in background sessions.
    open var requestCachePolicy = NSURLRequest.CachePolicy.useProtocolCachePolicy

    /// The cache of answers, without an effect in background sessions.
    open var urlCache: URLCache? {
        get { values.urlCache }
        set { values.urlCache = newValue }
    }
    /// The store of credentials, without an effect in background sessions.
    open var urlCredentialStorage: URLCredentialStorage? {
        get { values.urlCredentialStorage }
        set { values.urlCredentialStorage = newValue }
    }
    /// The store of cookies, without an effect in background sessions.
    open var httpCookieStorage: HTTPCookieStorage? {
        get { values.httpCookieStorage }
        set { values.httpCookieStorage = newValue }
    }
    /// The cookies that are stored, without an effect in background sessions.
    open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy {
        get { values.httpCookieAcceptPolicy }
        set { values.httpCookieAcceptPolicy = newValue }
    }
    /// Whether requests have stored cookies, without an effect in background sessions.
    open var httpShouldSetCookies: Bool {
        get { values.httpShouldSetCookies }
        set { values.httpShouldSetCookies = newValue }
    }
    /// The proxies, without an effect in background sessions.
    open var connectionProxyDictionary: [AnyHashable: Any]? {
        get { values.connectionProxyDictionary }
        set { values.connectionProxyDictionary = newValue }
    }
    /// The purpose of the requests, without an effect in background sessions.
    open var networkServiceType: URLRequest.NetworkServiceType {
        get { values.networkServiceType }
        set { values.networkServiceType = newValue }
    }
    /// The classes that load URLs in place of the network, without an effect in background sessions.
    open var protocolClasses: [AnyClass]? {
        get { values.protocolClasses }
        set { values.protocolClasses = newValue }
    }
    /// Has no effect: requests are not pipelined.
    open var httpShouldUsePipelining = false
    /// Has no effect: no connection is closed because an app leaves the foreground.
    open var shouldUseExtendedBackgroundIdleMode = false
    /// Has no effect: no network is expensive.
    open var allowsExpensiveNetworkAccess = true
    /// Has no effect: no network is constrained.
    open var allowsConstrainedNetworkAccess = true

    private var values: FoundationNetworking.URLSessionConfiguration {
        hasOther = true
        return other
    }

    /// A configuration with a cache and cookies.
    open class var `default`: URLSessionConfiguration { URLSessionConfiguration() }
    /// A configuration that stores nothing.
    open class var ephemeral: URLSessionConfiguration {
        let configuration = URLSessionConfiguration()
        configuration.kind = .ephemeral
        return configuration
    }
    /// A configuration of a session whose transfers outlive the process.
    ///
    /// - Parameter identifier: unique within an app and its extensions.
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration()
        (configuration.kind, configuration.identifier) = (.background, identifier)
        return configuration
    }

    /// Returns a copy.
    public func copy(with zone: NSZone?) -> Any {
        let copy = URLSessionConfiguration()
        (copy.kind, copy.identifier) = (kind, identifier)
        copy.sharedContainerIdentifier = sharedContainerIdentifier
        (copy.sessionSendsLaunchEvents, copy.isDiscretionary) = (sessionSendsLaunchEvents, isDiscretionary)
        copy.timeoutIntervalForRequest = timeoutIntervalForRequest
        copy.timeoutIntervalForResource = timeoutIntervalForResource
        copy.httpAdditionalHeaders = httpAdditionalHeaders
        copy.httpMaximumConnectionsPerHost = httpMaximumConnectionsPerHost
        (copy.allowsCellularAccess, copy.waitsForConnectivity) = (allowsCellularAccess, waitsForConnectivity)
        copy.requestCachePolicy = requestCachePolicy
        copy.httpShouldUsePipelining = httpShouldUsePipelining
        copy.shouldUseExtendedBackgroundIdleMode = shouldUseExtendedBackgroundIdleMode
        copy.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        copy.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        if hasOther, let values = other.copy() as? FoundationNetworking.URLSessionConfiguration {
            (copy.other, copy.hasOther) = (values, true)
        }
        return copy
    }

    /// The configuration for the service; nil for another kind.
    var transfer: TransferConfiguration? {
        guard let identifier else { return nil }
        var transfer = TransferConfiguration(identifier: identifier, container: sharedContainerIdentifier)
        (transfer.sendsLaunchEvents, transfer.isDiscretionary) = (sessionSendsLaunchEvents, isDiscretionary)
        transfer.requestTimeout = timeoutIntervalForRequest
        transfer.resourceTimeout = timeoutIntervalForResource
        transfer.connectionsPerHost = httpMaximumConnectionsPerHost
        transfer.headers = (httpAdditionalHeaders ?? [:]).map { TransferHeader("\($0.key)", "\($0.value)") }
            .sorted { $0.name < $1.name }
        return transfer
    }

    /// The configuration for FoundationNetworking.
    var forwarded: FoundationNetworking.URLSessionConfiguration {
        let other = values
        other.timeoutIntervalForRequest = timeoutIntervalForRequest
        other.timeoutIntervalForResource = timeoutIntervalForResource
        other.httpAdditionalHeaders = httpAdditionalHeaders
        other.httpMaximumConnectionsPerHost = httpMaximumConnectionsPerHost
        other.requestCachePolicy = requestCachePolicy
        return other
    }
}
