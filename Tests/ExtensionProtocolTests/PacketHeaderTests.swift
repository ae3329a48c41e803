// PacketHeader: sixteen bytes there and back, and every way in which they can be wrong.

import ExtensionProtocol
import Testing

@Suite struct PacketHeaderTests {
    private func packet(_ header: PacketHeader, body: Int) -> [UInt8] {
        var packet = [UInt8](repeating: 0, count: PacketHeader.size + body)
        packet.withUnsafeMutableBytes { header.write(to: $0) }
        return packet
    }

    private func read(_ packet: [UInt8]) throws -> PacketHeader {
        try packet.withUnsafeBytes { try PacketHeader(packet: $0) }
    }

    @Test(arguments: [
        PacketHeader(kind: 0, bodyLength: 0, serial: 0),
        PacketHeader(kind: 0x0281, flags: .sealedPayload, bodyLength: 5, serial: 1, replyTo: 2),
        PacketHeader(kind: .max, bodyLength: UInt32(PacketLimits.body), serial: .max, replyTo: .max),
    ])
    func aHeaderIsReadBackEqual(_ header: PacketHeader) throws {
        #expect(try read(packet(header, body: Int(header.bodyLength))) == header)
    }

    @Test func theBytesAreLittleEndianInTheOrderOfTheFields() {
        let header = PacketHeader(
            kind: 0x0102, flags: .sealedPayload, bodyLength: 0x0304, serial: 0x0506_0708, replyTo: 0x090a_0b0c)
        #expect(
            packet(header, body: 0) == [
                0x02, 0x01, 0x01, 0x00, 0x04, 0x03, 0x00, 0x00, 0x08, 0x07, 0x06, 0x05, 0x0c, 0x0b, 0x0a, 0x09,
            ])
    }

    @Test(arguments: 0..<PacketHeader.size)
    func aPacketShorterThanAHeaderIsTruncated(_ count: Int) {
        #expect(throws: ProtocolError.truncated(bytes: count)) { try read([UInt8](repeating: 0, count: count)) }
    }

    @Test(arguments: 1..<16)
    func everyUnknownFlagIsRefused(_ bit: Int) {
        let flags = PacketHeader.Flags(rawValue: 1 << UInt16(bit) | 1)
        let bytes = packet(PacketHeader(kind: 1, flags: flags, bodyLength: 0, serial: 1), body: 0)
        #expect(throws: ProtocolError.unknownFlags(flags.rawValue)) { try read(bytes) }
    }

    @Test func aBodyOverTheLimitIsOversizedWhateverThePacketHolds() {
        let bytes = packet(
            PacketHeader(kind: 1, bodyLength: UInt32(PacketLimits.body + 1), serial: 1), body: PacketLimits.body + 1)
        #expect(throws: ProtocolError.oversized(bytes: PacketLimits.body + 1)) { try read(bytes) }
        let lie = packet(PacketHeader(kind: 1, bodyLength: .max, serial: 1), body: 0)
        #expect(throws: ProtocolError.oversized(bytes: Int(UInt32.max))) { try read(lie) }
    }

    @Test func aLengthThatIsNotThePacketsIsAMismatchEitherWay() {
        let bytes = packet(PacketHeader(kind: 1, bodyLength: 4, serial: 1), body: 5)
        #expect(throws: ProtocolError.lengthMismatch(header: 4, packet: 5)) { try read(bytes) }
        let short = packet(PacketHeader(kind: 1, bodyLength: 4, serial: 1), body: 3)
        #expect(throws: ProtocolError.lengthMismatch(header: 4, packet: 3)) { try read(short) }
    }

    @Test func anAnswersKindIsItsQuestionsWithTheHighBitOfTheLowByte() {
        let pairs: [(MessageKind, MessageKind)] = [
            (.hello, .welcome), (.fence, .fenceReply), (.begin, .begun), (.loadItem, .itemLoaded),
            (.listExtensions, .extensions),
            (.listProcesses, .processes), (.listHosts, .hosts), (.listExits, .exits), (.listRequests, .requests),
        ]
        for (question, answer) in pairs { #expect(answer.rawValue == question.rawValue | 0x80) }
    }
}
