// CreditAccount: the credit of each side of a connection.

import ExtensionWire

/// The credit of both directions of one end: what the peer may send before it is in violation, and what this end may
/// send.
struct CreditAccount: Sendable {
    private let grant: Window
    /// The packets and bytes that the peer may still send.
    private var peerCredit: Window
    /// The packets and bytes that have been read and not yet given back.
    private(set) var owed = Window(packets: 0, bytes: 0)
    /// The packets and bytes that this end may still send, and their maximum.
    private var credit = Window(packets: 0, bytes: 0)
    private var fullCredit = Window(packets: 0, bytes: 0)

    init(granting window: Window) {
        grant = window
        peerCredit = window
    }

    /// Resets all credit for a new socket: no packet is on the way in either direction.
    mutating func startAnew() { (credit, peerCredit, owed) = (fullCredit, grant, Window(packets: 0, bytes: 0)) }

    // MARK: What this end sends

    /// Sets the window that the peer has granted.
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

    /// Adds the credit that the peer gives back; throws if it is more than was used.
    mutating func add(_ window: Window) throws(ProtocolError) {
        guard window.packets > 0, window.bytes > 0, window.packets <= fullCredit.packets - credit.packets,
            window.bytes <= fullCredit.bytes - credit.bytes
        else { throw .badCredit }
        credit.packets += window.packets
        credit.bytes += window.bytes
    }

    // MARK: What the peer sends

    /// Charges the peer for a packet; returns its cost, which is owed once the packet has been dealt with.
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

    /// Whether the owed credit is worth a packet: half the window, or any credit that the peer waits for.
    func isDue(atOnce: Bool) -> Bool {
        owed.packets * 2 >= grant.packets || owed.bytes * 2 >= grant.bytes || atOnce && owed.packets > 0
    }

    /// Counts the owed credit as given back.
    mutating func giveBack() {
        peerCredit.packets += owed.packets
        peerCredit.bytes += owed.bytes
        owed = Window(packets: 0, bytes: 0)
    }
}
