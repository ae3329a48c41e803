// LogChecker: the check of an event log, live or from a file, against the machines of docs/event-log.md.

public import ExtensionProtocol

typealias EventKind = EventName

/// Reads a daemon's events in order and reports each one that is impossible.
///
/// The type shares no code with the daemon: the machines are written down twice, and the daemon is compared with the
/// page.
///
/// A log that begins later than its daemon (`sequence` above 1) is checked as far as possible: older subjects are
/// accepted as they appear. After a violation the subject is in the state that the event names, so that one fault is
/// reported once. The type is not safe to share between threads.
public struct LogChecker: Sendable {
    private var last: EventRecord?
    /// Whether the log began after its daemon.
    private var isPartial = false
    private var hasStarted = false
    private var isStopping = false
    private let timeIsVirtual: Bool
    private var requests: [RequestIdentifier: RequestTrack] = [:]
    private var processes: [Int: ProcessTrack] = [:]
    private var hosts: [String: HostTrack] = [:]
    /// Lost connections of extensions and tools, by pid.
    private var lost: [Int: Int] = [:]
    private var openBreakers: Set<String> = []

    /// - Parameter timeIsVirtual: whether the daemon's clock was virtual, and so never went back.
    public init(timeIsVirtual: Bool = false) { self.timeIsVirtual = timeIsVirtual }

    /// Takes the next event of the log.
    ///
    /// - Returns: the violation, or nil.
    public mutating func observe(_ record: EventRecord) -> Violation? {
        let order = checkOrder(record)
        if let last, record.sequence > last.sequence + 1 { forget() }
        let subject = checkSubjects(record)
        last = record
        return order ?? subject
    }

    /// Forgets every subject: the missing events may have been anything, so the log now begins later than its daemon.
    private mutating func forget() {
        isPartial = true
        (requests, processes, hosts, lost, openBreakers) = ([:], [:], [:], [:], [])
    }

    /// Returns what is missing at the end of a log whose daemon stopped in order: requests and calls without an end,
    /// and processes.
    ///
    /// A log that was cut off, as by a kill of the daemon, has no such violations.
    public func unfinished() -> [Violation] {
        guard isStopping, let last else { return [] }
        func missing(_ subject: String, _ state: String, _ allowed: [EventKind]) -> Violation {
            Violation(
                sequence: last.sequence, event: "end of the log", subject: subject, state: state,
                allowed: allowed.map(\.rawValue),
                reason: nil)
        }
        let open = requests.filter { $0.value.isOpen || $0.value.hasOpenCalls }.map {
            missing("request \($0.key)", $0.value.summary, $0.value.allowed)
        }
        let alive = processes.filter { $0.value.isAlive }.map {
            missing("process \($0.key)", $0.value.summary, $0.value.allowed)
        }
        return (open + alive).sorted { $0.subject < $1.subject }
    }

    // MARK: The log as a whole

    private mutating func checkOrder(_ record: EventRecord) -> Violation? {
        func wrong(_ reason: String) -> Violation {
            Violation(
                sequence: record.sequence, event: record.event, subject: "the log",
                state: last.map { "at \($0.sequence)" } ?? "empty", allowed: [], reason: reason)
        }
        guard let last else {
            isPartial = record.sequence > 1
            return record.sequence < 1 ? wrong("numbers begin at 1") : nil
        }
        guard record.sequence == last.sequence + 1 else {
            return wrong("the number after \(last.sequence) is \(last.sequence + 1)")
        }
        guard !timeIsVirtual || record.time >= last.time else { return wrong("virtual time moved backwards") }
        return nil
    }

    private mutating func checkSubjects(_ record: EventRecord) -> Violation? {
        // A later daemon may know more events.
        guard let kind = EventKind(rawValue: record.event) else { return nil }
        do {
            switch kind {
            case .daemonStarted, .daemonStopping: try daemon(kind, record)
            case .hostConnected, .hostStateChanged, .hostDisconnected: try host(kind, record)
            case .connectionLost, .connectionResumed: try connection(kind, record)
            case .requestCreated, .requestHeld, .requestDelivered, .requestCompleted, .requestCancelled,
                .requestInterrupted,
                .requestTimedOut, .requestExpiring, .requestRefused, .requestDismissed, .itemLoadStarted,
                .itemLoadFinished,
                .callStarted, .callFinished:
                try request(kind, record)
            case .processSpawned, .processReady, .processOutput, .processSuspended, .processResumed, .processSignalled,
                .processExited,
                .processUnresponsive, .limitReached, .accessRefused, .contextFault, .appOpened, .urlRefused:
                try process(kind, record)
            case .processAdopted: try adopted(record)
            case .breakerOpened, .breakerClosed: try breaker(kind, record)
            case .peerRefused, .registryChanged, .annotationChanged, .annotationRefused, .consentChanged,
                .serviceOpened, .serviceClosed, .faultInjected,
                .busLost, .busJoined, .configurationReloaded:
                break
            }
            return nil
        } catch {
            return Violation(
                sequence: record.sequence, event: record.event, subject: error.subject, state: error.misfit.state,
                allowed: error.misfit.allowed.map(\.rawValue), reason: error.misfit.reason)
        }
    }

    fileprivate struct Fault: Error {
        var subject: String
        var misfit: Misfit
    }

    private func fault(_ subject: String, _ state: String, _ allowed: [EventKind], _ reason: String? = nil) -> Fault {
        Fault(subject: subject, misfit: Misfit(state: state, allowed: allowed, reason: reason))
    }

    private mutating func daemon(_ kind: EventKind, _ record: EventRecord) throws(Fault) {
        switch kind {
        case .daemonStarted:
            defer { hasStarted = true }
            // The daemon continues with the state of another one.
            if record.from != nil { isPartial = true }
            if hasStarted || isStopping {
                throw fault("the daemon", isStopping ? "stopping" : "started", [.daemonStopping])
            }
        default:
            defer { isStopping = true }
            if isStopping { throw fault("the daemon", "stopping", []) }
        }
    }

    private mutating func breaker(_ kind: EventKind, _ record: EventRecord) throws(Fault) {
        guard let identifier = record.extensionIdentifier else {
            throw fault("a breaker", "unknown", [], "the event has no extension")
        }
        // Each failure while it is open opens it for longer.
        if kind == .breakerOpened {
            openBreakers.insert(identifier)
        } else if openBreakers.remove(identifier) == nil, !isPartial {
            throw fault("the breaker of \(identifier)", "closed", [.breakerOpened])
        }
    }

    // MARK: Hosts

    private mutating func host(_ kind: EventKind, _ record: EventRecord) throws(Fault) {
        guard let name = record.host else { throw fault("a host", "unknown", [], "the event has no host") }
        var track = hosts[name] ?? HostTrack(isAssumed: isPartial)
        let result = Result { () throws(Misfit) in try track.take(kind, record) }
        hosts[name] = track.isGone ? nil : track
        try result.of("host \(name)")
    }

    private mutating func connection(_ kind: EventKind, _ record: EventRecord) throws(Fault) {
        if let name = record.host {
            guard var track = hosts[name] ?? (isPartial ? HostTrack(isAssumed: true) : nil) else {
                throw fault("host \(name)", "unknown", [.hostConnected])
            }
            let result = Result { () throws(Misfit) in try track.take(kind, record) }
            hosts[name] = track
            return try result.of("host \(name)")
        }
        guard let pid = record.pid else { throw fault("a connection", "unknown", [], "the event has no process") }
        if kind == .connectionLost {
            lost[pid, default: 0] += 1
            if record.extensionIdentifier != nil { try alive(pid, kind, record) }
        } else {
            guard lost[pid, default: 0] > 0 || isPartial else {
                throw fault("the connection of process \(pid)", "there", [.connectionLost])
            }
            lost[pid, default: 1] -= 1
        }
    }

    // MARK: Requests

    private mutating func request(_ kind: EventKind, _ record: EventRecord) throws(Fault) {
        guard let identifier = record.request else {
            throw fault("a request", "unknown", [], "the event has no request")
        }
        let subject = "request \(identifier)"
        guard
            var track = requests[identifier]
                ?? (isPartial && kind != .requestCreated ? RequestTrack(assumed: record) : nil)
                ?? (kind == .requestCreated ? RequestTrack(record) : nil)
        else {
            throw fault(subject, "unknown", [.requestCreated])
        }
        let isNew = requests[identifier] == nil
        let result = Result { () throws(Misfit) in if !isNew || kind != .requestCreated { try track.take(kind, record) }
        }
        requests[identifier] = track
        try result.of(subject)
        if kind == .requestCreated, let name = record.host, hosts[name] == nil, !isPartial {
            throw fault(subject, "not there", [], "host \(name) is not connected")
        }
        // The process that has the request, or had it at its end, is alive. A late notice to an extension, or a load,
        // belongs to its own process.
        if let pid = record.pid {
            switch kind {
            case .requestDelivered, .itemLoadStarted, .callStarted, .requestExpiring, .requestHeld:
                try serving(pid, identifier, kind, record)
            default: break
            }
        }
    }

    private mutating func serving(_ pid: Int, _ request: RequestIdentifier, _ kind: EventKind, _ record: EventRecord)
        throws(Fault)
    {
        guard var process = processes[pid] ?? (isPartial ? ProcessTrack(assumed: record) : nil) else {
            throw fault("process \(pid)", "unknown", [.processSpawned])
        }
        let result = Result { () throws(Misfit) in try process.serve(request, kind, record) }
        processes[pid] = process
        try result.of("process \(pid)")
    }

    // MARK: Processes

    private mutating func process(_ kind: EventKind, _ record: EventRecord) throws(Fault) {
        guard let pid = record.pid else {
            // A process that could not be started has no pid.
            if kind == .processExited, record.cause == .launchFailed { return }
            throw fault("a process", "unknown", [], "the event has no process")
        }
        if kind == .processSpawned {
            defer { processes[pid] = ProcessTrack(record) }
            if let known = processes[pid], known.isAlive { throw fault("process \(pid)", known.summary, known.allowed) }
            if isStopping { throw fault("the daemon", "stopping", [], "it launches no more processes") }
            return
        }
        guard var track = processes[pid] ?? (isPartial ? ProcessTrack(assumed: record) : nil) else {
            throw fault("process \(pid)", "unknown", [.processSpawned])
        }
        let open = track.requests.compactMap { name in requests[name].map { (name, $0) } }.filter { $0.1.isOpen }
        let result = Result { () throws(Misfit) in
            try track.take(kind, record)
            if kind == .processExited, let first = open.first {
                throw Misfit(
                    state: track.summary, allowed: RequestTrack.ends,
                    reason: "its request \(first.0) must be answered first")
            }
            if kind == .processSuspended {
                guard !open.isEmpty || track.isAssumed else {
                    throw Misfit(state: track.summary, allowed: [], reason: "it serves no request")
                }
                if let active = open.compactMap({ $0.1.host }).first(where: { hosts[$0]?.isActive == true }) {
                    throw Misfit(state: track.summary, allowed: [], reason: "its host \(active) is active")
                }
            }
        }
        processes[pid] = track
        if kind == .processExited { lost[pid] = nil }
        try result.of("process \(pid)")
    }

    /// Records a process whose first events are in another daemon's log.
    private mutating func adopted(_ record: EventRecord) throws(Fault) {
        guard let pid = record.pid else { throw fault("a process", "unknown", [], "the event has no process") }
        defer { processes[pid] = ProcessTrack(assumed: record) }
        if let known = processes[pid], known.isAlive { throw fault("process \(pid)", known.summary, known.allowed) }
    }

    private mutating func alive(_ pid: Int, _ kind: EventKind, _ record: EventRecord) throws(Fault) {
        guard let track = processes[pid] else {
            if isPartial { return }
            throw fault("process \(pid)", "unknown", [.processSpawned])
        }
        guard track.isAlive else { throw fault("process \(pid)", track.summary, track.allowed) }
    }
}

extension Result where Success == Void, Failure == Misfit {
    fileprivate func of(_ subject: String) throws(LogChecker.Fault) {
        do { try get() } catch { throw LogChecker.Fault(subject: subject, misfit: error) }
    }
}
