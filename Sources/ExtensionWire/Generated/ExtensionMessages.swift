// ExtensionMessages: a request between the daemon and its extension (kinds 0x02xx), and the end of the process.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Delivers a request to the extension.
///
/// Daemon → extension. Payload: the items.
public struct Deliver: Message {
    public static let kind = MessageKind.deliver
    public var request: RequestIdentifier
    public var host: String
    public var hostState: HostStateName

    public init(request: RequestIdentifier, host: String, hostState: HostStateName) {
        self.request = request
        self.host = host
        self.hostState = hostState
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        host = try fields.value(.host)
        hostState = try fields.value(.hostState)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.host, host)
        fields.set(.hostState, hostState)
    }
}

/// The four announcements of a host's state (spec 1.7), by the names of the bus signals.
public enum HostNotification: String, Sendable, Hashable, CaseIterable, WireValue {
    case willResignActive = "HostWillResignActive"
    case didEnterBackground = "HostDidEnterBackground"
    case willEnterForeground = "HostWillEnterForeground"
    case didBecomeActive = "HostDidBecomeActive"
}

/// Announces a change of the host's state to its open requests.
///
/// Daemon → extension.
public struct HostStateChanged: Message {
    public static let kind = MessageKind.hostState
    public var notification: HostNotification
    public var requests: [RequestIdentifier]
    /// The sequence of the bus signal.
    public var sequence: Int

    public init(notification: HostNotification, requests: [RequestIdentifier], sequence: Int) {
        self.notification = notification
        self.requests = requests
        self.sequence = sequence
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        notification = try fields.value(.notification)
        requests = try fields.value(.requests)
        sequence = try fields.value(.sequence)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.notification, notification)
        fields.set(.requests, requests)
        fields.set(.sequence, sequence)
    }
}

/// Reports that a request has ended without the extension's answer. Its loads fail.
///
/// Daemon → extension.
public struct Cancelled: Message {
    public static let kind = MessageKind.cancelled
    public var request: RequestIdentifier
    public var cause: Cause

    public init(request: RequestIdentifier, cause: Cause) {
        self.request = request
        self.cause = cause
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        cause = try fields.value(.cause)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.cause, cause)
    }
}

/// Reports that the time of a request's completion handler has run out (spec 1.2 step 6).
///
/// Daemon → extension.
public struct Expired: Message {
    public static let kind = MessageKind.expired
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// Asks the process to exit.
///
/// Daemon → extension.
public struct Terminate: Message {
    public static let kind = MessageKind.terminate
    public var cause: Cause
    public init(cause: Cause) { self.cause = cause }
    public init(_ fields: Fields) throws(ProtocolError) { cause = try fields.value(.cause) }
    public func encode(into fields: inout FieldWriter) { fields.set(.cause, cause) }
}

/// Checks whether the author's code blocks. The answer comes from the thread or queue that this code can block, in
/// Swift the main queue.
///
/// Daemon → extension; answered by `mainQueueRuns`.
public struct CheckMainQueue: RequestMessage {
    public typealias Response = MainQueueRuns
    public static let kind = MessageKind.checkMainQueue
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Answers `checkMainQueue`.
///
/// Extension → daemon.
public struct MainQueueRuns: Message {
    public static let kind = MessageKind.mainQueueRuns
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Completes a request. The sender stores the items until `acknowledge`, unless the answer is `final`.
///
/// Extension → daemon; followed by `acknowledge`. Payload: the returned items.
public struct Complete: Message {
    public static let kind = MessageKind.complete
    public var request: RequestIdentifier
    /// Whether a completion handler will run. `handlerFinished` follows then.
    public var work: Bool
    /// Whether the sender stores nothing of the request, and expects no `acknowledge`.
    public var isFinal: Bool

    public init(request: RequestIdentifier, work: Bool, isFinal: Bool = false) {
        self.request = request
        self.work = work
        self.isFinal = isFinal
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        work = try fields.value(.work)
        isFinal = try fields.optional(.final) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.work, work)
        if isFinal { fields.set(.final, isFinal) }
    }
}

/// Cancels a request. The sender stores the error until `acknowledge`, unless the answer is `final`.
///
/// Extension → daemon; followed by `acknowledge`. Payload: the error.
public struct CancelRequest: Message {
    public static let kind = MessageKind.cancelRequest
    public var request: RequestIdentifier
    /// Whether the sender stores nothing of the request, and expects no `acknowledge`.
    public var isFinal: Bool

    public init(request: RequestIdentifier, isFinal: Bool = false) {
        self.request = request
        self.isFinal = isFinal
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        isFinal = try fields.optional(.final) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        if isFinal { fields.set(.final, isFinal) }
    }
}

/// Reports that the completion handler of a request has returned.
///
/// Extension → daemon.
public struct HandlerFinished: Message {
    public static let kind = MessageKind.handlerFinished
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// Reports, for the log, that the author's code used a finished context (spec 1.2 step 9).
///
/// Extension → daemon.
public struct ContextFault: Message {
    public static let kind = MessageKind.contextFault
    public var request: RequestIdentifier
    public var detail: String

    public init(request: RequestIdentifier, detail: String) {
        self.request = request
        self.detail = detail
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        detail = try fields.value(.detail)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.detail, detail)
    }
}
