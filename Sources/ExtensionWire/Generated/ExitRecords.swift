// ExitRecords: the end of a process: status, limit and peak, and its open loads.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// The end of a process.
public struct ExitRecord: Sendable, Hashable, WireStructure {
    /// The exit status, if the process exited.
    public var status: Int?
    /// The number of the signal, if a signal ended it.
    public var signal: Int?
    public var cause: Cause
    /// Peak resident memory in bytes.
    public var peakMemory: Int?
    /// Whether completion work received `expired`.
    public var expired: Bool
    /// The memory limit of its processes together, in bytes. Absent without a limit.
    public var memoryLimit: Int?
    /// The limit that ended it.
    public var reached: LimitRecord?
    /// The name of its file from systemd-coredump. The daemon searches for the file when a client asks for a page.
    public var coreDump: String?
    /// The layers of confinement of the process, as on the bus.
    public var sandbox: String?

    public init(
        status: Int?, signal: Int?, cause: Cause, peakMemory: Int?, expired: Bool, memoryLimit: Int? = nil,
        reached: LimitRecord? = nil, coreDump: String? = nil, sandbox: String? = nil
    ) {
        self.status = status
        self.signal = signal
        self.cause = cause
        self.peakMemory = peakMemory
        self.expired = expired
        self.memoryLimit = memoryLimit
        self.reached = reached
        self.coreDump = coreDump
        self.sandbox = sandbox
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        status = try fields.optional(.status)
        signal = try fields.optional(.signal)
        cause = try fields.value(.cause)
        peakMemory = try fields.optional(.peakMemory)
        expired = try fields.value(.expired)
        memoryLimit = try fields.optional(.limit)
        reached = try fields.optional(.reached)
        coreDump = try fields.optional(.coreDump)
        sandbox = try fields.optional(.sandbox)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.status, status)
        fields.set(.signal, signal)
        fields.set(.cause, cause)
        fields.set(.peakMemory, peakMemory)
        fields.set(.expired, expired)
        fields.set(.limit, memoryLimit)
        fields.set(.reached, reached)
        fields.set(.coreDump, coreDump)
        fields.set(.sandbox, sandbox)
    }
}

/// A limit that a process exceeded.
public struct LimitRecord: Sendable, Hashable, WireStructure {
    /// `memory`, `cpu`, `tasks`, `descriptors` or `output`.
    public var name: String
    /// The bound, in bytes, milliseconds of processor time, tasks, descriptors, or bytes in a second.
    public var limit: Int
    /// The highest usage that was measured, in the same unit.
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

/// A load without an answer. It never has the content of the load.
public struct LoadRecord: Sendable, Hashable, WireStructure {
    public var request: RequestIdentifier
    /// The number of the provider in the items.
    public var provider: Int
    /// A type identifier.
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
