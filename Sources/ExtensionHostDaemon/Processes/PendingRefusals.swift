// PendingRefusals: refusals whose file systems have not answered yet, and what waits for those answers.

import EventLoop

/// Refusals under way, of one process.
///
/// A refused path is reported only if it exists, and a file system may take any time to answer that. So the message of
/// a request's end waits for the answers (`whenSettled`), at most `bound`, however many refusals come meanwhile. A
/// refusal without an answer after `bound` is reported: a path that cannot be looked up is more likely on a mount that
/// hangs than nowhere.
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
    /// The bodies that wait for the refusals under way, the oldest first.
    private var waiting: [Waiter] = []

    private struct Waiter {
        let number: Int
        let body: @HostActor () -> Void
        let deadline: Deadline
    }

    /// - Parameters:
    ///   - clock: measures `bound`. A virtual clock stands still during the lookups, so there each answer is waited
    ///     for.
    ///   - hasUnread: whether refusals have come that are not read yet. They are waited for, too.
    init(_ clock: any HostClock, hasUnread: @escaping @HostActor () -> Bool) { (self.clock, self.hasUnread) = (clock, hasUnread) }

    var count: Int { entries.count }

    private var isSettled: Bool { entries.isEmpty && !hasUnread() }

    /// Adds a refusal.
    ///
    /// - Parameter report: called at most once: on the answer yes, or without an answer after `bound`.
    /// - Returns: what takes the answer. An answer after `bound` changes nothing.
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

    /// Calls `body` once no refusal is under way, after the bodies that wait already: at once as a rule, and after
    /// `bound` at the latest.
    func whenSettled(_ body: @escaping @HostActor () -> Void) {
        if waiting.isEmpty, isSettled { return body() }
        lastNumber += 1
        let number = lastNumber
        let deadline = clock.schedule(after: Self.bound) { [weak self] in self?.call(upTo: number) }
        waiting.append(Waiter(number: number, body: body, deadline: deadline))
    }

    /// New refusals must not keep a body waiting.
    private func call(upTo number: Int) {
        while let first = waiting.first, first.number <= number {
            waiting.removeFirst()
            first.body()
        }
    }

    /// Calls the bodies that wait, if no refusal is under way. To be called after each reading.
    func proceed() {
        while !waiting.isEmpty, isSettled { waiting.removeFirst().body() }
    }
}
