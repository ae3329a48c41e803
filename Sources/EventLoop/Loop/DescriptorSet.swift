// DescriptorSet: the descriptors of usual priority that the loop watches, in an epoll set of their own inside of
// sd-event's.

internal import CSystemd
internal import Glibc
internal import LinuxSystem

/// An epoll set that is one descriptor to sd-event.
///
/// sd-event serves one event of each wait, and every wait asks all descriptors that are ready: of a hundred busy ones,
/// each costs a hundred. This set takes many ready descriptors at a time, and serves them one after the other.
///
/// Descriptors are level-triggered and take turns by shares (`TurnShare`): those of one process have as many turns
/// together as those of another process. A round serves the descriptors that were ready at its begin, within its
/// limits. The others keep their place for the next round, which begins with another poll.
@HostActor
final class DescriptorSet {
    /// The state of one descriptor. Its handler may cancel it, and others that are ready.
    final class Entry {
        fileprivate let descriptor: Int32
        @HostActor fileprivate var events: IOEvents
        @HostActor fileprivate var handler: (@HostActor (IOEvents) -> Void)?
        @HostActor fileprivate var isEnabled = true
        /// The name in the kernel's set: a number that is not used again, so that an event from before a change finds
        /// no entry.
        @HostActor fileprivate var name: UInt64
        /// The events with which the descriptor waits for its turn; empty once its events have changed.
        @HostActor fileprivate var pending: IOEvents = []
        @HostActor fileprivate var turn: TurnShare?
        /// The number of the last poll of the set that found the descriptor ready.
        @HostActor fileprivate var lastLook: UInt64 = 0
        /// The number of the descriptor's last turn among those of the set.
        @HostActor fileprivate var lastTurn: UInt64 = 0

        fileprivate init(
            _ descriptor: Int32, _ events: IOEvents, _ name: UInt64, _ handler: @escaping @HostActor (IOEvents) -> Void
        ) {
            (self.descriptor, self.events, self.name, self.handler) = (descriptor, events, name, handler)
        }
    }

    /// The limits of one round: its turns, and its time. Then the loop polls sd-event's other sources, and the
    /// descriptors that have become ready meanwhile.
    private static let turnsPerRound = 16
    private static let longestRound: UInt64 = 500_000
    /// The maximum number of events that one call takes.
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

    /// Whether the round continues.
    var hasReady: Bool { turnsLeft > 0 }

    /// Begins a round: polls all descriptors.
    ///
    /// The kernel reports those that are ready in rotation, so a process that has many ready descriptors hides nobody
    /// else's (epoll_wait(2)).
    func take() {
        guard !hasReady else { return }
        var (count, seen) = (0, 0)
        var (still, new): ([Entry], [Entry]) = ([], [])
        looks += 1
        repeat {
            // A signal causes the error: sd-event reports the set again.
            count = max(0, Int(epoll_wait(descriptor, ready.baseAddress, Int32(ready.count), 0)))
            seen += count
            for event in ready[..<count] {
                guard let entry = entries[event.data.u64] else { continue }
                // Descriptors that wait already keep their place.
                if entry.pending.isEmpty {
                    if entry.lastLook + 1 == looks { still.append(entry) } else { new.append(entry) }
                }
                entry.lastLook = looks
                entry.pending = IOEvents(rawValue: event.events)
            }
        } while count == ready.count && seen < entries.count
        // Descriptors that stay ready are served in the order of their last turns: after several calls the kernel's
        // order differs. The others follow in the order in which they became ready: the daemon reads first what was
        // sent first.
        still.sort { $0.lastTurn < $1.lastTurn }
        for entry in still + new { entry.turn?.wait(in: root) }
        turnsLeft = root.hasWaiting ? Self.turnsPerRound : 0
        endOfRound = MonotonicTime.now + Self.longestRound
    }

    /// Calls the handler of the next descriptor.
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
        _ descriptor: Int32, _ events: IOEvents, in share: TurnShare?,
        _ handler: @escaping @HostActor (IOEvents) -> Void
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

    /// Enables or disables a descriptor. A disabled one reports nothing, not even a hang-up.
    ///
    /// It stays in the kernel's set, which may have no room for it later. It is one-shot there: an event that the
    /// kernel always reports comes once, and finds no entry.
    func setEnabled(_ isEnabled: Bool, of entry: Entry) {
        guard entry.handler != nil, isEnabled != entry.isEnabled else { return }
        entry.isEnabled = isEnabled
        // The call fails for misuse only (epoll_ctl(2)).
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
        guard epoll_ctl(descriptor, operation, entry.descriptor, &event) == 0 else {
            throw .call(SystemError("epoll_ctl"))
        }
    }
}
