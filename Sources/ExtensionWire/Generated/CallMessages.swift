// CallMessages: calls between the two sides of a request (kinds 0x026x).
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Calls the other side of a request, at an extension point whose property list names the call. The daemon forwards it
/// unopened.
///
/// Host → daemon → extension; extension → daemon → host; answered by `called`. Payload: the arguments, in a form of the
/// extension point.
public struct Call: RequestMessage {
    public typealias Response = Called
    public static let kind = MessageKind.call
    public var request: RequestIdentifier
    /// The caller's number for the call. No two open calls of one caller in one request share one.
    public var number: Int
    /// The name, such as `today.performUpdate`.
    public var name: String
    /// The seconds until the daemon sends `callExpires`. Absent: as the extension point says.
    public var limit: Double?
    /// The further seconds until the caller gets the error `timedOut`. Absent: none.
    public var grace: Double?

    public init(request: RequestIdentifier, number: Int, name: String, limit: Double? = nil, grace: Double? = nil) {
        self.request = request
        self.number = number
        self.name = name
        self.limit = limit
        self.grace = grace
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        number = try fields.value(.number)
        name = try fields.value(.name)
        limit = try fields.optional(.limit)
        grace = try fields.optional(.grace)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.number, number)
        fields.set(.name, name)
        fields.set(.limit, limit)
        fields.set(.grace, grace)
    }
}

/// Answers a call with the value, or with the author's error. An `error` in its place means that the call failed: the
/// other side has disconnected, the request has ended, or no answer came in time.
///
/// Extension → daemon → host; host → daemon → extension. Payload: `{"value": …}` or `{"error": …}`, in the forms of
/// section 8.
public struct Called: Message {
    public static let kind = MessageKind.called
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Cancels a call. The other side still answers it, and the daemon drops that answer.
///
/// Host → daemon → extension; extension → daemon → host.
public struct CancelCall: Message {
    public static let kind = MessageKind.cancelCall
    public var request: RequestIdentifier
    /// The caller's number for the call.
    public var number: Int

    public init(request: RequestIdentifier, number: Int) {
        self.request = request
        self.number = number
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        number = try fields.value(.number)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.number, number)
    }
}

/// Sends a part of the answer to a call, ahead of the answer. At most 8 parts of one request and direction are
/// unanswered.
///
/// Extension → daemon → host; host → daemon → extension; answered by `success` when the caller has taken it. Payload:
/// the part, in a form of the extension point.
public struct CallPart: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.callPart
    public var request: RequestIdentifier
    /// The caller's number for the call.
    public var number: Int

    public init(request: RequestIdentifier, number: Int) {
        self.request = request
        self.number = number
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        number = try fields.value(.number)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.number, number)
    }
}

/// Reports that the time limit of a call has run out. The answer is accepted for the call's `grace`.
///
/// Daemon → extension; daemon → host.
public struct CallExpires: Message {
    public static let kind = MessageKind.callExpires
    public var request: RequestIdentifier
    /// The caller's number for the call.
    public var number: Int

    public init(request: RequestIdentifier, number: Int) {
        self.request = request
        self.number = number
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        number = try fields.value(.number)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.number, number)
    }
}
