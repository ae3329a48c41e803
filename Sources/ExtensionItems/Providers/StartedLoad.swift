// StartedLoad: the progress of a load that a task waits for, so that cancelling the one cancels the other.

internal import Foundation
internal import Synchronization

/// Cancelling may come before the load has started, and then holds for it all the same.
final class StartedLoad: Sendable {
    private struct State {
        var progress: Progress?
        var isCancelled = false
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
}
