// Cause and OutcomeKind: the outcome for each cause, and the exit status of exthostctl for each outcome.

extension Cause {
    /// The outcome that a request still open gets when its process dies, or is refused, for this cause.
    public var outcome: OutcomeKind {
        switch self {
        case .completed: .completed
        case .cancelledByExtension, .cancelledByHost, .cancelledByOperator: .cancelled
        case .launchTimeout, .requestTimeout: .timedOut
        case .ruleMismatch, .notElected, .bundleDisabled, .quota, .breakerOpen, .notPermitted: .refused
        default: .interrupted
        }
    }
}

/// The five ways in which a request can end, with the exit status `exthostctl run` gives for each.
public enum OutcomeKind: String, Sendable, Hashable, CaseIterable, WireValue {
    case completed, cancelled, interrupted, timedOut, refused

    public var exitStatus: Int32 {
        switch self {
        case .completed: 0
        case .cancelled: 10
        case .interrupted: 11
        case .timedOut: 12
        case .refused: 13
        }
    }
}
