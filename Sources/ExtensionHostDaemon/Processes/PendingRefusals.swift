// PendingRefusals: refusals whose file systems have not answered yet, and what waits for those answers.

import EventLoop

/// Refusals under way, of one process.
///
/// A refused path is reported only if it exists, and a file system may take any time to answer that. So the message of a request's
/// end waits for the answers (`whenSettled`), at most `bound`. A refusal without an answer by then is reported: a path that cannot be looked up is more
/// likely on a mount that hangs than nowhere.
@HostActor
final class PendingRefusals {
    /// How long one answer is waited for.
    nonisolated static let bound = Duration.milliseconds(250)

    private struct Entry {
        let report: @HostActor () -> Void
        let deadline: Deadline
    }

    private let clock: any HostClock
    private let hasUnread: @HostActor () -> Bool
    private var entries: [Int: Entry] = [:]
    private var lastNumber = 0
    /// What waits for the refusals under way, in the order in which it came.
    private var waiting: [@HostActor () -> Void] = []

    /// - Parameters:
    ///   - clock: measures `bound`. A virtual clock stands still during the lookups, so there each answer is waited for.
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

    /// Calls `body` once no refusal is under way, behind what waits already: at once as a rule.
    func whenSettled(_ body: @escaping @HostActor () -> Void) {
        if waiting.isEmpty, isSettled { return body() }
        waiting.append(body)
    }

    /// Goes on with what waits, if nothing is under way. To be called after each reading.
    func proceed() {
        while !waiting.isEmpty, isSettled { waiting.removeFirst()() }
    }
}
