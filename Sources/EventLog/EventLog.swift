// EventLog: all events in one order; every other account of them is a view of this one.

public import EventLoop
public import ExtensionProtocol

/// The user to whom an event belongs, where several users share a daemon.
public enum EventOwner: Sendable, Hashable {
    case everybody
    case user(UInt32)
    /// A user who cannot be named any more: only root sees the event.
    case nobody
}

/// The ordered log, a ring in memory. The journal, watchers, the bus and the exits are views that follow it.
@HostActor
public final class EventLog {
    /// The number of events that are held for `watch --since`.
    public nonisolated static let capacity = 16_384
    /// The maximum bytes of a detail in UTF-8.
    ///
    /// A detail is for people, so a longer one is cut. The limit does not count characters, which have no bound of
    /// their own.
    static let detailLimit = 400

    private let clock: any HostClock
    private var ring: [EventRecord] = []
    /// The owners of the events in the ring; empty where every event is everybody's.
    private var owners: [EventOwner] = []
    /// Returns the owner of each event as it is appended; set before the first one, or never.
    public var owner: (@HostActor (EventRecord) -> EventOwner)?
    private var start = 0
    private var views: [(number: Int, show: @HostActor (EventRecord) -> Void)] = []
    private var lastView = 0
    public private(set) var lastSequence = 0

    public init(clock: any HostClock) { self.clock = clock }

    /// Calls `view` for every event from now on, in order, before `append` returns. Views do not append.
    ///
    /// - Returns: the following, for `unfollow`; a view that stays for good does not need it.
    @discardableResult
    public func follow(_ view: @escaping @HostActor (EventRecord) -> Void) -> Following {
        lastView += 1
        views.append((lastView, view))
        return Following(number: lastView)
    }

    public func unfollow(_ following: Following) { views.removeAll { $0.number == following.number } }

    /// The identity of a view of the log.
    public struct Following: Sendable, Hashable { fileprivate let number: Int }

    /// Adds an event and calls every view.
    ///
    /// - Parameter user: the owner of the event, where the other values do not show it.
    @discardableResult
    public func append(
        _ event: EventName, request: RequestIdentifier? = nil, extensionIdentifier: String? = nil, host: String? = nil,
        pid: Int? = nil, from: String? = nil, to: String? = nil, cause: Cause? = nil, detail: String? = nil,
        of user: UInt32? = nil
    ) -> EventRecord {
        lastSequence += 1
        var detail = detail
        if let long = detail { detail = long.cut(toBytes: Self.detailLimit) }
        let record = EventRecord(
            sequence: lastSequence, time: Int(clock.wallClockNow / 1000), event: event, request: request,
            extensionIdentifier: extensionIdentifier, host: host, pid: pid, from: from, to: to, cause: cause,
            detail: detail)
        // A user's daemon records no owners.
        var whose: EventOwner?
        if let owner { whose = if let user { .user(user) } else { owner(record) } }
        if ring.count < Self.capacity {
            ring.append(record)
            if let whose { owners.append(whose) }
        } else {
            ring[start] = record
            if let whose, !owners.isEmpty { owners[start] = whose }
            start = (start + 1) % Self.capacity
        }
        for view in views { view.show(record) }
        return record
    }

    /// The sequence of the oldest event that is held; of the next event if there is none.
    public var oldestSequence: Int { lastSequence - ring.count + 1 }

    /// Returns at most `limit` held events after `sequence`, oldest first. Any numbers are valid: a watcher's come from
    /// outside.
    public func events(after sequence: Int, limit: Int) -> [EventRecord] {
        guard sequence < lastSequence, limit > 0 else { return [] }
        let first = max(sequence, oldestSequence - 1) + 1
        let count = min(limit, lastSequence - first + 1)
        return (first..<first + count).map { ring[(start + $0 - oldestSequence) % ring.count] }
    }

    /// Returns those of the events for which `isSeen` holds, and the sequence of the last event that it was asked
    /// about, from which to continue.
    public func events(
        after sequence: Int, limit: Int, where isSeen: (EventOwner) -> Bool
    ) -> (events: [EventRecord], last: Int) {
        let asked = events(after: sequence, limit: limit)
        guard let last = asked.last?.sequence else { return ([], sequence) }
        guard !owners.isEmpty else { return (asked, last) }
        return (asked.filter { isSeen(owners[(start + $0.sequence - oldestSequence) % ring.count]) }, last)
    }
}
