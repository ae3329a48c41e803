// InterruptSource: Ctrl-C as an event.

import Dispatch
import Glibc

/// Calls its handler at every SIGINT, on a queue of its own, in place of the signal's effect.
final class InterruptSource {
    private let source: any DispatchSourceSignal

    init(handler: @escaping @Sendable () -> Void) {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: DispatchQueue(label: "exthostctl.interrupt"))
        source.setEventHandler(handler: handler)
        source.resume()
    }

    /// From now on SIGINT ends the program again.
    func stop() {
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }
}
