// Violation: an event that the written state machines do not allow, with what they would have.

/// What a log says that cannot have happened (docs/event-log.md).
public struct Violation: Error, Sendable, Hashable {
    /// The event's number in its log; of what is missing at the end, the last one's.
    public let sequence: Int
    /// The event's name; `end of the log` for what is missing there.
    public let event: String
    /// Whose machine does not allow it: `request 4F2A91C3-…`, `process 42`, `host notes`, `the log`.
    public let subject: String
    /// The state that the subject was in.
    public let state: String
    /// The events that it could go on with, by name, in the order of the page.
    public let allowed: [String]
    /// What is wrong, where the name of the event alone does not say it.
    public let reason: String?
}

extension Violation: CustomStringConvertible {
    public var description: String {
        let why = reason.map { ": \($0)" } ?? ""
        let wanted = allowed.isEmpty ? "nothing" : allowed.joined(separator: ", ")
        return "event \(sequence), \(event): \(subject) is \(state)\(why); allowed are \(wanted)"
    }
}

/// Why an event does not fit, before it is known which one it is.
struct Misfit: Error {
    var state: String
    var allowed: [EventKind]
    var reason: String?
}
