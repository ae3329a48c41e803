// ClosingSignals: Ctrl-C and similar signals, counted from before there is anything to close.

import Dispatch
import Glibc
import LinuxSystem
import Locks

/// A source of SIGINT, SIGTERM and SIGHUP in place of their effect, for as long as it lives.
///
/// A signal that was ignored when the program started stays so (nohup(1)).
final class ClosingSignals {
    private let count = SignalCount()
    private let signals: CaughtSignals

    init() throws(SystemError) {
        signals = try CaughtSignals(
            [SIGINT, SIGTERM, SIGHUP], keepsIgnored: true, queue: DispatchQueue(label: "exthostctl.closing")
        ) { [count] in count.add() }
    }

    /// Calls `handler` with the number of each signal, starting at 1. If signals have come already, it calls it at
    /// once.
    func begin(_ handler: @escaping @Sendable (Int) -> Void) { count.begin(handler) }
}

private final class SignalCount: Sendable {
    private struct State {
        var count = 0
        var handler: (@Sendable (Int) -> Void)?
    }

    private let state = Mutex(State())

    func begin(_ handler: @escaping @Sendable (Int) -> Void) {
        let count = state.withLock { state in
            state.handler = handler
            return state.count
        }
        if count > 0 { handler(count) }
    }

    func add() {
        let (handler, count) = state.withLock { state in
            state.count += 1
            return (state.handler, state.count)
        }
        handler?(count)
    }
}
