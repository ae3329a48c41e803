// Cause+Advice: advice to an author about a request or a process that ended with a cause.

public import ExtensionProtocol

extension Cause {
    /// The advice for a test's report, which shows the process's last output below it. Nil for ends that are nobody's
    /// fault.
    ///
    /// `docs/errors.md` says more.
    public var advice: String? {
        switch self {
        case .completed, .cancelledByHost, .cancelledByOperator, .idle, .noRequest, .exited, .closed,
            .terminatedByOperator,
            .unrecognized:
            nil
        case .cancelledByExtension: "Read the error: it is the extension's own"
        case .expiredInTime: "Do less after completing, or move the work to a service"
        case .expired: "Return from the completion handler as soon as it is called with true"
        case .wakeExpired:
            "Call the completion handler of application(_:handleEventsForBackgroundURLSession:completionHandler:) on every path"
        case .launchFailed: "Run the program by hand: check its mode, its interpreter, and ldd"
        case .crashed:
            "Read its last output below; a failed precondition names its source line there. Then debug it (docs/debugging.md)"
        case .exitedEarly: "Call NSExtensionMain() and never exit; end a request by answering it"
        case .memoryLimit: "Load less at once; request files, not bytes"
        case .cpuLimit: "Do less, or move the work to a service"
        case .protocolViolation:
            "Do not use descriptors that the extension did not open; docs/errors.md, section 3, has the rules"
        case .unresponsive: "Return quickly on the main queue; do long work on another queue"
        case .lockHeldAtSuspension: "Close files and databases, or release locks, when the host enters the background"
        case .daemonStopping: "Begin it before the daemon stops"
        case .daemonRestarted: "Begin it again: another daemon followed, and could not resume it"
        case .launchTimeout: "Call NSExtensionMain() first, and do the work in beginRequest"
        case .requestTimeout: "Answer on every path, in error handlers too"
        case .ruleMismatch: "Send other items, or change the rule; begin --force skips it"
        case .notElected: "Elect it: exthostctl elect default ID"
        case .bundleDisabled: "Correct the faults that exthostctl lint shows"
        case .quota: "Have fewer requests open at once"
        case .breakerOpen: "The extension failed repeatedly: correct the first failure"
        case .notPermitted: "Begin it as the user of the daemon"
        case .connectionLost: "A disconnected host receives no outcome: expect its event in the log"
        }
    }
}
