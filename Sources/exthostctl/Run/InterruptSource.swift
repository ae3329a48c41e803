// InterruptSource: Ctrl-C, and other signals that end a program, as events.

import Dispatch
import Glibc
import LinuxSystem

/// A source that calls its handler at every such signal, on a queue of its own, in place of the signal's effect.
final class InterruptSource {
    private let numbers: [Int32]
    private let signals: CaughtSignals

    /// - Parameters:
    ///   - numbers: the signals.
    ///   - handler: called once for each.
    init(_ numbers: [Int32] = [SIGINT], handler: @escaping @Sendable () -> Void) throws(SystemError) {
        self.numbers = numbers
        signals = try CaughtSignals(numbers, queue: DispatchQueue(label: "exthostctl.interrupt"), handler: handler)
    }

    /// Restores the effect of the signals, which end the program again.
    func stop() { for number in numbers { signal(number, SIG_DFL) } }
}
