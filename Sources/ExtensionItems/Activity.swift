// Activity: counts the author's code that runs, in an extension or a host, so that a fence can be answered when it rests.

internal import Locks

/// How many calls into the author's code are running, and who waits for none. Below none while code that was not counted rests.
package final class Activity: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func enter() { state.withLock { $0.running += 1 } }

    package func leave() {
        let due = state.withLock { state -> [@Sendable () -> Void] in
            state.running -= 1
            guard state.running <= 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in due { waiter() }
    }

    /// Calls `body` once nothing runs: now, or from the `leave` that makes it so.
    package func whenQuiet(_ body: @escaping @Sendable () -> Void) {
        let now = state.withLock { state in
            guard state.running > 0 else { return true }
            state.waiting.append(body)
            return false
        }
        if now { body() }
    }
}
