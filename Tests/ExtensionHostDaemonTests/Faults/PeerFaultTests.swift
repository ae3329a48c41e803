// PeerFaultTests: of faults that overlap, none cuts another short, and none is left over.

import Testing

@testable import ExtensionHostDaemon

@Suite struct PeerFaultTests {
    enum Step: Sendable { case strike, strikeDeaf, goOn, slow, slowSent, pass, passSent }

    /// After each step, whether it is deaf, and whether it is mute.
    static let table: [(steps: [(Step, deaf: Bool, mute: Bool)], what: String)] = [
        ([(.slow, true, false), (.pass, false, false)], "one delay"),
        ([(.slowSent, false, true), (.passSent, false, false)], "one the other way"),
        (
            [(.slow, true, false), (.slow, true, false), (.pass, true, false), (.pass, false, false)],
            "the end of the one is not that of the other, whichever is the shorter"
        ),
        (
            [(.slow, true, false), (.slowSent, true, true), (.pass, false, true), (.passSent, false, false)],
            "both ways"
        ),
        (
            [(.slow, true, false), (.strike, true, true), (.pass, true, true), (.goOn, false, false)],
            "a delay does not let one speak that was stopped"
        ),
        (
            [(.slow, true, false), (.strike, true, true), (.goOn, true, false), (.pass, false, false)],
            "one that goes on is slow for the rest of its delay"
        ),
        ([(.strikeDeaf, true, false), (.goOn, false, false), (.goOn, false, false)], "deaf alone"),
        ([(.strike, true, true), (.strikeDeaf, true, true), (.goOn, false, false)], "struck twice"),
    ]

    @Test(arguments: table.indices) func stepByStep(row: Int) {
        var peerFault = PeerFault()
        for (step, isDeaf, isMute) in Self.table[row].steps {
            switch step {
            case .strike: peerFault.begin(isMute: true)
            case .strikeDeaf: peerFault.begin(isMute: false)
            case .goOn: peerFault.goOn()
            case .slow: peerFault.beginDelay(sent: false)
            case .slowSent: peerFault.beginDelay(sent: true)
            case .pass: peerFault.endDelay(sent: false)
            case .passSent: peerFault.endDelay(sent: true)
            }
            #expect(peerFault.isDeaf == isDeaf && peerFault.isMute == isMute, "\(Self.table[row].what), \(step)")
        }
        #expect(peerFault == PeerFault(), "\(Self.table[row].what)")
    }
}
