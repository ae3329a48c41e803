// LoadMessages: the values behind attachments (kinds 0x022x), which an extension asks of its host through the daemon.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Asks for the value behind an attachment, as one of its types.
///
/// Extension → daemon → host; answered by `itemLoaded`. Payload: the options, if any (section 8).
public struct LoadItem: RequestMessage {
    public typealias Response = ItemLoaded
    public static let kind = MessageKind.loadItem
    public var request: RequestIdentifier
    /// The number of the provider in the items.
    public var provider: Int
    /// A type identifier.
    public var type: String
    /// The extension's number for the load, which `cancelLoad` and `loadProgress` use. No two open loads share one.
    public var load: Int?
    /// `item` (also if absent), `data`, `file`, `place` or `preview` (section 8).
    public var form: String?

    public init(request: RequestIdentifier, provider: Int, type: String, load: Int? = nil, form: String? = nil) {
        self.request = request
        self.provider = provider
        self.type = type
        self.load = load
        self.form = form
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        provider = try fields.value(.provider)
        type = try fields.value(.type)
        load = try fields.optional(.load)
        form = try fields.optional(.form)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.provider, provider)
        fields.set(.type, type)
        fields.set(.load, load)
        fields.set(.form, form)
    }
}

/// Cancels a load. The host still answers it.
///
/// Extension → daemon → host.
public struct CancelLoad: Message {
    public static let kind = MessageKind.cancelLoad
    public var request: RequestIdentifier
    /// The extension's number for the load.
    public var load: Int

    public init(request: RequestIdentifier, load: Int) {
        self.request = request
        self.load = load
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        load = try fields.value(.load)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.load, load)
    }
}

/// Reports the progress of a load. It never follows the answer.
///
/// Host → daemon → extension.
public struct LoadProgress: Message {
    public static let kind = MessageKind.loadProgress
    public var request: RequestIdentifier
    /// The extension's number for the load.
    public var load: Int
    /// The progress, from 0 to `total`.
    public var completed: Int
    /// The progress of a complete load, above 0, in units of the host's choice.
    public var total: Int

    public init(request: RequestIdentifier, load: Int, completed: Int, total: Int) {
        self.request = request
        self.load = load
        self.completed = completed
        self.total = total
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        load = try fields.value(.load)
        completed = try fields.value(.completed)
        total = try fields.value(.total)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.load, load)
        fields.set(.completed, completed)
        fields.set(.total, total)
    }
}

/// Answers a load with the value, or with the item's own error. An `error` in its place means that the load failed: the
/// host has disconnected, the request has ended, or no answer came in time.
///
/// Host → daemon → extension. Payload: `{"value": …}` or `{"error": …}`, in the forms of section 8.
public struct ItemLoaded: Message {
    public static let kind = MessageKind.itemLoaded
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}
