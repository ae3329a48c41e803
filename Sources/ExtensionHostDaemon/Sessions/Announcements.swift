// Announcements: the state changes of hosts, and their delivery to extensions, a few at a time.

import EventLoop
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol

/// Sends the state changes of hosts to their extensions.
///
/// Each message costs a packet that wakes a process, and one host may have a thousand. If all were sent at once, nobody
/// else would have a turn for tens of milliseconds. Other packets for a process follow the announcements that it has
/// not received yet.
@HostActor
final class Announcements {
    /// The number of processes that get their announcements before the loop serves others.
    private static let perTurn = 4

    private let context: DaemonContext
    private let inventory: Inventory
    /// The processes with pending announcements, in the order of the moves, and for each move of the launches.
    ///
    /// Each is listed once, however often its hosts move meanwhile.
    private var waiting: [ExtensionProcess] = []
    /// The position of the first process that has not got its announcements.
    private var position = 0
    /// The numbers of the processes that wait.
    private var named: Set<Int> = []

    init(_ context: DaemonContext, _ inventory: Inventory) {
        self.context = context
        self.inventory = inventory
    }

    /// Moves the host to `target`.
    ///
    /// Each edge is one event, one bus signal and one message to every extension concerned, all with the same sequence
    /// (spec 1.7). Each is a separate step, so the effects of the first on a process come before the second.
    func move(_ host: Host, to target: HostStateName) {
        if target != .inactive, host.state != .inactive, host.state != target {
            context.driver.post(.hostMoves(host.name, to: .inactive))
        }
        context.driver.post(.hostMoves(host.name, to: target))
    }

    /// Sends a notification to every extension that serves `host`, and whose point lets it hear of that.
    ///
    /// Under a virtual clock each message has its turn, like all packets.
    func announce(_ notification: HostNotification, ofHost name: String) {
        guard let host = inventory.hosts[name] else { return }
        var concerned: [Int: (process: ExtensionProcess, requests: [RequestIdentifier])] = [:]
        for request in inventory.requests(of: host) {
            guard let process = request.process else { continue }
            let hears = process.point.hostNotifications && request.isOpen && request.timings.delivered != nil
            concerned[process.number, default: (process, [])].requests += hears ? [request.identifier] : []
        }
        let inOrder = concerned.keys.sorted().compactMap { concerned[$0] }
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

    /// Sends the remaining announcements at once: another daemon would know nothing of them.
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
