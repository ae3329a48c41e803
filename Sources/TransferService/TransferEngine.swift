// TransferEngine: the performer of HTTP requests.

public import TransferMessages

/// One attempt of a task.
public struct TransferAttempt: Sendable {
    /// The task's number in the service.
    public var task: Int
    /// The request, with all header fields but the two below.
    public var request: TransferRequest
    /// The first byte that is asked for by `Range`; 0 asks for all.
    public var offset: Int
    /// The strong entity tag for `If-Range`, if `offset` is above 0.
    public var validator: String?
    /// The descriptor of an upload's body. It stays open until the attempt has ended.
    public var body: Int32?
    /// Seconds without a byte after which the attempt fails.
    public var idleTimeout: Double
}

/// The failure of an attempt.
public struct TransferEngineFault: Sendable, Hashable {
    /// A code of `NSURLErrorDomain`.
    public var code: Int
    /// The cause, as text for people.
    public var message: String
    /// Whether another attempt may succeed.
    public var isTransient: Bool

    /// Makes a failure; each value is described at its property.
    public init(code: Int, message: String, isTransient: Bool) {
        (self.code, self.message, self.isTransient) = (code, message, isTransient)
    }

    /// A connection that has ended too early.
    public static let lostConnection = TransferEngineFault(
        code: URLErrorCode.connectionLost, message: "the connection ended before the answer did", isTransient: true)
}

/// The receiver of an attempt's events. All functions are called on the service's thread, from `step` only.
public protocol TransferEngineReceiver: AnyObject {
    /// The server has answered. False ends the attempt, and `ended` is not called.
    func answered(_ task: Int, _ response: TransferResponse) -> Bool
    /// A piece of the answer's body has come. False ends the attempt, and `ended` is not called.
    func received(_ task: Int, _ bytes: UnsafeRawBufferPointer) -> Bool
    /// This many bytes of the upload's body were sent.
    func sent(_ task: Int, _ total: Int)
    /// The attempt has ended. Without a fault, the whole answer has come.
    func ended(_ task: Int, _ fault: TransferEngineFault?)
}

/// An engine. The service calls it on its own thread.
public protocol TransferEngine: AnyObject {
    /// A descriptor that is readable when `step` has work; nil: there is none.
    var descriptor: Int32? { get }
    /// The time at which `step` has work, in nanoseconds since 1970; nil: never.
    var deadline: Int? { get }
    /// Begins an attempt. Its events come from later invocations of `step`.
    func begin(_ attempt: TransferAttempt, for receiver: any TransferEngineReceiver)
    /// Ends the attempt of a task without an event.
    func end(_ task: Int)
    /// Performs what can be performed without waiting.
    func step()
}

/// The codes of `NSURLErrorDomain` that the service uses (NSURLError.h).
enum URLErrorCode {
    static let unknown = -1
    static let cancelled = -999
    static let badURL = -1000
    static let timedOut = -1001
    static let unsupportedURL = -1002
    static let cannotFindHost = -1003
    static let cannotConnect = -1004
    static let connectionLost = -1005
    static let tooManyRedirects = -1007
    static let dataNotAllowed = -1020
    static let fileDoesNotExist = -1100
    static let dataLengthExceedsMaximum = -1103
    static let secureConnectionFailed = -1200
    static let untrustedCertificate = -1202
    static let cannotWriteFile = -3003
    static let cannotMoveFile = -3005
    static let sessionNeedsContainer = -995
    static let sessionInUse = -996
    static let sessionDisconnected = -997
}
