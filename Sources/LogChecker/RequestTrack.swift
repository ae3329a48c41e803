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
    private var openCalls: [OpenCall] = []
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

    /// Whether a call of the request is known to wait for its end.
    var hasOpenCalls: Bool { !openCalls.isEmpty }

    var summary: String {
        switch state {
        case .assumed: "older than the log"
        case .created: "created"
        case .held: "held"
        case .delivered: "delivered"
        case .ended(let cause):
            "ended (\(cause?.rawValue ?? "no cause"))" + (isDismissed ? ", dismissed" : "")
                + (openCalls.first.map { ", with the call \($0.name) \($0.number) open" } ?? "")
        }
    }

    var allowed: [EventKind] {
        let finishing: [EventKind] =
            (openLoads > 0 || isOlder ? [.itemLoadFinished] : []) + (hasOpenCalls || isOlder ? [.callFinished] : [])
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
            if state == .assumed { state = .delivered }
        case .callFinished: break
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
        if let reason = checkCall(kind, record) { throw misfit(reason) }
        if Self.ends.contains(kind) { try checkEnd(kind, record, before) }
    }

    /// Follows the calls. Returns the reason if the call of the event is not the right one.
    private mutating func checkCall(_ kind: EventKind, _ record: EventRecord) -> String? {
        guard kind == .callStarted || kind == .callFinished else { return nil }
        guard let call = OpenCall(record.detail ?? "", isStart: kind == .callStarted) else {
            return "the detail has no name and number of a call"
        }
        guard kind == .callFinished else {
            if openCalls.contains(where: { $0.number == call.number && $0.caller == call.caller }) {
                return "a call \(call.number) by the \(call.caller) is open"
            }
            openCalls.append(call)
            return nil
        }
        // The event has no caller. Both sides may make a call of one name and number.
        if let place = openCalls.firstIndex(where: { $0.name == call.name && $0.number == call.number }) {
            openCalls.remove(at: place)
        } else if !isOlder {
            return "the call \(call.name) \(call.number) is not open"
        }
        return nil
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

/// A call that has begun, by the detail of its events.
private struct OpenCall: Sendable, Hashable {
    let name: Substring
    let number: Int
    /// `host` or `extension`. Empty in the event of its end.
    let caller: Substring

    /// Reads `today.performUpdate 3 by the host`, or `today.performUpdate 3: ` and an outcome.
    init?(_ detail: String, isStart: Bool) {
        let words = detail.split(separator: " ", maxSplits: 4)
        guard words.count >= (isStart ? 5 : 2), isStart || words[1].hasSuffix(":"),
            let number = Int(isStart ? words[1] : words[1].dropLast())
        else { return nil }
        (name, self.number, caller) = (words[0], number, isStart ? words[4] : "")
    }
}
