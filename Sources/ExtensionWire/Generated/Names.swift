// Names: the codes of errors, and the causes of ends.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

extension ExtensionHostError {
    /// The codes of errors. The numbers are stable: a code is never given another meaning. `docs/errors.md` says when each
    /// is given.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// The peer sent a code that the reader does not know.
        case unrecognized = 0
        /// The peer broke the protocol; the connection ends.
        case protocolViolation = 1
        /// The two sides have no version in common. Clients also make it, of what the daemon's version does not know.
        case versionMismatch = 2
        /// What was asked for is another user's.
        case notPermitted = 3
        /// No extension has this identifier.
        case noSuchExtension = 4
        /// The request is not open.
        case noSuchRequest = 5
        /// No host of this name is connected.
        case noSuchHost = 6
        /// No daemon answers on the socket. Clients make this error.
        case noDaemon = 7
        /// The connection ended. Clients make this error.
        case connectionLost = 8
        /// A value makes no sense.
        case invalidArgument = 9
        /// There are too many connections or requests.
        case quotaExceeded = 10
        /// This part of the model is not there (not-simulated.md).
        case notSimulated = 11
        /// The request is over.
        case contextFinished = 12
        /// The bundle has faults.
        case bundleDisabled = 13
        /// The fault is the program's own.
        case internalError = 14
        /// The extension could not be executed.
        case launchFailed = 15
        /// The extension's process ended.
        case interrupted = 16
        /// A time limit ran out.
        case timedOut = 17
        /// More was sent than a packet or a payload holds.
        case payloadTooLarge = 18
        /// A load failed: the host is gone, the request has ended, or no answer came in time.
        case itemUnavailable = 19
        /// The extension has no class to make.
        case noPrincipalClass = 20
        /// The user has switched the extension off.
        case notElected = 21
        /// The daemon cannot read or write what it keeps on disk.
        case stateUnavailable = 22
        /// The extension's activation rule does not accept the items.
        case ruleMismatch = 23
        /// The extension has failed again and again and is launched only after a pause.
        case breakerOpen = 24
        /// An extension asked for what the model keeps from extensions. It is told within its process, and in the error of
        /// a cancelled request.
        case notAvailableToExtensions = 25
    }
}

/// Why a request ended, or an extension's process did.
public enum Cause: String, Sendable, Hashable, CaseIterable, OpenEnumeration {
    /// The extension called `completeRequest`; of a process: it served its one request, or exited with status 0 when
    /// nothing was open.
    case completed
    /// The extension called `cancelRequest`; its error is in the outcome.
    case cancelledByExtension
    /// The host gave the request up, or its connection ended.
    case cancelledByHost
    /// An operator used `exthostctl cancel`, or `CancelRequest` on the bus.
    case cancelledByOperator
    /// A shared process served nobody for `idle`.
    case idle
    /// The process got no request within `firstRequest`, for its host gave up while it was launched; or it was launched
    /// ahead and not used within `prewarmed`, or its bundle was replaced meanwhile.
    case noRequest
    /// Completion work ran beyond `postComplete`, was told so and stopped.
    case expiredInTime
    /// Completion work ran beyond `postComplete` and did not stop: killed.
    case expired
    /// An app ended of its own accord, with the status that stands beside it.
    case exited
    /// The user of an app closed it: Ctrl-C at `exthostctl app`, or its end.
    case closed
    /// The program could not be executed, or not be confined as `--sandbox required` wants; or `exthost-init` is
    /// missing.
    case launchFailed
    /// A signal that the daemon did not send ended the process.
    case crashed
    /// The process exited with a request open, or before it had served any, or with a status other than 0.
    case exitedEarly
    /// The process and those below it held more memory than they may (`--limit memory=…`, `--profile`, the extension
    /// point's file): killed, after the event `limit.reached`.
    case memoryLimit
    /// The process and those below it used more processor time than they may (`--limit cpu=…`): killed, after the event
    /// `limit.reached`.
    case cpuLimit
    /// The extension sent what is no packet or came out of turn, or closed its socket and lived on.
    case protocolViolation
    /// The main queue of the process was blocked for `unresponsive` (5 s), and the daemon ends such processes
    /// (`--end-unresponsive`); without that it is the event `process.unresponsive` only.
    case unresponsive
    /// The process held a lock on a file of a shared container when it was to be suspended, which would keep it from
    /// everybody else; file and kind of lock are named.
    case lockHeldAtSuspension
    /// An operator used `exthostctl kill`, or the bundle was removed.
    case terminatedByOperator
    /// The daemon ends; open requests were answered first.
    case daemonStopping
    /// The process did not say hello within `launch`: killed.
    case launchTimeout
    /// No answer came within the request's time limit; the process is killed when no other request is open in it.
    case requestTimeout
    /// The extension is not offered these items: its activation rule does not accept them, cannot be read, or is
    /// missing where its point takes rules.
    case ruleMismatch
    /// The user has switched the extension off.
    case notElected
    /// The bundle has faults.
    case bundleDisabled
    /// The host, its process or its user has too many open requests, processes, or items that wait for an extension, or
    /// the daemon has no descriptors to spare; of a connection: its process, its user or the daemon has too many.
    case quota
    /// The extension has failed so often in a row (`--breaker`, 5) that it is launched only after a pause, of 1 s at
    /// first and up to 1 min.
    case breakerOpen
    /// The request, or the connection, was turned away: no such extension, or another user.
    case notPermitted
    /// The connection to the daemon ended while the request was open.
    case connectionLost
    /// The daemon was followed by another, which could not go on with the request: its extension was not one that
    /// outlives a daemon, or did not come back; its host came back after more than 5 s; what the first had left could
    /// not be believed; of a process: it did not come back within 5 s.
    case daemonRestarted
    /// A newer daemon gave a cause that this version does not know.
    case unrecognized
}
