// EntryMailbox: a queue of a recording's entries between its connection's thread and their reader.

import ExtensionProtocol
import Locks

/// A queue with one reader.
final class EntryMailbox: Sendable {
    private struct State {
        var entries: [TranscriptEntry] = []
        var head = 0
        var hasEnded = false
        /// Whether the next wait must return without an entry.
        var isWoken = false
        var waiting: (number: Int, continuation: CheckedContinuation<TranscriptEntry?, Never>)?
        var waits = 0
    }

    private let state = Mutex(State())

    func put(_ entries: [TranscriptEntry]) {
        let (continuation, entry) = state.withLock {
            state -> (CheckedContinuation<TranscriptEntry?, Never>?, TranscriptEntry?) in
            state.entries += entries
            guard let waiting = state.waiting, let next = Self.next(&state) else { return (nil, nil) }
            state.waiting = nil
            return (waiting.continuation, next)
        }
        continuation?.resume(returning: entry)
    }

    /// Ends the queue: no entry comes any more.
    func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = nil }
            return state.waiting?.continuation
        }
        waiting?.resume(returning: nil)
    }

    /// Ends the wait under way, or the next one, without an entry.
    func wake() {
        let waiting = state.withLock { state in
            state.isWoken = state.waiting == nil
            defer { state.waiting = nil }
            return state.waiting?.continuation
        }
        waiting?.resume(returning: nil)
    }

    /// Returns the next entry; nil if none comes within `limit`, after the end, or after `wake`.
    func next(within limit: Duration) async -> TranscriptEntry? {
        let number = state.withLock { state in
            state.waits += 1
            return state.waits
        }
        let bound = Task { [self] in
            try? await Task.sleep(for: limit)  // the bound of the wait, not the wait
            let waiting = state.withLock { state in
                guard state.waiting?.number == number else {
                    return nil as CheckedContinuation<TranscriptEntry?, Never>?
                }
                defer { state.waiting = nil }
                return state.waiting?.continuation
            }
            waiting?.resume(returning: nil)
        }
        defer { bound.cancel() }
        return await withCheckedContinuation { continuation in
            let (isNow, entry) = state.withLock { state -> (Bool, TranscriptEntry?) in
                if let entry = Self.next(&state) { return (true, entry) }
                if state.hasEnded || state.isWoken {
                    state.isWoken = false
                    return (true, nil)
                }
                state.waiting = (number, continuation)
                return (false, nil)
            }
            if isNow { continuation.resume(returning: entry) }
        }
    }

    private static func next(_ state: inout State) -> TranscriptEntry? {
        guard state.head < state.entries.count else { return nil }
        let entry = state.entries[state.head]
        state.head += 1
        if state.head == state.entries.count { (state.entries, state.head) = ([], 0) }
        return entry
    }
}
