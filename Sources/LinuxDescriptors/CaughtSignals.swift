// CaughtSignals: signals as events of a queue, from the time of the request on.

internal import CLinux
public import Dispatch
internal import Glibc

/// Signals that call a handler instead of their default action.
///
/// No signal is lost from the return of `init` on. A signal source of Dispatch does not promise that: another thread
/// registers it some time later, and signals ignored until then are lost. A program that this one executes gets the
/// signals as usual.
///
/// A thread that sleeps until then catches the signals. Other threads may have them blocked: a process starts with its
/// parent's mask, and a thread with its creator's.
public final class CaughtSignals {
    /// The source of events. It is never cancelled: signals may arrive for as long as the process lives.
    private let source: any DispatchSourceRead

    /// - Parameters:
    ///   - keepsIgnored: whether a signal that the program was started with ignored stays ignored (nohup(1)).
    ///   - queue: the queue on which `handler` is called once for each signal.
    public init(
        _ numbers: [Int32], keepsIgnored: Bool = false, queue: DispatchQueue, handler: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        // The descriptor is for the handlers, so it is never closed.
        let raw = try WakeDescriptor().release()
        source = DispatchSource.makeReadSource(fileDescriptor: raw, queue: queue)
        source.setEventHandler {
            var count: UInt64 = 0
            guard read(raw, &count, 8) == 8 else { return }
            for _ in 0..<count { handler() }
        }
        source.resume()
        var caught: [Int32] = []
        do throws(SystemError) {
            for number in numbers {
                let result = exthost_catch_signal(number, raw, keepsIgnored ? 1 : 0)
                if result < 0 { throw SystemError("sigaction", code: -result) }
                if result > 0 { caught.append(number) }
            }
            try startThread(named: "exthost-signals") { [caught] in
                var signals = sigset_t()
                sigemptyset(&signals)
                for number in caught { sigaddset(&signals, number) }
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                while true { pause() }
            }
        } catch {
            // Without the thread the signals would be lost: they get their default action.
            for number in caught { signal(number, SIG_DFL) }
            throw error
        }
    }
}
