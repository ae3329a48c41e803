// LoadMessages: the values behind attachments (kinds 0x022x), asked by an extension and answered by its host through the daemon.

/// Extension → daemon → host: the value behind an attachment, as one of its types.
public struct LoadItem: RequestMessage {
    public typealias Response = ItemLoaded
    public static let kind = MessageKind.loadItem
    public var request: RequestIdentifier
    /// The provider's number in the request's payload.
    public var provider: Int
    public var type: String
    /// The extension's own number for the load, by which `cancelLoad` and `loadProgress` name it; no two open ones share it.
    public var load: Int?
    /// A name of `docs/protocol.md`, section 8; absent for the value as it was registered.
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

/// Extension → daemon → host: nobody waits for this load any more. The load is answered all the same.
public struct CancelLoad: Message {
    public static let kind = MessageKind.cancelLoad
    public var request: RequestIdentifier
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

/// Host → daemon → extension: so much of a load is done; never after its answer.
public struct LoadProgress: Message {
    public static let kind = MessageKind.loadProgress
    public var request: RequestIdentifier
    public var load: Int
    /// Units of the host's choice, 0 to `total`.
    public var completed: Int
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

/// Host → daemon → extension: the value, or the item's own error, in the payload. `error` says that the load itself
/// failed: host gone, request ended, no answer in time.
public struct ItemLoaded: Message {
    public static let kind = MessageKind.itemLoaded
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}
