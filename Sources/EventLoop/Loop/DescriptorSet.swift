// DescriptorSet: the descriptors of usual priority that the loop watches, in an epoll set of their own inside of sd-event's.

internal import CSystemd
internal import Glibc
internal import LinuxSystem

/// sd-event serves one event of each wait, and every wait asks all descriptors that are ready: of a hundred busy ones, each costs a hundred.
/// This set is one descriptor to sd-event; what is ready in it is taken many at a time, and served one after the other.
///
/// Level-triggered and in turn, by shares (`TurnShare`): the descriptors of one process have as many turns together as
/// one of another process. A round serves what was ready at its begin, as far as its bounds go; what is left keeps its
/// place for the next round, which begins with a look at what has become ready meanwhile.
@HostActor
final class DescriptorSet {
    /// Of one descriptor. Its handler may cancel it, and others that are ready.
    final class Entry {
        fileprivate let descriptor: Int32
        @HostActor fileprivate var events: IOEvents
        @HostActor fileprivate var handler: (@HostActor (IOEvents) -> Void)?
        @HostActor fileprivate var isEnabled = true
        /// Names it in the kernel's set: a number that is not used again, so that an event that was taken before a change finds nobody.
        @HostActor fileprivate var name: UInt64
        /// What it waits for its turn with; nothing once its events have changed.
        @HostActor fileprivate var pending: IOEvents = []
        @HostActor fileprivate var turn: TurnShare?
        /// Counts looks of the set: the last one that found it ready.
        @HostActor fileprivate var lastLook: UInt64 = 0
        /// Counts turns of the set: that of its last one.
        @HostActor fileprivate var lastTurn: UInt64 = 0

        fileprivate init(
            _ descriptor: Int32, _ events: IOEvents, _ name: UInt64, _ handler: @escaping @HostActor (IOEvents) -> Void
        ) {
            (self.descriptor, self.events, self.name, self.handler) = (descriptor, events, name, handler)
        }
    }

    /// Turns of one round, and how long it may take: then sd-event's other sources are looked at, and who else has
    /// become ready.
    private static let turnsPerRound = 16
    private static let longestRound: UInt64 = 500_000
    /// How many are taken with one call.
    private static let batch = 64

    let descriptor: Int32
    private var entries: [UInt64: Entry] = [:]
    private var lastName: UInt64 = 0
    private let ready: UnsafeMutableBufferPointer<epoll_event> = .allocate(capacity: batch)
    /// The level above users, and of descriptors that belong to nobody.
    private let root = TurnShare()
    private var turns: UInt64 = 0
    private var looks: UInt64 = 1
    private var turnsLeft = 0
    private var endOfRound: UInt64 = 0

    init() throws(LoopError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .call(SystemError("epoll_create1")) }
    }

    isolated deinit {
        close(descriptor)
        ready.deallocate()
    }

    /// Whether the round goes on.
    var hasReady: Bool { turnsLeft > 0 }

    /// Begins a round: looks at everything that is ready. The kernel tells those that are ready in rotation, so one
    /// that has many ready descriptors hides nobody else's (epoll_wait(2)).
    func take() {
        guard !hasReady else { return }
        var (count, seen) = (0, 0)
        var (still, new): ([Entry], [Entry]) = ([], [])
        looks += 1
        repeat {
            // An error is a signal's: sd-event says again that there is something.
            count = max(0, Int(epoll_wait(descriptor, ready.baseAddress, Int32(ready.count), 0)))
            seen += count
            for event in ready[..<count] {
                guard let entry = entries[event.data.u64] else { continue }
                // Those that wait already keep their place.
                if entry.pending.isEmpty {
                    if entry.lastLook + 1 == looks { still.append(entry) } else { new.append(entry) }
                }
                entry.lastLook = looks
                entry.pending = IOEvents(rawValue: event.events)
            }
        } while count == ready.count && seen < entries.count
        // Descriptors that stay ready are served in the order of their last turns: after several calls the kernel's order differs.
        // The others come behind them, in the order in which they became ready: the daemon reads first what was sent first.
        still.sort { $0.lastTurn < $1.lastTurn }
        for entry in still + new { entry.turn?.wait(in: root) }
        turnsLeft = root.hasWaiting ? Self.turnsPerRound : 0
        endOfRound = MonotonicTime.now + Self.longestRound
    }

    /// Calls the handler of the next one.
    func serveNext() {
        turnsLeft -= 1
        turns += 1
        if let entry = root.takeNext()?.entry, !entry.pending.isEmpty {
            let events = entry.pending
            (entry.pending, entry.lastTurn) = ([], turns)
            entry.handler?(events)
        }
        if !root.hasWaiting || MonotonicTime.now >= endOfRound { turnsLeft = 0 }
    }

    // MARK: Entries

    func add(
        _ descriptor: Int32, _ events: IOEvents, in share: TurnShare?, _ handler: @escaping @HostActor (IOEvents) -> Void
    ) throws(LoopError) -> Entry {
        let entry = Entry(descriptor, events, nextName, handler)
        entry.turn = TurnShare(of: entry, within: share)
        try control(EPOLL_CTL_ADD, entry)
        entries[entry.name] = entry
        return entry
    }

    func setEvents(_ events: IOEvents, of entry: Entry) throws(LoopError) {
        guard entry.handler != nil, events != entry.events else { return }
        entry.events = events
        if entry.isEnabled { try change(entry) }
    }

    /// Nothing of one that is not enabled is told, not even a hang-up. It stays in the kernel's set, which may have no room for it later: of what it
    /// cannot but report, one that fires once says it once, to nobody.
    func setEnabled(_ isEnabled: Bool, of entry: Entry) {
        guard entry.handler != nil, isEnabled != entry.isEnabled else { return }
        entry.isEnabled = isEnabled
        // Fails for misuse only (epoll_ctl(2)).
        do { try change(entry) } catch { preconditionFailure("\(error)") }
    }

    func isEnabled(_ entry: Entry) -> Bool { entry.handler != nil && entry.isEnabled }

    func remove(_ entry: Entry) {
        guard entry.handler != nil else { return }
        entry.handler = nil
        entry.pending = []
        entries[entry.name] = nil
        try? control(EPOLL_CTL_DEL, entry)
    }

    private func change(_ entry: Entry) throws(LoopError) {
        entry.pending = []
        entries[entry.name] = nil
        entry.name = nextName
        if entry.isEnabled { entries[entry.name] = entry }
        try control(EPOLL_CTL_MOD, entry)
    }

    private var nextName: UInt64 {
        lastName += 1
        return lastName
    }

    private func control(_ operation: Int32, _ entry: Entry) throws(LoopError) {
        let events = entry.isEnabled ? entry.events.rawValue : EPOLLONESHOT.rawValue
        var event = epoll_event(events: events, data: epoll_data_t(u64: entry.name))
        guard epoll_ctl(descriptor, operation, entry.descriptor, &event) == 0 else { throw .call(SystemError("epoll_ctl")) }
    }
}
