// Board: what happens, collected as it comes, for tests that wait for it.

import ExtensionHost
import ExtensionProtocol
import Locks

/// Entries in their order. A wait looks at what is there already, too.
final class Board<Entry: Sendable>: Sendable {
    private struct Waiter {
        let condition: @Sendable (Entry) -> Bool
        let continuation: CheckedContinuation<Entry?, Never>
    }

    private struct State {
        var entries: [Entry] = []
        var waiters: [Int: Waiter] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    var entries: [Entry] { state.withLock { $0.entries } }

    func add(_ entry: Entry) {
        let found = state.withLock { state in
            state.entries.append(entry)
            let found = state.waiters.filter { $0.value.condition(entry) }
            for number in found.keys { state.waiters[number] = nil }
            return found.values.map(\.continuation)
        }
        for continuation in found { continuation.resume(returning: entry) }
    }

    /// Forgets what has come.
    func clear() { state.withLock { $0.entries = [] } }

    /// The first entry for which `condition` holds; throws with all of them when it has not come after a minute.
    @discardableResult
    func first(_ what: String, where condition: @escaping @Sendable (Entry) -> Bool) async throws -> Entry {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let bound = Task {
            try await Task.sleep(for: .seconds(60))  // the bound of the wait, not the wait
            self.giveUp(number)
        }
        defer { bound.cancel() }
        let found = await withCheckedContinuation { continuation in
            let known: Entry? = state.withLock { state in
                if let known = state.entries.first(where: condition) { return known }
                state.waiters[number] = Waiter(condition: condition, continuation: continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
        guard let found else {
            let all = entries.map { "\($0)" }.joined(separator: "\n")
            throw UnexpectedOutcome(outcome: "\(what) did not come, but:\n\(all)")
        }
        return found
    }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.continuation.resume(returning: nil)
    }
}

/// Tells when something has been so for a number of times. To be asked once for each.
final class Counter: Sendable {
    private let left: Mutex<Int>

    init(_ times: Int) { left = Mutex(times) }

    func reached() -> Bool {
        left.withLock { left in
            left -= 1
            return left <= 0
        }
    }
}
