// ListMessages: lists of the daemon, page by page, and their entries.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Lists the extensions of the registry: the copies for which all criteria hold (section 6.4).
///
/// Client → daemon; answered by `extensions`.
public struct ListExtensions: RequestMessage {
    public typealias Response = Page<ExtensionRecord>
    public static let kind = MessageKind.listExtensions
    public var offset: Int
    /// The criteria, each `KEY` or `KEY=VALUE`. All must hold (spec 2.3).
    public var criteria: [String]
    /// Whether to list one copy of each version, not only of the highest.
    public var allVersions: Bool
    /// Whether to list every copy, disabled bundles too.
    public var allCopies: Bool
    /// Whether `warnings` include app groups. The daemon then reads files of each bundle.
    public var groups: Bool

    public init(
        offset: Int = 0, criteria: [String] = [], allVersions: Bool = false, allCopies: Bool = false,
        groups: Bool = false
    ) {
        self.offset = offset
        self.criteria = criteria
        self.allVersions = allVersions
        self.allCopies = allCopies
        self.groups = groups
    }

    /// An older peer would pass over the keys that it does not know, and do something else.
    public var since: ProtocolVersion {
        !criteria.isEmpty || allVersions || allCopies ? ProtocolVersion(major: 1, minor: 1) : Self.kind.since
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        offset = try fields.optional(.offset) ?? 0
        criteria = try fields.optional(.criteria) ?? []
        allVersions = try fields.optional(.allVersions) ?? false
        allCopies = try fields.optional(.allCopies) ?? false
        groups = try fields.optional(.groups) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.offset, offset)
        if !criteria.isEmpty { fields.set(.criteria, criteria) }
        if allVersions { fields.set(.allVersions, allVersions) }
        if allCopies { fields.set(.allCopies, allCopies) }
        if groups { fields.set(.groups, groups) }
    }
}

/// Lists the processes of extensions and apps.
///
/// Client → daemon; answered by `processes`.
public struct ListProcesses: RequestMessage {
    public typealias Response = Page<ProcessRecord>
    public static let kind = MessageKind.listProcesses
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

/// Lists the connected hosts.
///
/// Client → daemon; answered by `hosts`.
public struct ListHosts: RequestMessage {
    public typealias Response = Page<HostRecord>
    public static let kind = MessageKind.listHosts
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

/// Lists the processes that have ended.
///
/// Client → daemon; answered by `exits`.
public struct ListExits: RequestMessage {
    public typealias Response = Page<DeathRecord>
    public static let kind = MessageKind.listExits
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

/// Lists the open requests.
///
/// Client → daemon; answered by `requests`.
public struct ListRequests: RequestMessage {
    public typealias Response = Page<RequestRecord>
    public static let kind = MessageKind.listRequests
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

/// The user's decision about an extension, for all of its copies (spec 2.3).
public enum Election: String, Sendable, Hashable, CaseIterable, WireValue {
    /// The daemon uses it.
    case use
    /// The daemon does not offer it, and refuses a request for it.
    case ignore
    /// The user has decided nothing.
    case `default`
}

/// The rule by which the daemon uses a copy of an extension, or does not.
public enum ReductionRule: String, Sendable, Hashable, CaseIterable, OpenEnumeration {
    /// No other copy is usable.
    case onlyCopy
    /// The copy alone has the highest version.
    case highestVersion
    /// The copy is the last registered one of the highest version.
    case lastRegistered
    /// Another copy has a higher version.
    case lowerVersion
    /// Another copy of the same version was registered later.
    case registeredEarlier
    /// The copy has faults.
    case disabled
    /// A newer peer named something else.
    case unrecognized
}

/// A bundle that the registry found: a copy of an extension, or a bundle that its faults disable.
public struct ExtensionRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.extensions
    /// The path of the bundle replaces an identifier that cannot be read.
    public var identifier: String
    public var version: String
    public var shortVersion: String
    public var point: String
    public var path: String
    public var containingApp: String?
    public var displayName: String
    /// The faults that disable the bundle. Empty for a usable one.
    public var problems: [String]
    /// The bundle name, `CFBundleName`.
    public var shortName: String?
    /// The display name of the containing app.
    public var parentName: String?
    /// The user's decision about the identifier.
    public var election: Election
    /// The mark of `pluginkit`: one of ` +-!=?` (section 6.4).
    public var prefix: String
    /// The rule by which the daemon uses this copy, or does not (section 6.4). A copy with problems is `disabled` if
    /// the key is absent.
    public var rule: ReductionRule
    /// Identifies the registration.
    public var uuid: String
    /// Microseconds since 1970.
    public var registered: Int
    /// Faults that disable nothing.
    public var warnings: [String]

    public init(
        identifier: String, version: String, shortVersion: String, point: String, path: String,
        containingApp: String?, displayName: String, problems: [String], shortName: String? = nil,
        parentName: String? = nil, election: Election = .default, prefix: String = " ",
        rule: ReductionRule = .onlyCopy, uuid: String = "", registered: Int = 0, warnings: [String] = []
    ) {
        self.identifier = identifier
        self.version = version
        self.shortVersion = shortVersion
        self.point = point
        self.path = path
        self.containingApp = containingApp
        self.displayName = displayName
        self.problems = problems
        self.shortName = shortName
        self.parentName = parentName
        self.election = election
        self.prefix = prefix
        self.rule = rule
        self.uuid = uuid
        self.registered = registered
        self.warnings = warnings
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        identifier = try fields.value(.identifier)
        version = try fields.value(.version)
        shortVersion = try fields.value(.shortVersion)
        point = try fields.value(.point)
        path = try fields.value(.path)
        containingApp = try fields.optional(.containingApp)
        displayName = try fields.value(.displayName)
        problems = try fields.value(.problems)
        shortName = try fields.optional(.shortName)
        parentName = try fields.optional(.parentName)
        election = try fields.optional(.election) ?? .default
        prefix = try fields.optional(.prefix) ?? " "
        rule = try fields.optional(.rule) ?? (problems.isEmpty ? .onlyCopy : .disabled)
        uuid = try fields.optional(.uuid) ?? ""
        registered = try fields.optional(.registeredAt) ?? 0
        warnings = try fields.optional(.warnings) ?? []
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.identifier, identifier)
        fields.set(.version, version)
        fields.set(.shortVersion, shortVersion)
        fields.set(.point, point)
        fields.set(.path, path)
        fields.set(.containingApp, containingApp)
        fields.set(.displayName, displayName)
        fields.set(.problems, problems)
        fields.set(.shortName, shortName)
        fields.set(.parentName, parentName)
        fields.set(.election, election)
        fields.set(.prefix, prefix)
        fields.set(.rule, rule)
        fields.set(.uuid, uuid)
        fields.set(.registeredAt, registered)
        if !warnings.isEmpty { fields.set(.warnings, warnings) }
    }
}

/// A running extension or app.
public struct ProcessRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.processes
    public var extensionIdentifier: String
    public var pid: Int
    public var state: String
    public var requests: [RequestIdentifier]
    /// Microseconds since 1970.
    public var started: Int
    /// Current resident bytes. Absent while the process exits.
    public var memory: Int?
    /// The layers of confinement of the process, as on the bus.
    public var sandbox: String?
    /// `app` for an app, `service` for the program of a service. Absent for an extension.
    public var kind: String?

    public init(
        extensionIdentifier: String, pid: Int, state: String, requests: [RequestIdentifier], started: Int,
        memory: Int?, sandbox: String? = nil, kind: String? = nil
    ) {
        self.extensionIdentifier = extensionIdentifier
        self.pid = pid
        self.state = state
        self.requests = requests
        self.started = started
        self.memory = memory
        self.sandbox = sandbox
        self.kind = kind
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        extensionIdentifier = try fields.value(.extension)
        pid = try fields.value(.pid)
        state = try fields.value(.state)
        requests = try fields.value(.requests)
        started = try fields.value(.started)
        memory = try fields.optional(.memory)
        sandbox = try fields.optional(.sandbox)
        kind = try fields.optional(.kind)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, extensionIdentifier)
        fields.set(.pid, pid)
        fields.set(.state, state)
        fields.set(.requests, requests)
        fields.set(.started, started)
        fields.set(.memory, memory)
        fields.set(.sandbox, sandbox)
        fields.set(.kind, kind)
    }
}

/// A connected host application.
public struct HostRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.hosts
    public var host: String
    /// The user's number.
    public var user: Int
    public var pid: Int
    public var state: HostStateName
    /// The sequence of its last change of state, or of its connection if there was none.
    public var sequence: Int
    public var requests: [RequestIdentifier]

    public init(host: String, user: Int, pid: Int, state: HostStateName, sequence: Int, requests: [RequestIdentifier]) {
        self.host = host
        self.user = user
        self.pid = pid
        self.state = state
        self.sequence = sequence
        self.requests = requests
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        host = try fields.value(.host)
        user = try fields.value(.user)
        pid = try fields.value(.pid)
        state = try fields.value(.state)
        sequence = try fields.value(.sequence)
        requests = try fields.value(.requests)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.host, host)
        fields.set(.user, user)
        fields.set(.pid, pid)
        fields.set(.state, state)
        fields.set(.sequence, sequence)
        fields.set(.requests, requests)
    }
}

/// An open request.
public struct RequestRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.requests
    public var request: RequestIdentifier
    public var extensionIdentifier: String
    public var host: String
    public var pid: Int?
    public var state: String
    /// Microseconds since 1970.
    public var began: Int

    public init(
        request: RequestIdentifier, extensionIdentifier: String, host: String, pid: Int?, state: String, began: Int
    ) {
        self.request = request
        self.extensionIdentifier = extensionIdentifier
        self.host = host
        self.pid = pid
        self.state = state
        self.began = began
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        extensionIdentifier = try fields.value(.extension)
        host = try fields.value(.host)
        pid = try fields.optional(.pid)
        state = try fields.value(.state)
        began = try fields.value(.began)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.extension, extensionIdentifier)
        fields.set(.host, host)
        fields.set(.pid, pid)
        fields.set(.state, state)
        fields.set(.began, began)
    }
}

/// A process that has ended, with the cause.
public struct DeathRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.exits
    public var extensionIdentifier: String
    public var pid: Int
    public var exit: ExitRecord
    /// `extension`, `daemon`, `host`, `operator` or `system`.
    public var decidedBy: String
    /// The requests that were open.
    public var requests: [RequestIdentifier]
    /// At most 16 loads that had not been answered.
    public var loads: [LoadRecord]
    /// The number of bytes in the payload that are the end of standard error, at most 65,536. A page has it in place of
    /// `stderrTail`.
    public var tail: Int?
    /// The end of standard error.
    public var stderrTail: String
    /// Microseconds since 1970.
    public var time: Int

    public init(
        extensionIdentifier: String, pid: Int, exit: ExitRecord, decidedBy: String, requests: [RequestIdentifier],
        loads: [LoadRecord] = [], stderrTail: String, tail: Int? = nil, time: Int
    ) {
        self.extensionIdentifier = extensionIdentifier
        self.pid = pid
        self.exit = exit
        self.decidedBy = decidedBy
        self.requests = requests
        self.loads = loads
        self.tail = tail
        self.stderrTail = stderrTail
        self.time = time
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        extensionIdentifier = try fields.value(.extension)
        pid = try fields.value(.pid)
        exit = try fields.value(.exit)
        decidedBy = try fields.value(.decidedBy)
        requests = try fields.value(.requests)
        loads = try fields.optional(.loads) ?? []
        tail = try fields.optional(.tail)
        stderrTail = try fields.optional(.stderrTail) ?? ""
        time = try fields.value(.time)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, extensionIdentifier)
        fields.set(.pid, pid)
        fields.set(.exit, exit)
        fields.set(.decidedBy, decidedBy)
        fields.set(.requests, requests)
        if !loads.isEmpty { fields.set(.loads, loads) }
        fields.set(.tail, tail)
        if tail == nil { fields.set(.stderrTail, stderrTail) }
        fields.set(.time, time)
    }
}
