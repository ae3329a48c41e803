// OneShot: a value that is set once and that any number of tasks wait for.

import Locks

/// A value that is set once; every wait before or after returns the same value.
final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Sets the value; returns false if there was one already.
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
            // The value is always read under the lock: the thread sanitizer does not see a continuation's handover.
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
