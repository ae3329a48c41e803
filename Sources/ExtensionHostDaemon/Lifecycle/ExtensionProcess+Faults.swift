// ExtensionProcess+Faults: what befalls a process on demand.

import ExtensionHostModel
import ExtensionProtocol

extension ExtensionProcess {
    /// To the program alone: a fault on demand.
    func signalProgram(_ number: Int32) { child.signalProgram(number) }

    /// The program leaves by itself, it seems: a fault on demand.
    func exitProgram(_ status: Int32) { child.exitProgram(status) }

    /// Its end of the connection is closed for good, it seems: a fault on demand. It does not notice.
    func loseSocket() {
        guard let peer else { return }
        lostPeer = peer
        peer.loseSocket()
    }

    /// Its host gives up its oldest request.
    func cancelOldest() { requestsInOrder.first?.cancel(.cancelledByHost) }

    /// A fault that stopped it ends where it goes on.
    func endFault() { peerFault.goOn() }
}
