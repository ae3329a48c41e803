// RecordedPacket: the direction of a recorded packet.

extension RecordedPacket {
    /// Whether the daemon sent the packet to the peer of this role, and not the peer to the daemon.
    static func isFromDaemon(_ fields: Fields, _ role: Role) throws(ProtocolError) -> Bool {
        let sender: String = try fields.value(.from)
        guard sender == "daemon" || sender == role.rawValue else { throw .wrongType(key: "from", kind: fields.kind) }
        return sender == "daemon"
    }
}
