// ConnectionError: which ends are a loss of the socket alone, after which a session may go on, and how each is told.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem
import Testing

@Suite struct ConnectionErrorTests {
    private static let words = ExtensionHostError(.quotaExceeded, "a thousand are open", remedy: "End some")

    @Test(arguments: [
        (ConnectionError.closed, true, "the peer closed the connection"),
        (.system(SystemError("recvmsg", code: ECONNABORTED)), true, "recvmsg"),
        (.violation(.empty), false, "protocol violation: \(ProtocolError.empty)"),
        (.queueFull(packets: 12), false, "the peer does not read: 12 packets wait for it"),
        (.lastWords(words), false, "a thousand are open"),
        (.local("too large"), false, "too large"),
    ])
    func onlyALossOfTheSocketLeavesTheSessionWhole(_ error: ConnectionError, isLoss: Bool, text: String) {
        #expect(error.isLossOfSocket == isLoss)
        #expect(error.description.contains(text))
    }
}
