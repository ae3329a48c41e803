// NEProxySettings: the proxies of a network.

public import Foundation
import PointMessages

/// A proxy server.
open class NEProxyServer: NSObject {
    public let address: String
    public let port: Int
    open var authenticationRequired = false
    open var username: String?
    open var password: String?

    /// Makes a server without authentication.
    public init(address: String, port: Int) { (self.address, self.port) = (address, port) }

    init(_ message: NetworkProxy) {
        (address, port) = (message.address, message.port)
        authenticationRequired = message.needsAuthentication
        (username, password) = (message.username, message.password)
    }

    var message: NetworkProxy {
        var message = NetworkProxy(address, port: port)
        message.needsAuthentication = authenticationRequired
        (message.username, message.password) = (username, password)
        return message
    }
}

/// The proxies of a network.
open class NEProxySettings: NSObject {
    open var autoProxyConfigurationEnabled = false
    open var proxyAutoConfigurationURL: URL?
    open var proxyAutoConfigurationJavaScript: String?
    open var httpEnabled = false
    open var httpServer: NEProxyServer?
    open var httpsEnabled = false
    open var httpsServer: NEProxyServer?
    open var excludeSimpleHostnames = false
    open var exceptionList: [String]?
    open var matchDomains: [String]?

    public override init() {}

    init(_ message: NetworkProxies) {
        autoProxyConfigurationEnabled = message.isAutomatic
        proxyAutoConfigurationURL = message.scriptURL.flatMap { URL(string: $0) }
        proxyAutoConfigurationJavaScript = message.script
        httpEnabled = message.isHTTPEnabled
        httpServer = message.http.map { NEProxyServer($0) }
        httpsEnabled = message.isHTTPSEnabled
        httpsServer = message.https.map { NEProxyServer($0) }
        excludeSimpleHostnames = message.excludesSimpleNames
        (exceptionList, matchDomains) = (message.exceptions, message.matchDomains)
    }

    var message: NetworkProxies {
        var message = NetworkProxies()
        message.isAutomatic = autoProxyConfigurationEnabled
        message.scriptURL = proxyAutoConfigurationURL?.absoluteString
        message.script = proxyAutoConfigurationJavaScript
        (message.isHTTPEnabled, message.http) = (httpEnabled, httpServer?.message)
        (message.isHTTPSEnabled, message.https) = (httpsEnabled, httpsServer?.message)
        message.excludesSimpleNames = excludeSimpleHostnames
        (message.exceptions, message.matchDomains) = (exceptionList, matchDomains)
        return message
    }
}
