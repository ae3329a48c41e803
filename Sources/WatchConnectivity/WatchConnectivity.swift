// WatchConnectivity: the session of a device without a watch.

@_exported public import Foundation

public let WCErrorDomain = "WCErrorDomain"
public enum WCSessionActivationState: Int, Sendable { case notActivated, inactive, activated }

/// The reason why a session cannot do something.
public struct WCError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case genericError = 7001, sessionNotSupported, sessionMissingDelegate, sessionNotActivated, deviceNotPaired
        case watchAppNotInstalled, notReachable
    }
    public let code: Code
    /// Makes the error of a code.
    public init(_ code: Code) { self.code = code }
    public static var errorDomain: String { WCErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: "notSimulated: there is no watch"] }
}

/// The observer of a session. All methods but the first are optional in Objective-C, or never called here.
public protocol WCSessionDelegate: NSObjectProtocol {
    func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: (any Error)?)
    func sessionDidBecomeInactive(_ session: WCSession)
    func sessionDidDeactivate(_ session: WCSession)
    func session(_ session: WCSession, didReceiveMessage message: [String: Any])
    func session(
        _ session: WCSession, didReceiveMessage message: [String: Any],
        replyHandler: @escaping ([String: Any]) -> Void)
    func session(_ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any])
    func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any])
    func sessionReachabilityDidChange(_ session: WCSession)
}

extension WCSessionDelegate {
    public func sessionDidBecomeInactive(_ session: WCSession) {}
    public func sessionDidDeactivate(_ session: WCSession) {}
    public func session(_ session: WCSession, didReceiveMessage message: [String: Any]) {}
    public func session(
        _ session: WCSession, didReceiveMessage message: [String: Any],
        replyHandler: @escaping ([String: Any]) -> Void
    ) {}
    public func session(_ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any]) {}
    public func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {}
    public func sessionReachabilityDidChange(_ session: WCSession) {}
}

/// The session of a device that supports none. What would travel to a watch fails.
open class WCSession: NSObject, @unchecked Sendable {  // its delegate is set before it is activated, as on Apple's
    private static let shared = WCSession()
    open weak var delegate: (any WCSessionDelegate)?

    /// Returns false.
    open class func isSupported() -> Bool { false }
    open class var `default`: WCSession { shared }
    open var activationState: WCSessionActivationState { .notActivated }
    open var isPaired: Bool { false }
    open var isWatchAppInstalled: Bool { false }
    open var isReachable: Bool { false }
    open var applicationContext: [String: Any] { [:] }
    open var receivedApplicationContext: [String: Any] { [:] }

    /// Tells the delegate on a global queue that the session is not supported.
    open func activate() {
        DispatchQueue.global().async {
            self.delegate?.session(
                self, activationDidCompleteWith: .notActivated, error: WCError(.sessionNotSupported))
        }
    }

    /// Calls the handler of errors on a global queue.
    open func sendMessage(
        _ message: [String: Any], replyHandler: (([String: Any]) -> Void)?,
        errorHandler: (@Sendable (any Error) -> Void)? = nil
    ) {
        guard let errorHandler else { return }
        DispatchQueue.global().async { errorHandler(WCError(.sessionNotSupported)) }
    }

    /// - Throws: `WCError.sessionNotSupported`.
    open func updateApplicationContext(_ applicationContext: [String: Any]) throws {
        throw WCError(.sessionNotSupported)
    }
}
