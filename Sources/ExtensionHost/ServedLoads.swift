// ServedLoads: the loads of one request that its host is working on, so that they can be stopped.

import Foundation
import Locks

/// By the number that the extension gave each. Safe to use from any thread.
final class ServedLoads: Sendable {
    private enum Load {
        case starting(isCancelled: Bool)
        case running(Progress)
    }

    private let loads = Mutex<[Int: Load]>([:])
    /// All loads, also those without a number.
    private let counts = Mutex((open: 0, done: 0))

    var count: (open: Int, done: Int) { counts.withLock { $0 } }

    /// A value is asked for.
    func noteStart() { counts.withLock { $0.open += 1 } }

    /// The value, or why there is none, is sent.
    func noteEnd() { counts.withLock { $0 = ($0.open - 1, $0.done + 1) } }

    /// A load has been asked for; a cancellation from here on counts.
    func begin(_ number: Int) { loads.withLock { $0[number] = .starting(isCancelled: false) } }

    /// How to stop it; it may be answered, or cancelled, already.
    func set(_ progress: Progress, for number: Int) {
        let isCancelled = loads.withLock { loads in
            guard case .starting(let isCancelled) = loads[number] else { return false }
            loads[number] = .running(progress)
            return isCancelled
        }
        if isCancelled { progress.cancel() }
    }

    /// Those that are being made.
    var running: [Progress] {
        loads.withLock { loads in
            loads.values.compactMap { if case .running(let progress) = $0 { progress } else { nil } }
        }
    }

    /// It is answered.
    func end(_ number: Int) { loads.withLock { $0[number] = nil } }

    /// Nobody waits for it any more.
    func cancel(_ number: Int) {
        let progress = loads.withLock { loads -> Progress? in
            switch loads[number] {
            case .running(let progress): return progress
            case .starting:
                loads[number] = .starting(isCancelled: true)
                return nil
            case nil: return nil
            }
        }
        progress?.cancel()
    }

    /// The request is over.
    func cancelAll() {
        for number in loads.withLock({ Array($0.keys) }) { cancel(number) }
    }
}
