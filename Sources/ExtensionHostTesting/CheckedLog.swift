// CheckedLog: a daemon's whole log, read to its end and checked against the state machines.

import LogChecker
import ExtensionProtocol

struct CheckedLog {
    private var monitor: LogChecker
    private let timeIsVirtual: Bool
    private var records: [EventRecord] = []
    private var found: Violation?
    /// The processes that have started and not exited, by pid. The pids of others may have been reused.
    private(set) var running: [Int: String] = [:]

    init(timeIsVirtual: Bool) {
        self.timeIsVirtual = timeIsVirtual
        monitor = LogChecker(timeIsVirtual: timeIsVirtual)
    }

    /// Whether the log has the daemon's event that it stops.
    private(set) var isWhole = false

    /// The first violation; of a whole log also one for what is missing at its end.
    var violation: Violation? { found ?? monitor.unfinished().first }

    var timeline: String {
        var timeline = Timeline()
        return records.map { "\n  " + timeline.line($0) }.joined()
    }

    /// The number of the last event that was read.
    var last: Int { records.last?.sequence ?? 0 }

    /// Reads all events, to the end of the stream, or of the connection.
    nonisolated(nonsending) mutating func read(_ batches: AsyncThrowingStream<EventBatch, any Error>) async {
        do {
            for try await batch in batches { add(batch) }
        } catch {
            // The connection has ended, with the daemon or before it.
        }
    }

    private mutating func add(_ batch: EventBatch) {
        // The daemon stores a limited number of events, and has dropped some: the state before is not known any more.
        if batch.oldest != nil { (monitor, running) = (LogChecker(timeIsVirtual: timeIsVirtual), [:]) }
        for record in batch.events {
            records.append(record)
            if record.event == EventName.daemonStopping.rawValue { isWhole = true }
            if let violation = monitor.observe(record), found == nil { found = violation }
            guard let pid = record.pid else { continue }
            switch record.event {
            case EventName.processSpawned.rawValue: running[pid] = record.extensionIdentifier ?? "?"
            case EventName.processExited.rawValue: running[pid] = nil
            default: break
            }
        }
    }
}
