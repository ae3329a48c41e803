// HostTrack: a host as a log describes it: connected, its state, gone (docs/event-log.md, "Hosts").

import ExtensionProtocol

struct HostTrack: Sendable {
    private var state: HostStateName?
    private var isConnected: Bool
    private var isLost = false
    private(set) var isGone = false

    /// - Parameter isAssumed: whether the host existed before the log began, in an unknown state.
    init(isAssumed: Bool) { isConnected = isAssumed }

    var isActive: Bool { state == .active }

    private var summary: String {
        isLost ? "cut off" : state.map { "\($0)" } ?? (isConnected ? "connected" : "unknown")
    }

    private var allowed: [EventKind] {
        isConnected
            ? [.hostStateChanged, .hostDisconnected, isLost ? .connectionResumed : .connectionLost] : [.hostConnected]
    }

    mutating func take(_ kind: EventKind, _ record: EventRecord) throws(Misfit) {
        let before = (summary, allowed, isConnected, isLost, state)
        func misfit(_ reason: String? = nil) -> Misfit { Misfit(state: before.0, allowed: before.1, reason: reason) }
        switch kind {
        case .hostConnected:
            // A host that existed before the log began cannot connect either, but then its state would be known.
            let isFirst = !before.2 || before.4 == nil
            (isConnected, isLost, state) = (true, false, .active)
            guard isFirst else { throw misfit() }
        case .hostStateChanged:
            let edge = (
                record.from.flatMap(HostStateName.init(rawValue:)), record.to.flatMap(HostStateName.init(rawValue:))
            )
            isConnected = true
            state = edge.1 ?? state
            guard before.2 else { throw misfit() }
            guard let from = edge.0, let to = edge.1 else { throw misfit("the event has no states") }
            guard before.4 == nil || before.4 == from else { throw misfit("it cannot leave \(from)") }
            guard Self.edges.contains([from, to]) else { throw misfit("there is no edge from \(from) to \(to)") }
        case .connectionLost:
            isLost = true
            guard before.2, !before.3 else { throw misfit() }
        case .connectionResumed:
            isLost = false
            guard before.2, before.3 || before.4 == nil else { throw misfit() }
        default:
            isGone = true
            guard before.2 else { throw misfit() }
        }
    }

    /// The edges of spec 1.7.
    private static let edges: Set<[HostStateName]> = [
        [.active, .inactive], [.inactive, .active], [.inactive, .background], [.background, .inactive],
    ]
}
