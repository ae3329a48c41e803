// EncodedPacket: a message in the form that goes into a socket.

import ExtensionWire
import LinuxDescriptors
import PropertyListCoding

struct EncodedPacket {
    let bytes: [UInt8]
    /// The descriptors of the packet; that of a sealed payload is the first.
    let descriptors: [SharedDescriptor]

    /// - Throws: `.local` for a message that is larger than a packet.
    init<M: Message>(
        _ message: M, payload: Payload = .none, descriptors: [SharedDescriptor] = [], serial: UInt32 = 0,
        replyTo: UInt32 = 0
    ) throws(ConnectionError) {
        var writer = FieldWriter()
        message.encode(into: &writer)
        var flags: PacketHeader.Flags = []
        var passed = descriptors
        // A payload that came inline may have to be sealed here, because this packet's own fields may need the room.
        var payload = payload
        if case .inline(let bytes) = payload { payload = try Payload(bytes) }
        switch payload {
        case .none: break
        case .inline(let bytes): writer.set(.payload, Bytes(bytes))
        case .sealed(let memory):
            flags = .sealedPayload
            passed.insert(memory, at: 0)
        }
        guard descriptors.count < PacketLimits.descriptors else {
            throw .local(
                "\(descriptors.count) descriptors are too many: a packet has at most \(PacketLimits.descriptors - 1) beside its payload"
            )
        }
        var packet = [UInt8](repeating: 0, count: PacketHeader.size)
        do {
            try PropertyList.dictionary(writer.dictionary).encodeBinary(into: &packet)
        } catch {
            throw .local("\(M.kind) cannot be written: \(error)")
        }
        let length = packet.count - PacketHeader.size
        guard length <= PacketLimits.body else {
            throw .local(
                "\(M.kind) of \(length) bytes is over the limit of \(PacketLimits.body); large contents belong in a payload"
            )
        }
        let header = PacketHeader(
            kind: M.kind.rawValue, flags: flags, bodyLength: UInt32(length), serial: serial, replyTo: replyTo)
        packet.withUnsafeMutableBytes { header.write(to: $0) }
        (bytes, self.descriptors) = (packet, passed)
    }
}
