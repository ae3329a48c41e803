// Activity: a count of the author's running code, in an extension or a host, so that a fence is answered when it is
// idle.

internal import Locks

/// The number of running calls into the author's code, and the closures that wait for it to be idle.
///
/// The number is negative while code that was not counted is idle.
package final class Activity: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The code of the extension or app that this process is.
    package static let process = Activity()

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

    /// Calls `body` once no call runs: now, or from the `leave` of the last one.
    package func whenQuiet(_ body: @escaping @Sendable () -> Void) {
        let now = state.withLock { state in
            guard state.running > 0 else { return true }
            state.waiting.append(body)
            return false
        }
        if now { body() }
    }
}
