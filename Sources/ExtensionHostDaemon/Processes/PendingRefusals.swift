// PendingRefusals: the refusals whose file systems have not answered yet, and the functions that wait for them.

import EventLoop

/// The pending refusals of one process.
///
/// A refused path is reported only if it exists, and a file system may take any time to answer that. So the message of
/// a request's end waits for the answers (`whenSettled`), at most `bound`, however many refusals come meanwhile. A
/// refusal without an answer after `bound` is reported: its path is more likely on a mount that hangs than missing.
@HostActor
final class PendingRefusals {
    /// The longest wait, of a refusal for its answer and of a body for the refusals.
    nonisolated static let bound = Duration.milliseconds(250)

    private struct Entry {
        let report: @HostActor () -> Void
        let deadline: Deadline
    }

    private let clock: any HostClock
    private let hasUnread: @HostActor () -> Bool
    private var entries: [Int: Entry] = [:]
    private var lastNumber = 0
    /// The bodies that wait for the pending refusals, the oldest first.
    private var waiting: [Waiter] = []

    private struct Waiter {
        let number: Int
        let body: @HostActor () -> Void
        let deadline: Deadline
    }

    /// Makes an empty collection.
    ///
    /// - Parameters:
    ///   - clock: the clock that measures `bound`. A virtual clock does not advance during the lookups, so there each
    ///     answer is awaited.
    ///   - hasUnread: returns whether refusals have arrived that are not read yet. Bodies wait for them, too.
    init(_ clock: any HostClock, hasUnread: @escaping @HostActor () -> Bool) {
        (self.clock, self.hasUnread) = (clock, hasUnread)
    }

    var count: Int { entries.count }

    private var isSettled: Bool { entries.isEmpty && !hasUnread() }

    /// Adds a refusal.
    ///
    /// - Parameter report: called at most once: on the answer yes, or without an answer after `bound`.
    /// - Returns: the function that takes the answer. An answer after `bound` changes nothing.
    func add(_ report: @escaping @HostActor () -> Void) -> @HostActor (Bool) -> Void {
        lastNumber += 1
        let number = lastNumber
        let answer: @HostActor (Bool) -> Void = { [weak self] in self?.answer(number, $0) }
        entries[number] = Entry(report: report, deadline: clock.schedule(after: Self.bound) { answer(true) })
        return answer
    }

    private func answer(_ number: Int, _ isWorthReporting: Bool) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        if isWorthReporting { entry.report() }
        proceed()
    }

    /// Calls `body` once no refusal is pending, after the bodies that wait already: at once as a rule, and after
    /// `bound` at the latest.
    func whenSettled(_ body: @escaping @HostActor () -> Void) {
        if waiting.isEmpty, isSettled { return body() }
        lastNumber += 1
        let number = lastNumber
        let deadline = clock.schedule(after: Self.bound) { [weak self] in self?.call(upTo: number) }
        waiting.append(Waiter(number: number, body: body, deadline: deadline))
    }

    /// Calls the bodies up to a number, whose wait is over: new refusals must not delay a body further.
    private func call(upTo number: Int) {
        while let first = waiting.first, first.number <= number {
            waiting.removeFirst()
            first.body()
        }
    }

    /// Calls the bodies that wait, if no refusal is pending. To be called after each reading.
    func proceed() {
        while !waiting.isEmpty, isSettled { waiting.removeFirst().body() }
    }
}
