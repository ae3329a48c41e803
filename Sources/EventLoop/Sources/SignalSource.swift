// SignalSource: signals received as events of the loop.

internal import CSystemd
internal import Glibc
internal import LinuxSystem

/// A received signal, with its sender as far as the kernel names it (signalfd(2)).
public struct ReceivedSignal: Sendable, Hashable {
    public let number: Int32
    /// The sender's process, 0 if the kernel sent it.
    public let pid: Int32
    public let uid: UInt32
}

/// A watched signal. The watch ends with `cancel` or with the last reference, as for `IOSource`; the signal stays
/// blocked.
@HostActor
public final class SignalSource {
    private let source: EventSource<ReceivedSignal>

    fileprivate init(
        signal: Int32, priority: EventPriority, handler: @escaping @HostActor (ReceivedSignal) -> Void
    ) throws(LoopError) {
        source = try EventSource("sd_event_add_signal", priority: priority, handler: handler) {
            loop, pointer, userdata in
            let callback: sd_event_signal_handler_t = { _, info, userdata in
                guard let info = info?.pointee else { return 0 }
                let signal = ReceivedSignal(
                    number: Int32(info.ssi_signo), pid: Int32(bitPattern: info.ssi_pid), uid: info.ssi_uid)
                return HostActor.enter(userdata) { EventSource<ReceivedSignal>.at($0).fire(signal) } ?? 0
            }
            return sd_event_add_signal(loop, &pointer, signal, callback, userdata)
        }
    }

    isolated deinit { source.cancel() }

    /// Ends the watch: the handler is not called after this returns.
    public func cancel() { source.cancel() }
}

extension EventLoop {
    /// Blocks signals in the calling thread and in those that it starts from then on.
    ///
    /// `main` calls this before there is a second thread, because a signal to the process goes to any thread that does
    /// not block it.
    public static func blockSignals(_ signals: [Int32]) throws(LoopError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals where sigaddset(&set, signal) != 0 { throw .call(SystemError("sigaddset")) }
        let result = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard result == 0 else { throw .call(SystemError("pthread_sigmask", code: result)) }
    }

    /// Calls `handler` for each signal of that number.
    ///
    /// The method blocks the signal in the loop's thread; `blockSignals` blocks it in the others. Signals that come
    /// faster than they are served arrive once (signal(7)).
    @HostActor public func watch(
        signal: Int32, priority: EventPriority = .normal, handler: @escaping @HostActor (ReceivedSignal) -> Void
    ) throws(LoopError) -> SignalSource {
        try Self.blockSignals([signal])
        return try SignalSource(signal: signal, priority: priority, handler: handler)
    }
}
