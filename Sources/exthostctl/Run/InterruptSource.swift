// InterruptSource: Ctrl-C as an event.

import Dispatch
import Glibc
import LinuxSystem

/// Calls its handler at every SIGINT, on a queue of its own, in place of the signal's effect.
final class InterruptSource {
    private let signals: CaughtSignals

    init(handler: @escaping @Sendable () -> Void) throws(SystemError) {
        signals = try CaughtSignals([SIGINT], queue: DispatchQueue(label: "exthostctl.interrupt"), handler: handler)
    }

    /// From now on SIGINT ends the program again.
    func stop() { signal(SIGINT, SIG_DFL) }
}
