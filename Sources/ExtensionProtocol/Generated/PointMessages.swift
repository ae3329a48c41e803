// PointMessages: the extension points of a daemon, and their policies.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Lists the extension points.
///
/// Client → daemon; answered by `points`.
public struct ListPoints: RequestMessage {
    public typealias Response = Page<PointRecord>
    public static let kind = MessageKind.listPoints
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

/// An extension point, or a file that its faults disable.
public struct PointRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.points
    /// The identifier of the point. For a disabled file, its path.
    public var identifier: String
    public var name: String
    /// Whether its extensions have an interface.
    public var hasInterface: Bool
    /// `shared` or `onePerRequest`.
    public var policy: String
    /// The number of processes of each extension that are launched ahead of a request.
    public var prewarm: Int
    /// Whether activation rules apply.
    public var takesActivationRules: Bool
    /// The enabled timers, before the daemon's settings.
    public var timers: [PointRecord.Timer]
    public var memoryLimit: PointRecord.MemoryLimit?
    /// The other limits that its file sets.
    public var limits: [PointRecord.Limit]
    /// `never`, `containingApp` or `any`.
    public var urlPolicy: String
    /// Whether extensions receive the state of their host.
    public var hostNotifications: Bool
    /// The calls that a host may make.
    public var accepts: [String]
    /// The calls that the extension may make.
    public var sends: [String]
    /// The time limits of calls, each with the name of the call.
    public var callLimits: [PointRecord.Timer]
    /// The module that performs the point's calls in an extension. Absent if there is none.
    public var framework: String?
    /// The class in the module. Absent: `ExtensionPointSupport`.
    public var support: String?
    /// The call of a host after which the kit completes the request. Absent: the extension completes it.
    public var ends: String?
    /// The names of the consents that a user can give an extension.
    public var consents: [String]
    /// The entitlement without which no request begins, as `KEY` or `KEY=VALUE`.
    public var entitlement: String?
    /// The deviations from the usual confinement. Absent if there is none.
    public var confinement: PointRecord.Confinement?
    /// The source of the facts.
    public var source: String?
    /// The file that declares the point. Absent for a built-in one.
    public var path: String?
    /// The faults that disable the file. Empty for a point.
    public var problems: [String]

    public init(
        identifier: String, name: String, hasInterface: Bool, policy: String, prewarm: Int = 0,
        takesActivationRules: Bool, timers: [PointRecord.Timer], memoryLimit: PointRecord.MemoryLimit?,
        limits: [PointRecord.Limit] = [], urlPolicy: String, hostNotifications: Bool, accepts: [String],
        sends: [String], callLimits: [PointRecord.Timer] = [], framework: String? = nil, support: String? = nil,
        ends: String? = nil, consents: [String] = [], entitlement: String? = nil,
        confinement: PointRecord.Confinement? = nil, source: String?, path: String?, problems: [String]
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
        self.callLimits = callLimits
        self.framework = framework
        self.support = support
        self.ends = ends
        self.consents = consents
        self.entitlement = entitlement
        self.confinement = confinement
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
        callLimits = try fields.optional(.callLimits) ?? []
        framework = try fields.optional(.framework)
        support = try fields.optional(.support)
        ends = try fields.optional(.ends)
        consents = try fields.optional(.consents) ?? []
        entitlement = try fields.optional(.entitlement)
        confinement = try fields.optional(.confinement)
        source = try fields.optional(.source)
        path = try fields.optional(.path)
        problems = try fields.value(.problems)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.identifier, identifier)
        fields.set(.name, name)
        fields.set(.interface, hasInterface)
        fields.set(.policy, policy)
        if prewarm != 0 { fields.set(.prewarm, prewarm) }
        fields.set(.rules, takesActivationRules)
        fields.set(.timers, timers)
        fields.set(.limits, memoryLimit)
        if !limits.isEmpty { fields.set(.limit, limits) }
        fields.set(.openURL, urlPolicy)
        fields.set(.notification, hostNotifications)
        fields.set(.accepts, accepts)
        fields.set(.sends, sends)
        if !callLimits.isEmpty { fields.set(.callLimits, callLimits) }
        fields.set(.framework, framework)
        fields.set(.support, support)
        fields.set(.ends, ends)
        if !consents.isEmpty { fields.set(.consents, consents) }
        fields.set(.entitlement, entitlement)
        fields.set(.confinement, confinement)
        fields.set(.source, source)
        fields.set(.path, path)
        fields.set(.problems, problems)
    }
}

extension PointRecord {
    /// An enabled timer.
    public struct Timer: Sendable, Hashable, WireStructure {
        /// The name as in `--timer`, or of a call.
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
}

extension PointRecord {
    /// The memory limit of an extension's processes together.
    public struct MemoryLimit: Sendable, Hashable, WireStructure {
        /// The limit in bytes.
        public var bytes: Int
        /// `documented`, `observed` or `guess`.
        public var provenance: String
        /// The source of the fact.
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
}

extension PointRecord {
    /// The deviations of a point from the usual confinement.
    public struct Confinement: Sendable, Hashable, WireStructure {
        /// `entitled` or `none`.
        public var network: String
        /// The containers of app groups: `readWrite` or `readOnly`.
        public var groupContainers: String
        /// The consent that restores the usual confinement.
        public var consent: String?
        /// The attribute of the extension that must be true, too, to restore it.
        public var attribute: String?

        public init(network: String, groupContainers: String, consent: String?, attribute: String?) {
            self.network = network
            self.groupContainers = groupContainers
            self.consent = consent
            self.attribute = attribute
        }

        public init(_ fields: Fields) throws(ProtocolError) {
            network = try fields.value(.network)
            groupContainers = try fields.value(.groupContainers)
            consent = try fields.optional(.consent)
            attribute = try fields.optional(.attribute)
        }

        public func encode(into fields: inout FieldWriter) {
            fields.set(.network, network)
            fields.set(.groupContainers, groupContainers)
            fields.set(.consent, consent)
            fields.set(.attribute, attribute)
        }
    }
}

extension PointRecord {
    /// One limit that a point's file sets.
    public struct Limit: Sendable, Hashable, WireStructure {
        public var name: String
        /// The limit, in the unit of a *limit*.
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
}
