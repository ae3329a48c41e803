// ExtensionProcess+Turns: a process whose input is read when it rests.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry

extension ExtensionProcess: TurnProcess {
    var identifier: String { bundle.identifier }

    /// The process has its turns: nothing of it is read before it rests, and what is sent to it waits in line.
    func take(_ scheduler: DeterministicScheduler) {
        scheduler.markActive(self)
        child.willSignal = { [weak self] in if let self { scheduler.markActive(self) } }
        peer?.turn = Peer.Turn(
            send: { [weak self] body in
                scheduler.send {
                    self?.clock.tellTime()
                    body()
                    if let self { scheduler.markActive(self) }
                }
            },
            reads: { [weak self] in self.map(scheduler.hasInput) ?? true },
            ends: { $0() })
    }

    func lookForDebuggers() -> Bool {
        let held = requestsInOrder.filter(\.isAwaitingDebugger)
        for request in held { request.lookForDebugger() }
        return held.allSatisfy(\.isAwaitingDebugger)
    }

    /// Whether its turn will come, and what has come is to be left until then.
    func leavesInput() -> Bool {
        guard let scheduler = context.scheduler else { return false }
        return !scheduler.hasInput(self)
    }
}
