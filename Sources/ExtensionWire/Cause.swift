// Cause and OutcomeKind: why a request or a process ended, by the names that people and scripts see.

/// Why a request ended, or an extension's process did. The two lists share most names; see `docs/protocol.md`.
public enum Cause: String, Sendable, Hashable, CaseIterable, OpenEnumeration {
    // Requests that ended by somebody's word.
    case completed, cancelledByExtension, cancelledByHost, cancelledByOperator
    // Deaths that nobody minds.
    case idle, noRequest, expiredInTime, expired
    /// Of apps: one that ended of its own accord, whatever its status, and one that its user closed.
    case exited, closed
    // Deaths that interrupt.
    case launchFailed, crashed, exitedEarly, memoryLimit, cpuLimit, protocolViolation, unresponsive, lockHeldAtSuspension
    case terminatedByOperator, daemonStopping
    // Time limits.
    case launchTimeout, requestTimeout
    // Refusals.
    case ruleMismatch, notElected, bundleDisabled, quota, breakerOpen, notPermitted
    /// The connection to the daemon was lost while the request was open.
    case connectionLost
    /// The daemon was followed by another, which could not go on with it.
    case daemonRestarted
    /// A newer daemon named a cause that this version does not know.
    case unrecognized

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
