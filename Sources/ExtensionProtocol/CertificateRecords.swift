// CertificateRecords: what a death certificate says beyond status and signal: the limit, and the loads that were under way.

/// A limit that a process went beyond.
public struct LimitRecord: Sendable, Hashable, WireStructure {
    /// `memory`, `cpu`, `tasks`, `descriptors` or `output`.
    public var name: String
    /// What was allowed, and the most that was seen: bytes, milliseconds of processor time, tasks, descriptors, bytes in a second.
    public var limit: Int
    public var used: Int

    public init(name: String, limit: Int, used: Int) {
        self.name = name
        self.limit = limit
        self.used = used
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        name = try fields.value(.name)
        limit = try fields.value(.limit)
        used = try fields.value(.used)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.name, name)
        fields.set(.limit, limit)
        fields.set(.used, used)
    }
}

/// A load that had not been answered; never what is loaded.
public struct LoadRecord: Sendable, Hashable, WireStructure {
    public var request: RequestIdentifier
    /// The provider's number in the request's payload.
    public var provider: Int
    public var type: String

    public init(request: RequestIdentifier, provider: Int, type: String) {
        self.request = request
        self.provider = provider
        self.type = type
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        provider = try fields.value(.provider)
        type = try fields.value(.type)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.provider, provider)
        fields.set(.type, type)
    }
}
