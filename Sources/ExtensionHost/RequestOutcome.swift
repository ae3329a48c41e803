// RequestOutcome: the way in which a request ended.

public import ExtensionItems
public import ExtensionProtocol

/// The outcome of a request: exactly one of these, once, for every request that began.
public enum RequestOutcome: Sendable {
    /// The extension is done; these are its items.
    case completed([NSExtensionItem])
    /// The extension (with its error), the host or an operator has cancelled the request.
    case cancelled(Cause, any Error)
    /// The process died or was ended.
    case interrupted(Cause)
    /// A time limit expired: the launch's or the request's own.
    case timedOut(Cause)
    /// The extension never got the request.
    case refused(Cause)

    /// The kind of the outcome, one of five.
    public var kind: OutcomeKind {
        switch self {
        case .completed: .completed
        case .cancelled: .cancelled
        case .interrupted: .interrupted
        case .timedOut: .timedOut
        case .refused: .refused
        }
    }

    /// The cause; `docs/errors.md` has a remedy for each.
    public var cause: Cause {
        switch self {
        case .completed: .completed
        case .cancelled(let cause, _), .interrupted(let cause), .timedOut(let cause), .refused(let cause): cause
        }
    }
}
