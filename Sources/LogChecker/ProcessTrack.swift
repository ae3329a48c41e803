// ProcessTrack: an extension's process as a log describes it: from spawn to exit (docs/event-log.md, "Processes").

import ExtensionProtocol

struct ProcessTrack: Sendable {
    private enum State: Sendable, Hashable {
        /// The process existed before the log began.
        case assumed
        case spawned, ready, suspended
        /// The process was told to end by SIGTERM.
        case terminated
        /// SIGKILL was sent, for this cause.
        case killed(Cause?)
        case exited
    }

    private var state: State
    private let extensionIdentifier: String?
    /// The requests that the process was given.
    private(set) var requests: Set<RequestIdentifier> = []
    private var wasReady = false
    private var wasToldOfExpiry = false
    private var isUnresponsive = false
    /// The causes of the limits that were reached.
    private var reached: Set<Cause> = []

    /// Whether the process existed before the log began, so that its earlier events are unknown.
    let isAssumed: Bool
    /// Whether the process was launched ahead of a request, which is its only one.
    private let isPrewarmed: Bool

    init(_ record: EventRecord) {
        (state, extensionIdentifier, isAssumed) = (.spawned, record.extensionIdentifier, false)
        isPrewarmed = record.detail == "prewarmed"
    }

    init(assumed record: EventRecord) {
        (state, extensionIdentifier, isAssumed, isPrewarmed) = (.assumed, record.extensionIdentifier, true, false)
    }

    var isAlive: Bool { state != .exited }

    var summary: String {
        switch state {
        case .assumed: "older than the log"
        case .spawned: "spawned"
        case .ready: "ready"
        case .suspended: "suspended"
        case .terminated: "told to end"
        case .killed: "killed"
        case .exited: "exited"
        }
    }

    private static let observed: [EventKind] = [
        .processOutput, .accessRefused, .limitReached, .processUnresponsive, .contextFault, .urlRefused,
    ]

    var allowed: [EventKind] {
        switch state {
        case .assumed:
            [.appOpened, .processReady, .processSuspended, .processResumed, .processSignalled, .processExited]
                + Self.observed
        case .spawned: [.appOpened, .processReady, .processSignalled, .processExited] + Self.observed
        case .ready: [.appOpened, .processSuspended, .processSignalled, .processExited] + Self.observed
        case .suspended: [.processResumed, .processSignalled, .processExited] + Self.observed
        case .terminated, .killed: [.processSignalled, .processExited] + Self.observed
        case .exited: [.processSpawned, .processAdopted]
        }
    }

    mutating func take(_ kind: EventKind, _ record: EventRecord) throws(Misfit) {
        let before = self
        func misfit(_ reason: String? = nil) -> Misfit {
            Misfit(state: before.summary, allowed: before.allowed, reason: reason)
        }
        switch kind {
        case .processReady: (state, wasReady) = (.ready, true)
        case .processSuspended: state = .suspended
        case .processResumed: state = .ready
        case .processSignalled:
            if record.detail == "SIGKILL" { state = .killed(record.cause) } else { state = .terminated }
        case .processExited: state = .exited
        case .processUnresponsive: isUnresponsive = true
        case .limitReached: if let cause = record.cause { reached.insert(cause) }
        default: break
        }
        guard before.allowed.contains(kind) else { throw misfit() }
        if let name = record.extensionIdentifier, let extensionIdentifier, name != extensionIdentifier {
            throw misfit("it belongs to \(extensionIdentifier), not to \(name)")
        }
        switch (kind, before.state) {
        case (.processSignalled, .killed): throw misfit("no signal follows SIGKILL")
        case (.processSignalled, .terminated) where record.detail != "SIGKILL": throw misfit("SIGTERM is sent once")
        case (.processExited, _): try checkEnd(record, before)
        default: break
        }
    }

    /// Checks that an earlier event announced a cause that the daemon decides on.
    private func checkEnd(_ record: EventRecord, _ before: ProcessTrack) throws(Misfit) {
        func misfit(_ reason: String) -> Misfit {
            Misfit(state: before.summary, allowed: before.allowed, reason: reason)
        }
        guard let cause = record.cause else { throw misfit("the event has no cause") }
        if case .killed(let decided?) = before.state, decided != cause {
            throw misfit("it was killed for \(decided.rawValue), and did not end for \(cause.rawValue)")
        }
        guard !isAssumed else { return }
        switch cause {
        case .launchTimeout where wasReady: throw misfit("launchTimeout requires a process that was never ready")
        case .noRequest where !requests.isEmpty: throw misfit("noRequest requires a process that never had a request")
        case .expired where !wasToldOfExpiry: throw misfit("\(cause.rawValue) follows request.expiring")
        case .memoryLimit where !reached.contains(cause), .cpuLimit where !reached.contains(cause):
            throw misfit("\(cause.rawValue) follows limit.reached")
        case .unresponsive where !isUnresponsive: throw misfit("unresponsive follows process.unresponsive")
        default: break
        }
    }

    /// Records that the process gets a request, or works on one that it has.
    mutating func serve(_ request: RequestIdentifier, _ kind: EventKind, _ record: EventRecord) throws(Misfit) {
        let before = self
        func misfit(_ reason: String) -> Misfit {
            Misfit(state: before.summary, allowed: before.allowed, reason: reason)
        }
        requests.insert(request)
        if kind == .requestExpiring { wasToldOfExpiry = true }
        if isAssumed { return }
        if let name = record.extensionIdentifier, let extensionIdentifier, name != extensionIdentifier {
            throw misfit("it belongs to \(extensionIdentifier), not to \(name)")
        }
        switch kind {
        case .requestDelivered:
            guard before.state == .ready else { throw misfit("a request is delivered to a process that is ready") }
            guard !isPrewarmed || requests.count == 1 else {
                throw misfit("it was launched ahead of one request, and had it")
            }
        case .requestExpiring:
            guard isAlive, before.requests.contains(request) else { throw misfit("it does not have the request") }
        case .itemLoadStarted, .callStarted:
            guard isAlive, before.requests.contains(request) else { throw misfit("it does not have the request") }
        default: guard isAlive, wasReady else { throw misfit("a request is held once its process is ready") }
        }
    }
}
