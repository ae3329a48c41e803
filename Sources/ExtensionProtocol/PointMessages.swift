// PointMessages: which extension points a daemon has, and what each decides.

public struct ListPoints: RequestMessage {
    public typealias Response = Page<PointRecord>
    public static let kind = MessageKind.listPoints
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

/// An extension point, or a file that is none by its faults.
public struct PointRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.points

    /// One timer that is on.
    public struct Timer: Sendable, Hashable, WireStructure {
        public var name: String
        /// Seconds.
        public var delay: Double

        public init(name: String, delay: Double) {
            self.name = name
            self.delay = delay
        }

        public init(_ fields: Fields) throws(ProtocolError) {
            name = try fields.value(.name)
            delay = try fields.value(.delay)
        }

        public func encode(into fields: inout FieldWriter) {
            fields.set(.name, name)
            fields.set(.delay, delay)
        }
    }

    public struct MemoryLimit: Sendable, Hashable, WireStructure {
        public var bytes: Int
        /// `documented`, `observed` or `guess`.
        public var provenance: String
        public var source: String

        public init(bytes: Int, provenance: String, source: String) {
            self.bytes = bytes
            self.provenance = provenance
            self.source = source
        }

        public init(_ fields: Fields) throws(ProtocolError) {
            bytes = try fields.value(.bytes)
            provenance = try fields.value(.provenance)
            source = try fields.value(.source)
        }

        public func encode(into fields: inout FieldWriter) {
            fields.set(.bytes, bytes)
            fields.set(.provenance, provenance)
            fields.set(.source, source)
        }
    }

    /// One limit that the point's file sets, in the unit of a `LimitRecord`.
    public struct Limit: Sendable, Hashable, WireStructure {
        public var name: String
        public var limit: Int

        public init(name: String, limit: Int) {
            self.name = name
            self.limit = limit
        }

        public init(_ fields: Fields) throws(ProtocolError) {
            name = try fields.value(.name)
            limit = try fields.value(.limit)
        }

        public func encode(into fields: inout FieldWriter) {
            fields.set(.name, name)
            fields.set(.limit, limit)
        }
    }

    /// The file's path stands in for the identifier of one that is no point.
    public var identifier: String
    public var name: String
    public var hasInterface: Bool
    /// `shared` or `onePerRequest`.
    public var policy: String
    /// How many processes of each extension are kept waiting for a request.
    public var prewarm: Int
    public var takesActivationRules: Bool
    /// The point's own, before the daemon's settings.
    public var timers: [Timer]
    public var memoryLimit: MemoryLimit?
    /// Besides.
    public var limits: [Limit]
    /// `never`, `containingApp` or `any`.
    public var urlPolicy: String
    public var hostNotifications: Bool
    /// Messages to the extension, and from it, beyond those of every request.
    public var accepts: [String]
    public var sends: [String]
    public var source: String?
    /// The file that states it; absent for one that is built in.
    public var path: String?
    /// Why the file is no point; empty for one that is.
    public var problems: [String]

    public init(
        identifier: String, name: String, hasInterface: Bool, policy: String, prewarm: Int = 0, takesActivationRules: Bool,
        timers: [Timer], memoryLimit: MemoryLimit?, limits: [Limit] = [], urlPolicy: String, hostNotifications: Bool,
        accepts: [String],
        sends: [String],
        source: String?, path: String?, problems: [String]
    ) {
        self.identifier = identifier
        self.name = name
        self.hasInterface = hasInterface
        self.policy = policy
        self.prewarm = prewarm
        self.takesActivationRules = takesActivationRules
        self.timers = timers
        self.memoryLimit = memoryLimit
        self.limits = limits
        self.urlPolicy = urlPolicy
        self.hostNotifications = hostNotifications
        self.accepts = accepts
        self.sends = sends
        self.source = source
        self.path = path
        self.problems = problems
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        identifier = try fields.value(.identifier)
        name = try fields.value(.name)
        hasInterface = try fields.value(.interface)
        policy = try fields.value(.policy)
        prewarm = try fields.optional(.prewarm) ?? 0
        takesActivationRules = try fields.value(.rules)
        timers = try fields.value(.timers)
        memoryLimit = try fields.optional(.limits)
        limits = try fields.optional(.limit) ?? []
        urlPolicy = try fields.value(.openURL)
        hostNotifications = try fields.value(.notification)
        accepts = try fields.value(.accepts)
        sends = try fields.value(.sends)
        source = try fields.optional(.source)
        path = try fields.optional(.path)
        problems = try fields.value(.problems)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.identifier, identifier)
        fields.set(.name, name)
        fields.set(.interface, hasInterface)
        fields.set(.policy, policy)
        if prewarm > 0 { fields.set(.prewarm, prewarm) }
        fields.set(.rules, takesActivationRules)
        fields.set(.timers, timers)
        fields.set(.limits, memoryLimit)
        if !limits.isEmpty { fields.set(.limit, limits) }
        fields.set(.openURL, urlPolicy)
        fields.set(.notification, hostNotifications)
        fields.set(.accepts, accepts)
        fields.set(.sends, sends)
        fields.set(.source, source)
        fields.set(.path, path)
        fields.set(.problems, problems)
    }
}
