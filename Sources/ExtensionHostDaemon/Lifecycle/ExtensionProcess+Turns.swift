// ExtensionProcess+Turns: a process whose input is read when it is idle, under `DeterministicScheduler`.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry

extension ExtensionProcess: TurnProcess {
    var identifier: String { bundle.identifier }

    /// Puts the process under the scheduler.
    ///
    /// The daemon reads its input only once it is quiescent, and packets to it wait in a queue.
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

    /// Whether input of the process stays unread for now, because the scheduler reads it later.
    func leavesInput() -> Bool {
        guard let scheduler = context.scheduler else { return false }
        return !scheduler.hasInput(self)
    }
}
