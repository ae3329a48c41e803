// DescriptorSet: the descriptors of usual priority that the loop watches, in an epoll set of their own inside of sd-event's.

internal import CSystemd
internal import Glibc
internal import LinuxSystem

/// sd-event serves one event of each wait, and every wait asks all descriptors that are ready: of a hundred busy ones, each costs a hundred.
/// This set is one descriptor to sd-event; what is ready in it is taken many at a time, and served one after the other.
///
/// Level-triggered and in turn: who was served goes behind those who were ready with it (epoll(7)).
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

        fileprivate init(
            _ descriptor: Int32, _ events: IOEvents, _ name: UInt64, _ handler: @escaping @HostActor (IOEvents) -> Void
        ) {
            (self.descriptor, self.events, self.name, self.handler) = (descriptor, events, name, handler)
        }
    }

    /// How many are taken at once, and served before sd-event's other sources are looked at.
    private static let batch = 16

    let descriptor: Int32
    private var entries: [UInt64: Entry] = [:]
    private var lastName: UInt64 = 0
    private let ready: UnsafeMutableBufferPointer<epoll_event> = .allocate(capacity: batch)
    private var position = 0
    private var count = 0

    init() throws(LoopError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .call(SystemError("epoll_create1")) }
    }

    isolated deinit {
        close(descriptor)
        ready.deallocate()
    }

    /// Whether some that were ready have not been served.
    var hasReady: Bool { position < count }

    /// Takes those that are ready, as far as they are one batch.
    func take() {
        guard !hasReady else { return }
        // An error is a signal's: sd-event says again that there is something.
        (position, count) = (0, max(0, Int(epoll_wait(descriptor, ready.baseAddress, Int32(ready.count), 0))))
    }

    /// Calls the handler of the next one.
    func serveNext() {
        let event = ready[position]
        position += 1
        entries[event.data.u64]?.handler?(IOEvents(rawValue: event.events))
    }

    // MARK: Entries

    func add(
        _ descriptor: Int32, _ events: IOEvents, _ handler: @escaping @HostActor (IOEvents) -> Void
    ) throws(LoopError) -> Entry {
        let entry = Entry(descriptor, events, nextName, handler)
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
        entries[entry.name] = nil
        try? control(EPOLL_CTL_DEL, entry)
    }

    private func change(_ entry: Entry) throws(LoopError) {
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
