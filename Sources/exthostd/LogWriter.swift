// LogWriter: a queue of log lines for standard error or the journal, so that a slow reader cannot block the loop.

import EventLoop
import Glibc
import LinuxSystem
import Locks

/// A bounded queue with a thread of its own that writes.
///
/// An entry that does not fit is dropped and counted.
final class LogWriter: Sendable {
    static let shared = LogWriter()

    /// The bytes that may wait in the queue.
    private static let limit = 256 * 1024
    /// The milliseconds that the daemon waits for the last lines before it exits.
    private static let farewell: Int32 = 200

    /// The message identifier in the journal's catalogue (systemd/exthost.catalog).
    private static let droppedIdentifier = "b0f7d0a5c3e24f2e8d1a6c97e5b43f08"

    /// One line for standard error, or one record for the journal.
    enum Entry: Sendable {
        case line(String)
        case record([(name: String, value: String)])

        var size: Int {
            switch self {
            case .line(let text): text.utf8.count
            case .record(let fields): fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            }
        }
    }

    private struct State {
        var entries: [Entry] = []
        var bytes = 0
        var dropped = 0
        var isWriting = false
    }

    private let state = Mutex(State())
    /// The thread's signals: `wake` when there are lines, `idle` for `flush` when none are left.
    private final class Signals: Sendable {
        let wake: WakeDescriptor
        let idle: WakeDescriptor

        init() throws(SystemError) {
            wake = try WakeDescriptor()
            idle = try WakeDescriptor()
        }
    }

    /// The thread's signals. Nil without descriptors or a thread: each line is written at once then.
    private let signals = Mutex<Signals?>(nil)

    private init() {
        guard let signals = try? Signals(),
            (try? startThread(named: "exthostd-log", { [weak self] in self?.run(signals) })) != nil
        else { return }
        self.signals.withLock { $0 = signals }
    }

    /// Queues one entry; a line ends with a line break.
    func write(_ entry: Entry) {
        guard let signals = signals.withLock({ $0 }) else { return Self.send([entry]) }
        let isFirst = state.withLock { state in
            guard state.bytes + entry.size <= Self.limit else {
                state.dropped += 1
                return false
            }
            state.entries.append(entry)
            state.bytes += entry.size
            return state.entries.count == 1
        }
        if isFirst { signals.wake.signal() }
    }

    /// Waits up to `farewell` until the queue has been written.
    func flush() {
        guard let signals = signals.withLock({ $0 }) else { return }
        while state.withLock({ !$0.entries.isEmpty || $0.isWriting }) {
            var entry = pollfd(fd: signals.idle.raw, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, Self.farewell) > 0 else { return }
            signals.idle.drain()
        }
    }

    /// Writes consecutive lines in one write. A record that the journal refuses becomes a line.
    private static func send(_ entries: [Entry]) {
        var text = ""
        for entry in entries {
            switch entry {
            case .line(let line): text += line
            case .record(let fields):
                if !text.isEmpty { StandardStreams.writeError(text) }
                text = ""
                if !Journal.send(fields) { text = (fields.first { $0.name == "MESSAGE" }?.value ?? "") + "\n" }
            }
        }
        if !text.isEmpty { StandardStreams.writeError(text) }
    }

    private static func notice(ofDropped count: Int) -> Entry {
        let text = "\(count) log lines were dropped: no process read them"
        guard Journal.isThere else { return .line("exthostd: \(text)\n") }
        return .record([
            (name: "MESSAGE", value: text), (name: "PRIORITY", value: "4"),
            (name: "SYSLOG_IDENTIFIER", value: "exthostd"),
            (name: "MESSAGE_ID", value: droppedIdentifier),
        ])
    }

    private func run(_ signals: Signals) {
        while true {
            let (entries, dropped) = state.withLock { state in
                defer {
                    state.isWriting = !state.entries.isEmpty
                    (state.entries, state.bytes, state.dropped) = ([], 0, 0)
                }
                return (state.entries, state.dropped)
            }
            Self.send(entries)
            if dropped > 0 { Self.send([Self.notice(ofDropped: dropped)]) }
            guard entries.isEmpty else { continue }
            signals.idle.signal()
            var entry = pollfd(fd: signals.wake.raw, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, -1) > 0 { signals.wake.drain() }
        }
    }
}
