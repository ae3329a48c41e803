// EventName: the events of the log, and how one is made.

/// The kinds of events; new ones follow `noun.pastTense`.
public enum EventName: String, Sendable, Hashable, CaseIterable {
    case daemonStarted = "daemon.started"
    case daemonStopping = "daemon.stopping"
    case hostConnected = "host.connected"
    case hostStateChanged = "host.stateChanged"
    case hostDisconnected = "host.disconnected"
    case peerRefused = "peer.refused"
    case requestCreated = "request.created"
    case requestHeld = "request.held"
    case requestDelivered = "request.delivered"
    case requestCompleted = "request.completed"
    case requestCancelled = "request.cancelled"
    case requestInterrupted = "request.interrupted"
    case requestTimedOut = "request.timedOut"
    case requestExpiring = "request.expiring"
    case requestRefused = "request.refused"
    case connectionLost = "connection.lost"
    case connectionResumed = "connection.resumed"
    case requestDismissed = "request.dismissed"
    case contextFault = "context.misused"
    case itemLoadStarted = "item.loadStarted"
    case itemLoadFinished = "item.loadFinished"
    case processSpawned = "process.spawned"
    case processReady = "process.ready"
    case processAdopted = "process.adopted"
    case processOutput = "process.output"
    case processSuspended = "process.suspended"
    case processResumed = "process.resumed"
    case processSignalled = "process.signalled"
    case processExited = "process.exited"
    case processUnresponsive = "process.unresponsive"
    case limitReached = "limit.reached"
    case accessRefused = "access.refused"
    case breakerOpened = "breaker.opened"
    case breakerClosed = "breaker.closed"
    case registryChanged = "registry.changed"
    case faultInjected = "fault.injected"
    case busLost = "bus.lost"
    case busJoined = "bus.joined"
    case configurationReloaded = "configuration.reloaded"
    case appOpened = "app.opened"
    case urlRefused = "url.refused"
}

extension EventRecord {
    public init(
        sequence: Int, time: Int, event: EventName, request: RequestIdentifier? = nil, extensionIdentifier: String? = nil,
        host: String? = nil, pid: Int? = nil, from: String? = nil, to: String? = nil, cause: Cause? = nil, detail: String? = nil
    ) {
        self.sequence = sequence
        self.time = time
        self.event = event.rawValue
        self.request = request
        self.extensionIdentifier = extensionIdentifier
        self.host = host
        self.pid = pid
        self.from = from
        self.to = to
        self.cause = cause
        self.detail = detail
    }
}
