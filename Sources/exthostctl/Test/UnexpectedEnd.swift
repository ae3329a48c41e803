// UnexpectedEnd: events that fail a test although no line expects them: misuse, and unintended ends of processes.

import ExtensionProtocol
import Scenarios

enum UnexpectedEnd {
    /// Returns the unexpected ends in a log, in its order.
    static func all(in records: [EventRecord]) -> [EventRecord] {
        // An interrupted extension cannot know of it, and answers late. Misuse is an answer after one's own.
        let answered = Set(
            records.filter { record in
                record.event == EventName.requestCompleted.rawValue || record.cause == .cancelledByExtension
            }.compactMap(\.request))
        return records.filter { record in
            switch EventName(rawValue: record.event) {
            case .contextFault: record.request.map(answered.contains) ?? true
            case .processExited: record.cause.map(isBad) ?? false
            default: false
            }
        }
    }

    private static func isBad(_ cause: Cause) -> Bool {
        switch cause {
        case .completed, .idle, .noRequest, .expiredInTime, .closed, .daemonStopping, .terminatedByOperator: false
        default: true
        }
    }

    /// Whether a line of the test accounts for the end.
    ///
    /// Such a line names the event or its cause, kills the process, injects a fault into it, or expects the resulting
    /// outcome.
    static func isExpected(_ record: EventRecord, by test: ScenarioTest, in records: [EventRecord]) -> Bool {
        test.steps.contains { step in
            switch step.act {
            case .kill: record.event == EventName.processExited.rawValue
            case .fault:
                record.event == EventName.processExited.rawValue && records.contains { isFault($0, before: record) }
            case .wait(let pattern, _): pattern.matches(record)
            case .expect(.log(let patterns), _): patterns.contains { $0.matches(record) }
            case .expect(.exit(let cause), _): record.cause == cause
            case .expect(.result(.ended), _), .expect(.result(.failed), _):
                record.event == EventName.processExited.rawValue
            case .expect(.outcome(let kind, let cause), _):
                record.cause.map { $0.outcome == kind && (cause == nil || cause == $0) && kind != .completed } ?? false
            default: false
            }
        }
    }

    /// Whether a fault was injected into the process. The log has no pid for a fault at its launch.
    private static func isFault(_ fault: EventRecord, before end: EventRecord) -> Bool {
        fault.event == EventName.faultInjected.rawValue && fault.sequence < end.sequence
            && fault.extensionIdentifier == end.extensionIdentifier && (fault.pid == nil || fault.pid == end.pid)
    }

    static func summary(_ record: EventRecord) -> String {
        var text = record.event
        if let cause = record.cause { text += " (\(cause.rawValue))" }
        if let detail = record.detail { text += ": \(detail)" }
        return text
    }

    static func remedy(_ record: EventRecord) -> String? {
        guard record.event == EventName.contextFault.rawValue else { return record.cause?.advice }
        return "Answer each request once, on every path, and do not use it afterwards"
    }
}
