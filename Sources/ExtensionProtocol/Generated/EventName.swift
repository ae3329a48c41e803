// EventName: the events of the log, by their names.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// The kinds of events. New ones follow `noun.pastTense`.
public enum EventName: String, Sendable, Hashable, CaseIterable {
    /// The daemon serves.
    case daemonStarted = "daemon.started"
    /// The daemon begins to stop.
    case daemonStopping = "daemon.stopping"
    /// A host has connected.
    case hostConnected = "host.connected"
    /// A host has another state; `detail` is the notification.
    case hostStateChanged = "host.stateChanged"
    /// A host's session has ended.
    case hostDisconnected = "host.disconnected"
    /// A connection was refused.
    case peerRefused = "peer.refused"
    /// A host has begun a request.
    case requestCreated = "request.created"
    /// The request waits until a debugger is attached to its process.
    case requestHeld = "request.held"
    /// The extension was sent the request and its items.
    case requestDelivered = "request.delivered"
    /// The extension completed the request.
    case requestCompleted = "request.completed"
    /// The extension, the host or an operator cancelled the request.
    case requestCancelled = "request.cancelled"
    /// The request ended because its process or its connection did.
    case requestInterrupted = "request.interrupted"
    /// The request ended because a time limit ran out.
    case requestTimedOut = "request.timedOut"
    /// Work after the request's completion ran beyond its time; the extension was told so.
    case requestExpiring = "request.expiring"
    /// The daemon refused the request.
    case requestRefused = "request.refused"
    /// A client that can come back has lost its connection (section 2.1).
    case connectionLost = "connection.lost"
    /// A client has come back to its session (section 2.1).
    case connectionResumed = "connection.resumed"
    /// The host has acknowledged the answer of an extension with an interface, and takes its view down.
    case requestDismissed = "request.dismissed"
    /// An extension misused its context, in a way that Apple's interface lets fail silently.
    case contextFault = "context.misused"
    /// An extension asked for the value of an attachment.
    case itemLoadStarted = "item.loadStarted"
    /// The load of an attachment has ended.
    case itemLoadFinished = "item.loadFinished"
    /// The daemon has launched a process.
    case processSpawned = "process.spawned"
    /// The process has said hello and takes requests.
    case processReady = "process.ready"
    /// Another daemon has launched the process, and this one goes on with it.
    case processAdopted = "process.adopted"
    /// The process has printed something; `detail` has its size only.
    case processOutput = "process.output"
    /// The daemon has suspended the process.
    case processSuspended = "process.suspended"
    /// The daemon has resumed the process.
    case processResumed = "process.resumed"
    /// The daemon has sent the process a signal.
    case processSignalled = "process.signalled"
    /// The process has ended.
    case processExited = "process.exited"
    /// The main queue of the process has been blocked for `unresponsive`.
    case processUnresponsive = "process.unresponsive"
    /// A process has reached a limit. `detail` names the limit, what was used, the requests that were open and the
    /// loads under way. With a `cause` the process is killed next; without one it is given no more of the kind. The
    /// event comes once for each limit and process.
    case limitReached = "limit.reached"
    /// A confined extension was refused something, each once. `detail` names the layer, the call, what it was about,
    /// and what would allow it or what to do instead; `request` is there where one alone was open.
    case accessRefused = "access.refused"
    /// An extension has failed so often in a row that it is launched only after a pause.
    case breakerOpened = "breaker.opened"
    /// The extension is launched at once again.
    case breakerClosed = "breaker.closed"
    /// The registry has other extensions; `detail` names the identifiers that were added, removed or changed. Of a
    /// registration for a connection it is the path.
    case registryChanged = "registry.changed"
    /// A fault was injected; `detail` is which and where.
    case faultInjected = "fault.injected"
    /// The connection to the message bus was lost.
    case busLost = "bus.lost"
    /// The daemon is on the message bus again.
    case busJoined = "bus.joined"
    /// The configuration was read again; `detail` says how many files and how many problems.
    case configurationReloaded = "configuration.reloaded"
    /// An app was launched or told. `detail` is the reason, of a URL the scheme, and the extension that opens it, with
    /// that one's `request`.
    case appOpened = "app.opened"
    /// An extension wanted a URL opened that no app has; `detail` is the scheme and why.
    case urlRefused = "url.refused"
}
