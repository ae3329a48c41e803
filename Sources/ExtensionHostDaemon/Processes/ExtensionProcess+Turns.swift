// ExtensionProcess+Turns: a process whose input is read when it rests.

import EventLoop
import ExtensionProtocol

extension ExtensionProcess {
    /// The process has its turns: nothing of it is read before it rests, and what is sent to it waits in line.
    func take(_ turns: Turns) {
        peer?.turn = Peer.Turn(
            send: { [weak self] body in
                turns.send {
                    self?.clock.tellTime()
                    body()
                    if let self { turns.stir(self) }
                }
            },
            reads: { [weak self] in self.map(turns.hasInput) ?? true },
            ends: { $0() })
    }

    /// Whether its turn will come, and what has come is to be left until then.
    func leavesInput() -> Bool {
        guard let turns = engine.turns else { return false }
        return !turns.hasInput(self)
    }
}
