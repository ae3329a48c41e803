// ViewMessages: the view of an extension, and the user's actions on it (kinds 0x023x).
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Shows the current view. The extension sends the next view after the answer to this one.
///
/// Extension → daemon → host; answered by `success` when the host has seen it. Payload: the view (section 8.1).
public struct ShowView: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.showView
    public var request: RequestIdentifier
    /// Counts the request's views from 1, those in `viewUsed` too. A lower number is older.
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

/// Forwards an action of the user on the view.
///
/// Host → daemon → extension; answered by `viewUsed`.
public struct UseView: RequestMessage {
    public typealias Response = ViewUsed
    public static let kind = MessageKind.useView
    public var request: RequestIdentifier
    /// `setText`, `tap`, `post` or `cancel`.
    public var action: String
    /// The name or title of the element. Absent if there is only one.
    public var name: String?
    /// The new text.
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

/// Reports that the action is done. An `error` in its place means that the action is not possible.
///
/// Extension → daemon → host. Payload: the view after the action.
public struct ViewUsed: Message {
    public static let kind = MessageKind.viewUsed
    /// The same as in `showView`.
    public var sequence: Int
    public init(sequence: Int) { self.sequence = sequence }
    public init(_ fields: Fields) throws(ProtocolError) { sequence = try fields.value(.sequence) }
    public func encode(into fields: inout FieldWriter) { fields.set(.sequence, sequence) }
}
