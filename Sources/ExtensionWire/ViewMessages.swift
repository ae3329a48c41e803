// ViewMessages: an extension's view on its way to the host, and what a person does with it on the way back (kinds 0x023x).

/// Extension → daemon → host: the view as it is now, in the payload. The next one is sent when this one has been answered.
public struct ShowView: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.showView
    public var request: RequestIdentifier
    /// Counts the request's views from 1, those in `viewUsed` too: a lower one is older.
    public var sequence: Int

    public init(request: RequestIdentifier, sequence: Int) {
        self.request = request
        self.sequence = sequence
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        sequence = try fields.value(.sequence)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.sequence, sequence)
    }
}

/// Host → daemon → extension: a person's act. Answered once the extension's code has dealt with it.
public struct UseView: RequestMessage {
    public typealias Response = ViewUsed
    public static let kind = MessageKind.useView
    public var request: RequestIdentifier
    /// `setText`, `tap`, `post` or `cancel`.
    public var action: String
    /// The element's name or title; absent where there is one only.
    public var name: String?
    /// What is to stand there.
    public var text: String?

    public init(request: RequestIdentifier, action: String, name: String? = nil, text: String? = nil) {
        self.request = request
        self.action = action
        self.name = name
        self.text = text
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        action = try fields.value(.action)
        name = try fields.optional(.name)
        text = try fields.optional(.text)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.action, action)
        fields.set(.name, name)
        fields.set(.text, text)
    }
}

/// Extension → daemon → host: the act is done, and the view after it in the payload. `error` says that it cannot be done.
public struct ViewUsed: Message {
    public static let kind = MessageKind.viewUsed
    public var sequence: Int
    public init(sequence: Int) { self.sequence = sequence }
    public init(_ fields: Fields) throws(ProtocolError) { sequence = try fields.value(.sequence) }
    public func encode(into fields: inout FieldWriter) { fields.set(.sequence, sequence) }
}
