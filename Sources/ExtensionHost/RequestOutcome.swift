// RequestOutcome: the one way in which a request ended.

public import ExtensionItems
public import ExtensionProtocol

/// How a request ended: exactly one of these, once, for every request that began.
public enum RequestOutcome: Sendable {
    /// The extension is done; these are its items.
    case completed([NSExtensionItem])
    /// Given up by the extension (with its error), the host or an operator.
    case cancelled(Cause, any Error)
    /// The process died or was ended.
    case interrupted(Cause)
    /// A time limit ran out: the launch's or the request's own.
    case timedOut(Cause)
    /// Never given to the extension.
    case refused(Cause)

    /// Which of the five it is.
    public var kind: OutcomeKind {
        switch self {
        case .completed: .completed
        case .cancelled: .cancelled
        case .interrupted: .interrupted
        case .timedOut: .timedOut
        case .refused: .refused
        }
    }

    /// Why; `docs/errors.md` says what to do about each.
    public var cause: Cause {
        switch self {
        case .completed: .completed
        case .cancelled(let cause, _), .interrupted(let cause), .timedOut(let cause), .refused(let cause): cause
        }
    }
}
