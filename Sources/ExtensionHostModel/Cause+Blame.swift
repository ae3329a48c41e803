// Cause+Blame: the causes of death that count against an extension.

package import ExtensionProtocol

extension Cause {
    /// Whether an extension is to blame for an end so that another launch may end the same way.
    package var isFailure: Bool {
        switch self {
        case .launchFailed, .crashed, .exitedEarly, .memoryLimit, .cpuLimit, .protocolViolation, .unresponsive,
            .lockHeldAtSuspension, .launchTimeout:
            true
        default: false
        }
    }

    /// Whether a process that ended so did what it should, or ended because of the daemon's end.
    package var isWishedFor: Bool {
        switch self {
        case .completed, .idle, .noRequest, .expiredInTime, .daemonStopping, .daemonRestarted, .exited, .closed: true
        default: false
        }
    }
}
