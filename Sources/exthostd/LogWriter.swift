// LogWriter: log lines on their way to standard error, so that a reader who does not read cannot hold the loop.

import Glibc
import LinuxSystem
import Synchronization

/// A bounded queue and a thread of its own that writes. What does not fit is dropped and counted.
final class LogWriter: Sendable {
    static let shared = LogWriter()

    /// Bytes that may wait.
    private static let limit = 256 * 1024
    /// Milliseconds that the end of the daemon waits for the last lines.
    private static let farewell: Int32 = 200

    private struct State {
        var lines: [String] = []
        var bytes = 0
        var dropped = 0
        var isWriting = false
    }

    private let state = Mutex(State())
    /// `wake` for the thread when there are lines, `idle` for `flush` when there are none left.
    private final class Signals: Sendable {
        let wake: WakeDescriptor
        let idle: WakeDescriptor

        init() throws(SystemError) {
            wake = try WakeDescriptor()
            idle = try WakeDescriptor()
        }
    }

    /// nil without descriptors or a thread: lines are written at once then, better late than never.
    private let signals = Mutex<Signals?>(nil)

    private init() {
        guard let signals = try? Signals(),
            (try? startThread(named: "exthostd-log", { [weak self] in self?.run(signals) })) != nil
        else { return }
        self.signals.withLock { $0 = signals }
    }

    /// Queues one line, which ends with a line break.
    func write(_ line: String) {
        guard let signals = signals.withLock({ $0 }) else { return StandardStreams.writeError(line) }
        let isFirst = state.withLock { state in
            guard state.bytes + line.utf8.count <= Self.limit else {
                state.dropped += 1
                return false
            }
            state.lines.append(line)
            state.bytes += line.utf8.count
            return state.lines.count == 1
        }
        if isFirst { signals.wake.signal() }
    }

    /// Waits a little until what was queued has been written.
    func flush() {
        guard let signals = signals.withLock({ $0 }) else { return }
        while state.withLock({ !$0.lines.isEmpty || $0.isWriting }) {
            var entry = pollfd(fd: signals.idle.raw, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, Self.farewell) > 0 else { return }
            signals.idle.drain()
        }
    }

    private func run(_ signals: Signals) {
        while true {
            let (text, dropped) = state.withLock { state in
                defer {
                    state.isWriting = !state.lines.isEmpty
                    (state.lines, state.bytes, state.dropped) = ([], 0, 0)
                }
                return (state.lines.joined(), state.dropped)
            }
            if !text.isEmpty { StandardStreams.writeError(text) }
            if dropped > 0 { StandardStreams.writeError("exthostd: \(dropped) log lines were dropped: nobody read them\n") }
            guard text.isEmpty else { continue }
            signals.idle.signal()
            var entry = pollfd(fd: signals.wake.raw, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, -1) > 0 { signals.wake.drain() }
        }
    }
}
