// Violation: an event that the documented state machines do not allow, with the allowed ones.

/// A statement of a log that cannot be true (docs/event-log.md).
public struct Violation: Error, Sendable, Hashable {
    /// The event's number in its log; for what is missing at the end, the number of the last event.
    public let sequence: Int
    /// The event's name; `end of the log` for what is missing there.
    public let event: String
    /// The subject whose machine forbids the event: `request 4F2A91C3-…`, `process 42`, `host notes`, `the log`.
    public let subject: String
    /// The state that the subject was in.
    public let state: String
    /// The events that were allowed, by name, in the order of the page.
    public let allowed: [String]
    /// The reason, where the name of the event alone does not show it.
    public let reason: String?
}

extension Violation: CustomStringConvertible {
    public var description: String {
        let why = reason.map { ": \($0)" } ?? ""
        let wanted = allowed.isEmpty ? "nothing" : allowed.joined(separator: ", ")
        return "event \(sequence), \(event): \(subject) is \(state)\(why); allowed are \(wanted)"
    }
}

/// The reason why an event does not fit, before the event is known.
struct Misfit: Error {
    var state: String
    var allowed: [EventKind]
    var reason: String?
}
