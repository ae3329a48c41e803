// StartedLoad: the progress of a load that a task waits for, so that cancelling the one cancels the other.

internal import Foundation
internal import Locks

/// Cancelling may come before the load has started, and then holds for it all the same.
final class StartedLoad: Sendable {
    private struct State: Sendable {
        var progress: Progress?
        var isCancelled = false
        var result: Result<Handover<Any?>, any Error>?
    }

    private let state = Mutex(State())

    func set(_ progress: Progress) {
        let isCancelled = state.withLock { state in
            state.progress = progress
            return state.isCancelled
        }
        if isCancelled { progress.cancel() }
    }

    func cancel() {
        let progress = state.withLock { state in
            state.isCancelled = true
            return state.progress
        }
        progress?.cancel()
    }

    /// The answer, kept for the task. It goes through the lock, since the thread sanitizer does not see that what resumes a task comes
    /// before what the task does then.
    func finish(_ result: Result<Handover<Any?>, any Error>) { state.withLock { $0.result = result } }

    /// What `finish` kept.
    func value() throws -> Handover<Any?> {
        guard let result = state.withLock({ $0.result }) else { throw CancellationError() }
        return try result.get()
    }
}
