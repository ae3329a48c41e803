// ClosingSignals: Ctrl-C and its like, counted, from before there is anything to close.

import Dispatch
import Glibc
import LinuxSystem
import Locks

/// SIGINT, SIGTERM and SIGHUP in place of their effect, for as long as this lives; one that the program was started with ignored stays so (nohup(1)).
final class ClosingSignals {
    private let count = SignalCount()
    private let signals: CaughtSignals

    init() throws(SystemError) {
        signals = try CaughtSignals(
            [SIGINT, SIGTERM, SIGHUP], keepsIgnored: true, queue: DispatchQueue(label: "exthostctl.closing")
        ) { [count] in count.add() }
    }

    /// Calls `handler` with the number of each, the first of them 1; now, if one has come already.
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
