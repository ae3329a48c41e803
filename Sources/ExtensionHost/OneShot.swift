// OneShot: a value that comes once and that any number of tasks wait for.

import Locks

/// Set once; every wait before or after returns the same value.
final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// False when it had a value already.
    @discardableResult
    func set(_ value: Value) -> Bool {
        let waiting: [CheckedContinuation<Void, Never>]? = state.withLock { state in
            guard state.value == nil else { return nil }
            state.value = value
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting ?? [] { continuation.resume() }
        return waiting != nil
    }

    var current: Value? { state.withLock { $0.value } }

    var value: Value {
        get async {
            // The value is always taken out under the lock: of a continuation the thread sanitizer sees no hand-over.
            while true {
                if let value = current { return value }
                await withCheckedContinuation { continuation in
                    let isThere = state.withLock { state in
                        if state.value == nil { state.waiting.append(continuation) }
                        return state.value != nil
                    }
                    if isThere { continuation.resume() }
                }
            }
        }
    }
}
