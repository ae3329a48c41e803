// Deadline: a call that is scheduled for a time; DeadlineQueue: all such calls, the next one first.

/// A scheduled call.
///
/// `cancel` or the release of the last reference cancels the call, whichever comes first. A reference may be dropped on
/// any thread.
@HostActor
public final class Deadline {
    /// The instant when the call is due, on its clock's scale (`HostClock.now`).
    public let instant: UInt64

    private let entry: DeadlineQueue.Entry
    private weak var queue: DeadlineQueue?

    fileprivate init(_ entry: DeadlineQueue.Entry, in queue: DeadlineQueue) {
        instant = entry.instant
        self.entry = entry
        self.queue = queue
    }

    isolated deinit { queue?.remove(entry) }

    /// Whether the call is still to come.
    public var isPending: Bool { entry.position != nil }

    /// Cancels the call: the handler is not called after this returns. Idempotent.
    public func cancel() { queue?.remove(entry) }
}

/// A binary heap ordered by (instant, sequence). Adding, removing anywhere and taking the first cost O(log n).
@HostActor
final class DeadlineQueue {
    final class Entry {
        let instant: UInt64
        let sequence: UInt64
        fileprivate var handler: (@HostActor () -> Void)?
        /// The position of the entry in the heap; nil once it has been taken or removed.
        @HostActor fileprivate(set) var position: Int?

        fileprivate init(instant: UInt64, sequence: UInt64, handler: @escaping @HostActor () -> Void) {
            self.instant = instant
            self.sequence = sequence
            self.handler = handler
        }

        fileprivate func precedes(_ other: Entry) -> Bool { (instant, sequence) < (other.instant, other.sequence) }
    }

    private var heap: [Entry] = []
    private var nextSequence: UInt64 = 0
    /// The callback for each change of the first instant.
    var firstChanged: (@HostActor () -> Void)?

    var first: UInt64? { heap.first?.instant }
    var count: Int { heap.count }

    func add(at instant: UInt64, _ handler: @escaping @HostActor () -> Void) -> Deadline {
        let entry = Entry(instant: instant, sequence: nextSequence, handler: handler)
        nextSequence += 1
        noticingFirst {
            entry.position = heap.count
            heap.append(entry)
            rise(from: heap.count - 1)
        }
        return Deadline(entry, in: self)
    }

    /// Removes the first entry that is due at `instant`, and returns its handler for the caller to call.
    func takeDue(at instant: UInt64) -> (@HostActor () -> Void)? {
        guard let entry = heap.first, entry.instant <= instant else { return nil }
        let handler = entry.handler
        remove(entry)
        return handler
    }

    func remove(_ entry: Entry) {
        guard let position = entry.position else { return }
        noticingFirst {
            let last = heap.count - 1
            if position != last { exchange(position, last) }
            heap.removeLast()
            entry.position = nil
            // A handler may capture much, so it is released even if somebody holds the deadline.
            entry.handler = nil
            guard position != last else { return }
            rise(from: position)
            sink(from: position)
        }
    }

    private func noticingFirst(_ change: () -> Void) {
        let before = first
        change()
        if first != before { firstChanged?() }
    }

    private func rise(from start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard heap[position].precedes(heap[parent]) else { return }
            exchange(position, parent)
            position = parent
        }
    }

    private func sink(from start: Int) {
        var position = start
        while true {
            var least = position
            for child in [2 * position + 1, 2 * position + 2]
            where child < heap.count && heap[child].precedes(heap[least]) {
                least = child
            }
            guard least != position else { return }
            exchange(position, least)
            position = least
        }
    }

    private func exchange(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        heap[one].position = one
        heap[other].position = other
    }
}
