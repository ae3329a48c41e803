// ErrorCode: the remedy and the exit status for each code of ExtensionHostError.

extension ExtensionHostError.Code {
    /// The remedy for an error that brings none of its own; `docs/errors.md` shows the same words.
    public var remedy: String {
        switch self {
        case .unrecognized: "Bring this program up to date: the daemon is newer"
        case .protocolViolation: "Bring both sides to one version; docs/protocol.md says what may be sent"
        case .versionMismatch: "Bring the older of the two up to date"
        case .notPermitted: "Ask as the user it belongs to, or as root"
        case .noSuchExtension: "exthostctl list shows what there is; exthostd --applications says where to look"
        case .noSuchRequest: "exthostctl requests shows the open ones"
        case .noSuchHost: "exthostctl hosts shows who is connected"
        case .noDaemon: "Start one with exthostd, or name another with EXTHOST_SOCKET or --socket"
        case .connectionLost: "Connect and begin again: what was open has ended; the daemon's log says why"
        case .invalidArgument: "Correct the value that the message names"
        case .quotaExceeded: "End some of what is open, and try again"
        case .notSimulated: "docs/not-simulated.md says what happens instead"
        case .contextFinished: "Answer each request once, and keep nothing of it afterwards"
        case .bundleDisabled: "Correct the bundle as exthostctl list -D says"
        case .internalError: "Report it, with what the daemon logged"
        case .launchFailed: "Check that the bundle's program runs by itself"
        case .interrupted: "exthostctl exits shows how the process ended"
        case .timedOut: "Let it answer sooner, or give it more time"
        case .payloadTooLarge: "Send less at once, or a file's URL in place of its bytes"
        case .itemUnavailable: "Load items while their request is open and its host is there"
        case .noPrincipalClass: "Name an existing class in NSExtensionPrincipalClass, as Module.Class"
        case .notElected: "Elect it with exthostctl elect default ID, or elect use ID"
        case .ruleMismatch: "Send other items, or change the rule; exthostctl explain shows every clause"
        case .breakerOpen: "Mend the extension; exthostctl reset ID lets it be launched at once"
        case .notAvailableToExtensions: "Leave it to the containing app, and share what it makes through an app group"
        case .frameworkMissing: "Link the extension with the framework of its extension point, in the current version"
        case .principalUnsuitable: "Let the class adopt the protocol, or name another in NSExtensionPrincipalClass"
        case .notImplemented: "Write the method or the handler that the message names"
        case .handlerDropped: "Call the completion handler on every path"
        case .stateUnavailable: "Free some space, or give the daemon the right to its state folder; its log says more"
        }
    }

    /// The exit status of `exthostctl` for this error; the numbers are those of sysexits.h.
    public var exitStatus: Int32 {
        switch self {
        case .noDaemon, .connectionLost: 69  // EX_UNAVAILABLE
        case .noSuchExtension, .noSuchHost, .noSuchRequest: 66  // EX_NOINPUT
        case .notPermitted: 77  // EX_NOPERM
        case .invalidArgument, .payloadTooLarge: 64  // EX_USAGE
        default: 70  // EX_SOFTWARE
        }
    }

    /// Whether the daemon refused a request with this code: `exthostctl run` then exits as for that outcome.
    public var isRefusal: Bool {
        switch self {
        case .notPermitted, .quotaExceeded, .bundleDisabled, .notElected, .ruleMismatch, .breakerOpen: true
        default: false
        }
    }
}
