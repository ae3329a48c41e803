// ErrorCode: the remedy and the exit status for each code of ExtensionHostError.

extension ExtensionHostError.Code {
    /// The remedy for an error that brings none of its own; `docs/errors.md` shows the same words.
    public var remedy: String {
        switch self {
        case .unrecognized: "Bring this program up to date: the daemon is newer"
        case .protocolViolation: "Bring both sides to one version; docs/protocol.md defines the valid messages"
        case .versionMismatch: "Bring the older of the two up to date"
        case .notPermitted: "Ask as its owner, or as root"
        case .noSuchExtension:
            "exthostctl list shows the extensions; exthostd --applications sets the folders to search"
        case .noSuchRequest: "exthostctl requests shows the open ones"
        case .noSuchHost: "exthostctl hosts shows the connected ones"
        case .noDaemon: "Start one with exthostd, or name another with EXTHOST_SOCKET or --socket"
        case .connectionLost: "Connect and begin again: all open requests have ended; the daemon's log has the reason"
        case .invalidArgument: "Correct the value that the message names"
        case .quotaExceeded: "End some requests or connections, and try again"
        case .notSimulated: "docs/not-simulated.md lists the alternatives"
        case .contextFinished: "Answer each request once, and do not use it afterwards"
        case .bundleDisabled: "Correct the faults that exthostctl list -D shows"
        case .internalError: "Report it, with the daemon's log"
        case .launchFailed: "Check that the bundle's program runs by itself"
        case .interrupted: "exthostctl exits shows how the process ended"
        case .timedOut: "Answer sooner, or allow more time"
        case .payloadTooLarge: "Send less at once, or a file's URL in place of its bytes"
        case .itemUnavailable: "Load items while their request is open and its host is connected"
        case .noPrincipalClass: "Name an existing class in NSExtensionPrincipalClass, as Module.Class"
        case .notElected: "Elect it with exthostctl elect default ID, or elect use ID"
        case .ruleMismatch: "Send other items, or change the rule; exthostctl explain shows every clause"
        case .breakerOpen: "Correct the extension; exthostctl reset ID ends the pause"
        case .notAvailableToExtensions: "Do it in the containing app, and share the result through an app group"
        case .frameworkMissing: "Link the extension with the framework of its extension point, in the current version"
        case .principalUnsuitable: "Adopt the protocol, or name another class in NSExtensionPrincipalClass"
        case .helperMissing: "Install the package that the message names; exthostctl doctor shows all"
        case .serviceUnavailable: "Run the host that provides the service"
        case .notImplemented: "Write the method or the handler that the message names"
        case .handlerDropped: "Call the completion handler on every path"
        case .stateUnavailable: "Free some space, or give the daemon write access to its state folder"
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
