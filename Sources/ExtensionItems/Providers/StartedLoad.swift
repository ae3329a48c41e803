// StartedLoad: the progress of a load that a task waits for, so that cancelling the task cancels the load.

internal import Foundation
internal import Locks

/// The load of a task, which can be cancelled before the load has started; it is then cancelled as it starts.
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

    /// Stores the answer for the task.
    ///
    /// The answer goes through the lock: the thread sanitizer does not see that resuming a task happens before the
    /// task's next step.
    func finish(_ result: Result<Handover<Any?>, any Error>) { state.withLock { $0.result = result } }

    /// Returns the answer that `finish` stored.
    func value() throws -> Handover<Any?> {
        guard let result = state.withLock({ $0.result }) else { throw CancellationError() }
        return try result.get()
    }
}
