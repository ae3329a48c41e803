// Names: the codes of errors, and the causes of ends.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

extension ExtensionHostError {
    /// The codes of errors. The numbers are stable: a code never changes its meaning. `docs/errors.md` has the case of each
    /// code.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// The peer sent a code that the reader does not know.
        case unrecognized = 0
        /// The peer broke the protocol; the connection ends.
        case protocolViolation = 1
        /// The two sides have no version in common. Clients also create it, for a message that the daemon's version does
        /// not know.
        case versionMismatch = 2
        /// The object belongs to another user.
        case notPermitted = 3
        /// No extension has this identifier.
        case noSuchExtension = 4
        /// The request is not open.
        case noSuchRequest = 5
        /// No host of this name is connected.
        case noSuchHost = 6
        /// No daemon answers on the socket. Clients create this error.
        case noDaemon = 7
        /// The connection ended. Clients create this error.
        case connectionLost = 8
        /// A value is invalid.
        case invalidArgument = 9
        /// There are too many connections or requests.
        case quotaExceeded = 10
        /// The model does not simulate this part (not-simulated.md).
        case notSimulated = 11
        /// The request has ended.
        case contextFinished = 12
        /// The bundle has faults.
        case bundleDisabled = 13
        /// The program itself is at fault.
        case internalError = 14
        /// The extension could not be executed.
        case launchFailed = 15
        /// The extension's process ended.
        case interrupted = 16
        /// A time limit ran out.
        case timedOut = 17
        /// A message exceeds the limit of a packet or a payload.
        case payloadTooLarge = 18
        /// A load failed: the host has disconnected, the request has ended, or no answer came in time.
        case itemUnavailable = 19
        /// The extension has no principal class.
        case noPrincipalClass = 20
        /// The user has switched the extension off.
        case notElected = 21
        /// The daemon cannot read or write its state on disk.
        case stateUnavailable = 22
        /// The extension's activation rule does not accept the items.
        case ruleMismatch = 23
        /// The extension has failed several times in a row, and the daemon launches it only after a pause.
        case breakerOpen = 24
        /// An extension used an API that the model denies to extensions. The error occurs inside its process, and in the
        /// error of a cancelled request.
        case notAvailableToExtensions = 25
        /// The extension's kit lacks the framework of its extension point, or all calls.
        case frameworkMissing = 26
        /// The principal class does not adopt what its extension point needs.
        case principalUnsuitable = 27
        /// A part of the machine is missing that this needs: an image library, a page engine.
        case helperMissing = 28
        /// The program dropped the completion handler of a call without calling it.
        case handlerDropped = 29
        /// The receiver of a call has no code for it.
        case notImplemented = 30
        /// No host and no program provides the service.
        case serviceUnavailable = 31
    }
}

/// The cause of the end of a request or of an extension's process.
public enum Cause: String, Sendable, Hashable, CaseIterable, OpenEnumeration {
    /// The extension called `completeRequest`. For a process: it served its only request, or exited with status 0
    /// without an open request.
    case completed
    /// The extension called `cancelRequest`; the outcome has its error.
    case cancelledByExtension
    /// The host cancelled the request, or its connection ended.
    case cancelledByHost
    /// An operator used `exthostctl cancel`, or `CancelRequest` on the bus.
    case cancelledByOperator
    /// A shared process had no request for `idle`.
    case idle
    /// The process received no request within `firstRequest`, because its host cancelled during the launch. Or it was
    /// launched ahead and not used within `prewarmed`, or its bundle was replaced.
    case noRequest
    /// Completion work exceeded `postComplete`, received `expired` and stopped.
    case expiredInTime
    /// Completion work exceeded `postComplete` and did not stop: killed.
    case expired
    /// An app exited of its own accord, with any status.
    case exited
    /// The user closed an app: Ctrl-C at `exthostctl app`, or the end of that command. Or the daemon closed an app that
    /// it had woken, once the app had dealt with its events.
    case closed
    /// An app that was woken for the events of a session did not call its completion handler in time.
    case wakeExpired
    /// The kernel could not execute the program, `--sandbox required` could not confine it, or `exthost-init` is
    /// missing.
    case launchFailed
    /// A signal ended the process that the daemon did not send.
    case crashed
    /// The process exited with a request open, or before it had served any, or with a status other than 0.
    case exitedEarly
    /// The process and its descendants exceeded their memory limit (`--limit memory=…`, `--profile`, the extension
    /// point's file): killed, after the event `limit.reached`.
    case memoryLimit
    /// The process and its descendants exceeded their limit of processor time (`--limit cpu=…`): killed, after the
    /// event `limit.reached`.
    case cpuLimit
    /// The extension sent an invalid or unexpected packet, or closed its socket and did not exit.
    case protocolViolation
    /// The main queue of the process was blocked for `unresponsive` (5 s), and the daemon ends such processes
    /// (`--end-unresponsive`). Without that option there is only the event `process.unresponsive`.
    case unresponsive
    /// The process held a lock on a file of a shared container before its suspension, which would block other
    /// processes. The detail has the file and the kind of lock.
    case lockHeldAtSuspension
    /// An operator used `exthostctl kill`, or the bundle was removed.
    case terminatedByOperator
    /// The daemon stops. It answered the open requests first.
    case daemonStopping
    /// The process sent no `hello` within `launch`: killed.
    case launchTimeout
    /// No answer came within the request's time limit, or no completion within `postComplete` after the point's last
    /// call. The daemon kills the process if it has no other open request.
    case requestTimeout
    /// The daemon does not offer the extension for these items. Its activation rule does not accept them, cannot be
    /// read, or is missing at a point that takes rules.
    case ruleMismatch
    /// The user has switched the extension off.
    case notElected
    /// The bundle has faults.
    case bundleDisabled
    /// The host, its process or its user has too many open requests, processes or queued items, or the daemon has no
    /// free descriptors. For a connection: its process, its user or the daemon has too many.
    case quota
    /// The extension has failed `--breaker` (5) times in a row. The daemon launches it only after a pause, of 1 s at
    /// first and up to 1 min.
    case breakerOpen
    /// The daemon refused the request or the connection: no such extension, or another user.
    case notPermitted
    /// The connection to the daemon ended while the request was open.
    case connectionLost
    /// Another daemon followed and could not resume the request: its extension cannot outlive a daemon or did not
    /// reconnect, its host reconnected after more than 5 s, or the journal was invalid. For a process: it did not
    /// reconnect within 5 s.
    case daemonRestarted
    /// A newer daemon sent a cause that this version does not know.
    case unrecognized
}
