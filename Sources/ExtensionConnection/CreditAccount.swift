// CreditAccount: what each side of a connection may still send.

import ExtensionWire

/// Both directions of one end: what the peer may send before it is in violation, and what this end may.
struct CreditAccount: Sendable {
    private let grant: Window
    /// What the peer may still send.
    private var peerCredit: Window
    /// What has been read and not yet given back.
    private(set) var owed = Window(packets: 0, bytes: 0)
    /// What this end may still send, and at the most.
    private var credit = Window(packets: 0, bytes: 0)
    private var fullCredit = Window(packets: 0, bytes: 0)

    init(granting window: Window) {
        grant = window
        peerCredit = window
    }

    /// Nothing is on the way any more, either way.
    mutating func startAnew() { (credit, peerCredit, owed) = (fullCredit, grant, Window(packets: 0, bytes: 0)) }

    // MARK: What this end sends

    /// The peer has granted this.
    mutating func open(_ window: Window) {
        credit = window
        fullCredit = window
    }

    /// Whether a packet of this many bytes may be sent.
    func covers(_ bytes: Int) -> Bool { credit.packets >= 1 && credit.bytes >= bytes }

    mutating func spend(_ bytes: Int) {
        credit.packets -= 1
        credit.bytes -= bytes
    }

    /// The peer gives back so much: never more than was used.
    mutating func add(_ window: Window) throws(ProtocolError) {
        guard window.packets > 0, window.bytes > 0, window.packets <= fullCredit.packets - credit.packets,
            window.bytes <= fullCredit.bytes - credit.bytes
        else { throw .badCredit }
        credit.packets += window.packets
        credit.bytes += window.bytes
    }

    // MARK: What the peer sends

    /// A packet has come; gives what it cost, which is owed once it has been dealt with.
    mutating func charge(_ bytes: Int) throws(ProtocolError) -> Window {
        peerCredit.packets -= 1
        peerCredit.bytes -= bytes
        guard peerCredit.packets >= 0, peerCredit.bytes >= 0 else {
            throw .creditExceeded(packets: max(0, -peerCredit.packets), bytes: max(0, -peerCredit.bytes))
        }
        return Window(packets: 1, bytes: bytes)
    }

    mutating func owe(_ cost: Window) {
        owed.packets += cost.packets
        owed.bytes += cost.bytes
    }

    /// Whether it is worth a packet to give back what is owed: half the window, or anything that is waited for.
    func isDue(atOnce: Bool) -> Bool {
        owed.packets * 2 >= grant.packets || owed.bytes * 2 >= grant.bytes || atOnce && owed.packets > 0
    }

    /// What is owed has been given back.
    mutating func giveBack() {
        peerCredit.packets += owed.packets
        peerCredit.bytes += owed.bytes
        owed = Window(packets: 0, bytes: 0)
    }
}
