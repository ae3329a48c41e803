// Announcements: the moves of hosts from state to state, and what they mean to their extensions, told a few at a time.

import EventLoop
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol

/// Tells extensions of their hosts' moves. Each of them costs a packet that wakes a process, and one host may have a thousand: told all at
/// once, nobody else would have a turn for tens of milliseconds. What a process is sent meanwhile comes behind what it has not been told yet.
@HostActor
final class Announcements {
    /// Processes told before the loop looks at others.
    private static let perTurn = 4

    private let context: DaemonContext
    private let inventory: Inventory
    /// In the order of the moves, and in each of the processes' launches. Each once, however often its hosts move meanwhile.
    private var waiting: [ExtensionProcess] = []
    /// The first of those that is not told yet.
    private var position = 0
    /// The numbers of those that wait.
    private var named: Set<Int> = []

    init(_ context: DaemonContext, _ inventory: Inventory) {
        self.context = context
        self.inventory = inventory
    }

    /// Moves the host to `target`. Each edge is one event, one bus signal and one message to every extension concerned, all
    /// with the same sequence (spec 1.7). Each is a step of its own, so the effects of the first on a process come before the
    /// second.
    func move(_ host: Host, to target: HostStateName) {
        if target != .inactive, host.state != .inactive, host.state != target {
            context.driver.post(.hostMoves(host.name, to: .inactive))
        }
        context.driver.post(.hostMoves(host.name, to: target))
    }

    /// Tells every extension that serves `host`, and whose point lets it hear of that. Under a virtual clock each in its turn, as all that is sent.
    func announce(_ notification: HostNotification, ofHost name: String) {
        guard let host = inventory.hosts[name] else { return }
        var concerned: [Int: (process: ExtensionProcess, requests: [RequestIdentifier])] = [:]
        for request in inventory.requests(of: host) {
            guard let process = request.process else { continue }
            let hears = process.point.hostNotifications && request.isOpen && request.timings.delivered != nil
            concerned[process.number, default: (process, [])].requests += hears ? [request.identifier] : []
        }
        let inOrder = concerned.values.sorted { $0.process.number < $1.process.number }
        for (process, requests) in inOrder where !requests.isEmpty {
            let message = HostStateChanged(notification: notification, requests: requests, sequence: host.sequence)
            if context.scheduler == nil { process.peer?.postpone(message) } else { process.peer?.send(message) }
        }
        guard context.scheduler == nil else {
            for (process, _) in inOrder { process.hasHeard() }
            return
        }
        for (process, _) in inOrder where named.insert(process.number).inserted { waiting.append(process) }
        if position == 0 { tellNext() }
    }

    /// Tells the rest at once: another daemon would know nothing of it.
    func finish() {
        while position < waiting.count { tell() }
    }

    private func tellNext() {
        for _ in 0..<Self.perTurn where position < waiting.count { tell() }
        guard position < waiting.count else {
            waiting.removeAll()
            return position = 0
        }
        EventLoop.shared.atEndOfIteration { [weak self] in self?.tellNext() }
    }

    private func tell() {
        let process = waiting[position]
        position += 1
        named.remove(process.number)
        process.tellPostponed()
    }
}
