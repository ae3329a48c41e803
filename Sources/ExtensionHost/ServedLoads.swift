// ServedLoads: the loads of one request that its host makes, so that they can be stopped.

import Foundation
import Locks

/// The loads by the number that the extension gave each. Safe to use from any thread.
final class ServedLoads: Sendable {
    private enum Load {
        case starting(isCancelled: Bool)
        case running(Progress)
    }

    private let loads = Mutex<[Int: Load]>([:])
    /// The counts of all loads, also those without a number.
    private let counts = Mutex((open: 0, done: 0))

    var count: (open: Int, done: Int) { counts.withLock { $0 } }

    /// Counts a load that was requested.
    func noteStart() { counts.withLock { $0.open += 1 } }

    /// Counts a load whose value or error was sent.
    func noteEnd() { counts.withLock { $0 = ($0.open - 1, $0.done + 1) } }

    /// Begins a requested load; a cancellation from here on counts.
    func begin(_ number: Int) { loads.withLock { $0[number] = .starting(isCancelled: false) } }

    /// Sets the progress that can stop the load; it may be answered, or cancelled, already.
    func set(_ progress: Progress, for number: Int) {
        let isCancelled = loads.withLock { loads in
            guard case .starting(let isCancelled) = loads[number] else { return false }
            loads[number] = .running(progress)
            return isCancelled
        }
        if isCancelled { progress.cancel() }
    }

    /// The loads in progress.
    var running: [Progress] {
        loads.withLock { loads in
            loads.values.compactMap { if case .running(let progress) = $0 { progress } else { nil } }
        }
    }

    /// Removes an answered load.
    func end(_ number: Int) { loads.withLock { $0[number] = nil } }

    /// Cancels a load that is not needed any more.
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

    /// Cancels all loads, after the end of the request.
    func cancelAll() {
        for number in loads.withLock({ Array($0.keys) }) { cancel(number) }
    }
}
