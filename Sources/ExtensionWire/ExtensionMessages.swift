// ExtensionMessages: a request between the daemon and its extension (kinds 0x02xx), and the end of the process.

/// Daemon → extension: a request, its items in the payload.
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

/// Daemon → extension: the host of these requests announces something; `sequence` is that of the bus signal.
public struct HostStateChanged: Message {
    public static let kind = MessageKind.hostState
    public var notification: HostNotification
    public var requests: [RequestIdentifier]
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

/// Daemon → extension: this request has ended without the extension's word; its loads fail.
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

/// Daemon → extension: the time for this request's completion handler is up (spec 1.2 step 6).
public struct Expired: Message {
    public static let kind = MessageKind.expired
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// Daemon → extension: end now.
public struct Terminate: Message {
    public static let kind = MessageKind.terminate
    public var cause: Cause
    public init(cause: Cause) { self.cause = cause }
    public init(_ fields: Fields) throws(ProtocolError) { cause = try fields.value(.cause) }
    public func encode(into fields: inout FieldWriter) { fields.set(.cause, cause) }
}

/// Daemon → extension: answered from its main queue, to show that it is not blocked.
public struct CheckMainQueue: RequestMessage {
    public typealias Response = MainQueueRuns
    public static let kind = MessageKind.checkMainQueue
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

public struct MainQueueRuns: Message {
    public static let kind = MessageKind.mainQueueRuns
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Extension → daemon: the request is done; the payload holds the returned items, kept by the sender until `acknowledge`.
public struct Complete: Message {
    public static let kind = MessageKind.complete
    public var request: RequestIdentifier
    /// Whether a completion handler will run; `handlerFinished` follows then.
    public var work: Bool

    public init(request: RequestIdentifier, work: Bool) {
        self.request = request
        self.work = work
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        work = try fields.value(.work)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.work, work)
    }
}

/// Extension → daemon: the request is given up; the payload holds the error, kept by the sender until `acknowledge`.
public struct CancelRequest: Message {
    public static let kind = MessageKind.cancelRequest
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// Extension → daemon: the completion handler of this request has returned.
public struct HandlerFinished: Message {
    public static let kind = MessageKind.handlerFinished
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// Extension → daemon: the author's code used a finished context (spec 1.2 step 9); for the log.
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
