// RequestTrack: a request as a log describes it: from its begin to its one end (docs/event-log.md, "Requests").

import ExtensionProtocol

struct RequestTrack: Sendable {
    private enum State: Sendable, Hashable {
        /// The request existed before the log began.
        case assumed
        case created, held, delivered
        case ended(Cause?)
    }

    static let ends: [EventKind] = [
        .requestCompleted, .requestCancelled, .requestInterrupted, .requestTimedOut, .requestRefused,
    ]

    private var state: State
    private let extensionIdentifier: String?
    let host: String?
    /// The pid of the process to which the request was delivered.
    private var pid: Int?
    private var openLoads = 0
    /// The calls that have begun and not finished, of both sides.
    private var openCalls = 0
    /// Whether the request may have had open loads when the log began.
    private let isOlder: Bool
    private var isDismissed = false
    private var isExpiring = false

    init(_ record: EventRecord) {
        (state, extensionIdentifier, host, isOlder) = (.created, record.extensionIdentifier, record.host, false)
    }

    init(assumed record: EventRecord) {
        (state, extensionIdentifier, host, isOlder) = (.assumed, record.extensionIdentifier, record.host, true)
    }

    /// Whether the request is known to wait for its end.
    var isOpen: Bool { state == .created || state == .held || state == .delivered }

    var summary: String {
        switch state {
        case .assumed: "older than the log"
        case .created: "created"
        case .held: "held"
        case .delivered: "delivered"
        case .ended(let cause): "ended (\(cause?.rawValue ?? "no cause"))" + (isDismissed ? ", dismissed" : "")
        }
    }

    var allowed: [EventKind] {
        let finishing: [EventKind] =
            (openLoads > 0 || isOlder ? [.itemLoadFinished] : []) + (openCalls > 0 || isOlder ? [.callFinished] : [])
        switch state {
        case .assumed:
            return [.requestHeld, .requestDelivered] + Self.ends + [
                .requestDismissed, .requestExpiring, .itemLoadStarted, .itemLoadFinished, .callStarted, .callFinished,
            ]
        case .created: return [.requestHeld, .requestDelivered] + Self.ends.dropFirst()
        case .held: return [.requestDelivered] + Self.ends.dropFirst().dropLast()
        case .delivered: return [.itemLoadStarted, .callStarted] + finishing + Self.ends.dropLast()
        case .ended(let cause):
            return (isDismissed || !Self.isAnswer(cause) ? [] : [.requestDismissed])
                + (isExpiring || cause != .completed ? [] : [.requestExpiring]) + finishing
        }
    }

    /// Whether an end is the extension's own answer, which a host acknowledges.
    private static func isAnswer(_ cause: Cause?) -> Bool { cause == .completed || cause == .cancelledByExtension }

    mutating func take(_ kind: EventKind, _ record: EventRecord) throws(Misfit) {
        let before = self
        func misfit(_ reason: String? = nil) -> Misfit {
            Misfit(state: before.summary, allowed: before.allowed, reason: reason)
        }
        switch kind {
        case .requestHeld: state = .held
        case .requestDelivered: (state, pid) = (.delivered, record.pid)
        case .itemLoadStarted:
            openLoads += 1
            if state == .assumed { state = .delivered }
        case .itemLoadFinished: openLoads = max(openLoads - 1, 0)
        case .callStarted:
            openCalls += 1
            if state == .assumed { state = .delivered }
        case .callFinished: openCalls = max(openCalls - 1, 0)
        case .requestDismissed: isDismissed = true
        case .requestExpiring: isExpiring = true
        case .requestCreated: break
        default: if isOpen || state == .assumed { state = .ended(record.cause) }
        }
        guard before.allowed.contains(kind) else { throw misfit() }
        if let name = record.extensionIdentifier, let extensionIdentifier, name != extensionIdentifier {
            throw misfit("it belongs to \(extensionIdentifier), not to \(name)")
        }
        if let name = record.host, let host, name != host { throw misfit("it belongs to host \(host), not to \(name)") }
        if let known = before.pid, let pid = record.pid, pid != known {
            throw misfit("process \(known) has it, not \(pid)")
        }
        if kind == .requestDelivered, record.pid == nil { throw misfit("the event has no process") }
        if Self.ends.contains(kind) { try checkEnd(kind, record, before) }
    }

    /// Checks that the cause fits the outcome and the earlier events.
    private func checkEnd(_ kind: EventKind, _ record: EventRecord, _ before: RequestTrack) throws(Misfit) {
        func misfit(_ reason: String) -> Misfit {
            Misfit(state: before.summary, allowed: before.allowed, reason: reason)
        }
        guard let cause = record.cause else { throw misfit("the event has no cause") }
        let outcome: OutcomeKind =
            switch kind {
            case .requestCompleted: .completed
            case .requestCancelled: .cancelled
            case .requestInterrupted: .interrupted
            case .requestTimedOut: .timedOut
            default: .refused
            }
        guard cause == .unrecognized || cause.outcome == outcome else {
            throw misfit("\(cause.rawValue) is \(cause.outcome.rawValue)")
        }
        guard before.state == .created || before.state == .held else { return }
        switch cause {
        case .completed, .cancelledByExtension, .requestTimeout:
            throw misfit("\(cause.rawValue) requires a delivered request")
        default: break
        }
    }
}
