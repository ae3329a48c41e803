// ControlMessages: questions about the daemon and orders to it, from hosts and control clients.

/// A host moves its own state; answered once every announcement on the way has been made.
public struct SetState: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.setState
    public var state: HostStateName
    public init(state: HostStateName) { self.state = state }
    public init(_ fields: Fields) throws(ProtocolError) { state = try fields.value(.state) }
    public func encode(into fields: inout FieldWriter) { fields.set(.state, state) }
}

/// A control client moves a connected host's state.
public struct SetHostState: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.setHostState
    public var host: String
    public var state: HostStateName

    public init(host: String, state: HostStateName) {
        self.host = host
        self.state = state
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        host = try fields.value(.host)
        state = try fields.value(.state)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.host, host)
        fields.set(.state, state)
    }
}

/// A page of a list: `offset` is where it starts. Lists are paged so that any number of entries fits into packets.
public struct ListExtensions: RequestMessage {
    public typealias Response = Page<ExtensionRecord>
    public static let kind = MessageKind.listExtensions
    public var offset: Int
    /// `key` or `key=value`; all must hold (spec 2.3).
    public var criteria: [String]
    /// One copy of each version, not of the highest only.
    public var allVersions: Bool
    /// Every copy, disabled bundles too.
    public var allCopies: Bool
    /// Warnings of app groups, too, for which files of each bundle are read.
    public var groups: Bool

    public init(
        offset: Int = 0, criteria: [String] = [], allVersions: Bool = false, allCopies: Bool = false, groups: Bool = false
    ) {
        self.groups = groups
        self.offset = offset
        self.criteria = criteria
        self.allVersions = allVersions
        self.allCopies = allCopies
    }

    /// A daemon that does not reduce would answer another question; one that does not know `groups` only warns of less.
    public var since: ProtocolVersion { criteria.isEmpty && !allVersions && !allCopies ? .lowest : .withRegistry }

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

public struct ListProcesses: RequestMessage {
    public typealias Response = Page<ProcessRecord>
    public static let kind = MessageKind.listProcesses
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

public struct ListHosts: RequestMessage {
    public typealias Response = Page<HostRecord>
    public static let kind = MessageKind.listHosts
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

public struct ListRequests: RequestMessage {
    public typealias Response = Page<RequestRecord>
    public static let kind = MessageKind.listRequests
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

public struct ListExits: RequestMessage {
    public typealias Response = Page<DeathRecord>
    public static let kind = MessageKind.listExits
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

/// An entry of a list, with the kind of packet that carries a page of it.
public protocol ListEntry: WireStructure {
    static var pageKind: MessageKind { get }
}

/// Entries `offset ..< offset + entries.count` of `count`.
public struct Page<Entry: ListEntry>: Message {
    public static var kind: MessageKind { Entry.pageKind }
    public var entries: [Entry]
    public var offset: Int
    public var count: Int

    public init(entries: [Entry], offset: Int, count: Int) {
        self.entries = entries
        self.offset = offset
        self.count = count
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        entries = try fields.value(.items)
        offset = try fields.value(.offset)
        count = try fields.value(.count)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.items, entries)
        fields.set(.offset, offset)
        fields.set(.count, count)
    }
}

/// Starts the stream of `event` packets: what the ring holds after `since`, then, with `follow`, what comes.
/// Answered by `success` when what the ring held has been sent.
public struct Watch: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.watch
    /// nil: only what comes.
    public var since: Int?
    public var follow: Bool

    public init(since: Int?, follow: Bool) {
        self.since = since
        self.follow = follow
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        since = try fields.optional(.since)
        follow = try fields.value(.follow)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.since, since)
        fields.set(.follow, follow)
    }
}

/// Some events of the log in order. `oldest` is set when the ring had moved on: events before it are lost to this watcher.
public struct EventBatch: Message {
    public static let kind = MessageKind.event
    public var events: [EventRecord]
    public var oldest: Int?

    public init(events: [EventRecord], oldest: Int? = nil) {
        self.events = events
        self.oldest = oldest
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        events = try fields.value(.events)
        oldest = try fields.optional(.oldest)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.events, events)
        fields.set(.oldest, oldest)
    }
}

/// Moves a virtual clock; answered when every timer that became due has been handled.
public struct AdvanceClock: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.advanceClock
    /// Seconds.
    public var delay: Double
    public init(delay: Double) { self.delay = delay }
    public init(_ fields: Fields) throws(ProtocolError) { delay = try fields.value(.delay) }
    public func encode(into fields: inout FieldWriter) { fields.set(.delay, delay) }
}
