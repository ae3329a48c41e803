// Window: the credit that a peer grants when nothing else is said, and the least that works.

extension Window {
    public static let standard = Window(packets: 64, bytes: 512 * 1024)
    /// A window below this could not hold one packet.
    public static let smallest = Window(packets: 2, bytes: 2 * (PacketHeader.size + PacketLimits.body))
}
