// InterruptSource: Ctrl-C as an event.

import Dispatch
import Glibc
import LinuxSystem

/// A source that calls its handler at every SIGINT, on a queue of its own, in place of the signal's effect.
final class InterruptSource {
    private let signals: CaughtSignals

    init(handler: @escaping @Sendable () -> Void) throws(SystemError) {
        signals = try CaughtSignals([SIGINT], queue: DispatchQueue(label: "exthostctl.interrupt"), handler: handler)
    }

    /// Restores the effect of SIGINT, which ends the program again.
    func stop() { signal(SIGINT, SIG_DFL) }
}
