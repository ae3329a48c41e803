// FlowError: the errors of flows.

/// An error of a flow, with the number of `NEAppProxyErrorDomain`. Names and numbers are Apple's (header).
public enum FlowError: Int, Error, Sendable {
    case notConnected = 1
    case peerReset = 2
    case hostUnreachable = 3
    case invalidArgument = 4
    case aborted = 5
    case refused = 6
    case timedOut = 7
    case `internal` = 8
    case datagramTooLarge = 9
    case readAlreadyPending = 10
}
