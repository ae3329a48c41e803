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
    /// The state of a host has changed; `detail` is the notification.
    case hostStateChanged = "host.stateChanged"
    /// A host's session has ended.
    case hostDisconnected = "host.disconnected"
    /// The daemon refused a connection.
    case peerRefused = "peer.refused"
    /// A host has begun a request.
    case requestCreated = "request.created"
    /// The request waits until a debugger is attached to its process.
    case requestHeld = "request.held"
    /// The daemon sent the request and its items to the extension.
    case requestDelivered = "request.delivered"
    /// The extension completed the request.
    case requestCompleted = "request.completed"
    /// The extension, the host or an operator cancelled the request.
    case requestCancelled = "request.cancelled"
    /// The request ended because its process or its connection ended.
    case requestInterrupted = "request.interrupted"
    /// The request ended because a time limit ran out.
    case requestTimedOut = "request.timedOut"
    /// Work after the request's completion exceeded its time, and the daemon sent `expired`.
    case requestExpiring = "request.expiring"
    /// The daemon refused the request.
    case requestRefused = "request.refused"
    /// A client that can resume its session has lost its connection (section 2.1).
    case connectionLost = "connection.lost"
    /// A client has resumed its session (section 2.1).
    case connectionResumed = "connection.resumed"
    /// The host has the answer of an extension with an interface, and removes its view.
    case requestDismissed = "request.dismissed"
    /// An extension misused its context, in a way that fails silently in Apple's API.
    case contextFault = "context.misused"
    /// An extension asked for the value of an attachment.
    case itemLoadStarted = "item.loadStarted"
    /// The load of an attachment has ended.
    case itemLoadFinished = "item.loadFinished"
    /// A side of a request has called the other; `detail` has the name, the caller and its number.
    case callStarted = "call.started"
    /// A call has ended; `detail` has its name, number and outcome.
    case callFinished = "call.finished"
    /// A client has opened a connection with a service; `detail` has the service and the client.
    case serviceOpened = "service.opened"
    /// A connection with a service has ended; `detail` has the service, the client and the number of calls.
    case serviceClosed = "service.closed"
    /// The daemon has launched a process.
    case processSpawned = "process.spawned"
    /// The process has sent `hello` and accepts requests.
    case processReady = "process.ready"
    /// The daemon has adopted a process that an earlier daemon launched.
    case processAdopted = "process.adopted"
    /// The process has printed output; `detail` has only its size.
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
    /// A process has reached a limit, once per limit; `detail` has the limit, the usage, the open requests and the open
    /// loads. With a `cause` the daemon kills the process next, otherwise the process gets no more of that resource.
    case limitReached = "limit.reached"
    /// Confinement denied an access of an extension; each denial is reported once. `detail` has the layer, the call,
    /// its object, and the entitlement or the remedy. `request` is present if exactly one was open.
    case accessRefused = "access.refused"
    /// An extension has failed several times in a row, and the daemon launches it only after a pause.
    case breakerOpened = "breaker.opened"
    /// The daemon launches the extension without a pause again.
    case breakerClosed = "breaker.closed"
    /// The extensions in the registry have changed; `detail` has the identifiers that were added, removed or changed.
    /// For a registration for a connection it is the path.
    case registryChanged = "registry.changed"
    /// The daemon has injected a fault; `detail` has its kind and its point.
    case faultInjected = "fault.injected"
    /// The daemon has lost its connection to the message bus.
    case busLost = "bus.lost"
    /// The daemon is on the message bus again.
    case busJoined = "bus.joined"
    /// The daemon has reloaded its configuration; `detail` has the number of files and of problems.
    case configurationReloaded = "configuration.reloaded"
    /// An app was launched or activated. `detail` has the reason, the scheme of a URL, and the extension that opens it,
    /// whose request is in `request`.
    case appOpened = "app.opened"
    /// The daemon or the app refused a URL that an extension asked to open; `detail` has the scheme and the reason.
    case urlRefused = "url.refused"
    /// An extension or its app has set or deleted an annotation; `detail` has its name.
    case annotationChanged = "annotation.changed"
    /// The daemon refused an annotation; `detail` has the reason.
    case annotationRefused = "annotation.refused"
    /// The user has given a consent or taken it back; `detail` has its name.
    case consentChanged = "consent.changed"
}
