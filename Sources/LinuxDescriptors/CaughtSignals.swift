// CaughtSignals: signals as events of a queue, from the moment they are asked for.

internal import CLinux
public import Dispatch
internal import Glibc

/// Signals in place of their effect. None is lost from the return of `init` on, which a signal source of Dispatch does not promise: another thread
/// registers it some time later, and what is ignored until then is gone. A program that this one executes has them as ever. They are caught on a thread
/// that sleeps until then: a process begins with what whoever started it had blocked, and its threads with what theirs had.
public final class CaughtSignals {
    /// Never cancelled: signals may come for as long as the process lives.
    private let source: any DispatchSourceRead

    /// - Parameters:
    ///   - keepsIgnored: whether one that the program was started with ignored stays so (nohup(1)).
    ///   - queue: where `handler` is called once for each.
    public init(
        _ numbers: [Int32], keepsIgnored: Bool = false, queue: DispatchQueue, handler: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        // For the handlers, so it is never closed.
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
            // Nobody would hear them: they act as ever.
            for number in caught { signal(number, SIG_DFL) }
            throw error
        }
    }
}
