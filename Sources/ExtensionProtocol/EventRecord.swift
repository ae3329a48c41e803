// EventRecord: one line of the event log, as it is kept, sent and printed.

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

/// One event. `sequence` counts from 1 in each daemon without a gap; absent fields do not apply.
public struct EventRecord: Sendable, Hashable, WireStructure {
    public var sequence: Int
    /// Microseconds since 1970-01-01 00:00:00 UTC; virtual when the daemon's clock is.
    public var time: Int
    public var event: String
    public var request: RequestIdentifier?
    public var extensionIdentifier: String?
    public var host: String?
    public var pid: Int?
    public var from: String?
    public var to: String?
    public var cause: Cause?
    public var detail: String?

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

    public init(_ fields: Fields) throws(ProtocolError) {
        sequence = try fields.value(.sequence)
        time = try fields.value(.time)
        event = try fields.value(.event)
        request = try fields.optional(.request)
        extensionIdentifier = try fields.optional(.extension)
        host = try fields.optional(.host)
        pid = try fields.optional(.pid)
        from = try fields.optional(.from)
        to = try fields.optional(.to)
        cause = try fields.optional(.cause)
        detail = try fields.optional(.detail)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.sequence, sequence)
        fields.set(.time, time)
        fields.set(.event, event)
        fields.set(.request, request)
        fields.set(.extension, extensionIdentifier)
        fields.set(.host, host)
        fields.set(.pid, pid)
        fields.set(.from, from)
        fields.set(.to, to)
        fields.set(.cause, cause)
        fields.set(.detail, detail)
    }
}
