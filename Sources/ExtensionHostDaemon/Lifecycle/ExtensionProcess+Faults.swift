// ExtensionProcess+Faults: the faults that the daemon injects into a process on demand.

import ExtensionHostModel
import ExtensionProtocol

extension ExtensionProcess {
    /// Sends a signal to the program alone: a fault on demand.
    func signalProgram(_ number: Int32) { child.signalProgram(number) }

    /// Ends the program as if it had exited by itself: a fault on demand.
    func exitProgram(_ status: Int32) { child.exitProgram(status) }

    /// Treats the connection as if the process had closed it for good: a fault on demand.
    ///
    /// The process does not notice: `lostPeer` holds the socket open.
    func loseSocket() {
        guard let peer else { return }
        lostPeer = peer
        peer.loseSocket()
    }

    /// Cancels the oldest request of the process as its host would: a fault on demand.
    func cancelOldest() { requestsInOrder.first?.cancel(.cancelledByHost) }

    /// Ends a fault that stopped the process, because the process is resumed.
    func endFault() { peerFault.goOn() }
}
