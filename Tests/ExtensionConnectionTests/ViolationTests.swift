// Violations: every kind of bad packet has its name, ends the connection, and leaves no descriptor behind.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding
import Testing

@Suite struct ViolationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let packets: [[UInt8]]
        /// Copies of a descriptor beside the last packet.
        let copies: Int
        let matches: @Sendable (ProtocolError) -> Bool

        init(
            _ name: String, _ packets: [[UInt8]], copies: Int = 3,
            _ matches: @escaping @Sendable (ProtocolError) -> Bool
        ) {
            (self.name, self.packets, self.copies, self.matches) = (name, packets, copies, matches)
        }

        init(_ name: String, _ packets: [[UInt8]], copies: Int = 3, _ error: ProtocolError) {
            self.init(name, packets, copies: copies) { $0 == error }
        }

        var testDescription: String { name }
    }

    private static func isBadPropertyList(_ error: ProtocolError) -> Bool {
        if case .badPropertyList(let why) = error { !why.isEmpty } else { false }
    }

    /// An empty dictionary.
    private static let body: [UInt8] = [
        0x62, 0x70, 0x6c, 0x69, 0x73, 0x74, 0x30, 0x30, 0xd0, 0x08, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0,
        0, 0, 0, 0,
        0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 9,
    ]
    private static let fence = MessageKind.fence.rawValue
    private static func packet(_ serial: UInt32) -> [UInt8] {
        StrangePeer.packet(kind: fence, serial: serial, body: body)
    }
    private static func text(_ value: PropertyList) throws -> [UInt8] { try value.encodeBinary() }

    private static func cases() throws -> [Case] {
        [
            Case("an empty packet", [[]], copies: 0, .empty),
            Case("an empty packet with descriptors", [[]], .empty),
            Case("one byte", [[1]], .truncated(bytes: 1)),
            Case("a header cut short", [[UInt8](packet(1).prefix(15))], .truncated(bytes: 15)),
            Case(
                "a body over the limit",
                [StrangePeer.packet(kind: fence, body: [UInt8](repeating: 0, count: PacketLimits.body + 1))],
                .oversized(bytes: PacketHeader.size + PacketLimits.body)),
            Case(
                "a length over the limit", [StrangePeer.packet(kind: fence, length: PacketLimits.body + 1, body: body)],
                .oversized(bytes: PacketLimits.body + 1)),
            Case(
                "a length beyond the packet", [StrangePeer.packet(kind: fence, length: body.count + 1, body: body)],
                .lengthMismatch(header: body.count + 1, packet: body.count)),
            Case(
                "bytes behind the length", [StrangePeer.packet(kind: fence, length: body.count, body: body + [0])],
                .lengthMismatch(header: body.count, packet: body.count + 1)),
            Case("no body", [StrangePeer.packet(kind: fence, body: [])], isBadPropertyList),
            Case("trailing bytes in the body", [StrangePeer.packet(kind: fence, body: body + [0])], isBadPropertyList),
            Case(
                "a body that is text", [StrangePeer.packet(kind: fence, body: Array("<plist><dict/></plist>".utf8))],
                isBadPropertyList),
            Case("a body that is an array", [StrangePeer.packet(kind: fence, body: try text([]))], .notADictionary),
            Case(
                "a body that is a string", [StrangePeer.packet(kind: fence, body: try text("hello"))], .notADictionary),
            Case("an unknown kind", [StrangePeer.packet(kind: 0x7777, body: body)], .unknownKind(0x7777)),
            Case("unknown flags", [StrangePeer.packet(kind: fence, flags: 0x8001, body: body)], .unknownFlags(0x8001)),
            Case(
                "a sealed payload without a descriptor", [StrangePeer.packet(kind: fence, flags: 1, body: body)],
                copies: 0,
                .missingPayloadDescriptor),
            Case("seventeen descriptors", [packet(1)], copies: 17, .tooManyDescriptors),
            Case("a first serial of 0", [packet(0)], .serialOutOfOrder(expected: 1, got: 0)),
            Case("a first serial of 2", [packet(2)], .serialOutOfOrder(expected: 1, got: 2)),
            Case("a serial said again", [packet(1), packet(1)], .serialOutOfOrder(expected: 2, got: 1)),
            Case("a gap between serials", [packet(1), packet(2), packet(4)], .serialOutOfOrder(expected: 3, got: 4)),
            Case(
                "an error that answers nothing, with a serial",
                [try StrangePeer.packet(ErrorReply(ExtensionHostError(.internalError, "x")), serial: 1)],
                .serialOutOfOrder(expected: 0, got: 1)),
            Case(
                "a credit without its numbers",
                [StrangePeer.packet(kind: MessageKind.credit.rawValue, serial: 0, body: body)],
                .missing(key: "packets", kind: "credit")),
        ]
    }

    @Test(arguments: try cases())
    func aBadPacketHasItsNameAndLeavesNoDescriptorBehind(_ example: Case) throws {
        let tracer = try Tracer()
        do {
            let pair = try SocketPair()
            let peer = StrangePeer(socket: pair.first)
            var connection = Connection(socket: pair.second)
            connection.openCredit(.standard)
            for packet in example.packets.dropLast() { try peer.send(packet) }
            let last = try #require(example.packets.last)
            try peer.send(last, descriptors: Array(repeating: tracer.writing.raw, count: example.copies))
            let buffer = ReceiveBuffer()
            for _ in example.packets.dropLast() { #expect(try connection.receive(into: buffer) != nil) }
            let error = #expect(throws: ConnectionError.self) { try connection.receive(into: buffer) }
            let named = try #require(violation(error))
            #expect(example.matches(named), "\(named)")
            #expect(!named.description.isEmpty)
        }
        let closed = tracer.isClosedEverywhere()
        #expect(closed)
    }

    @Test func aPacketOfExactlyTheLimitIsTaken() throws {
        let pair = try SocketPair()
        let peer = StrangePeer(socket: pair.first)
        var connection = Connection(socket: pair.second)
        var size = PacketLimits.body
        var body: [UInt8] = []
        while body.count != PacketLimits.body {
            body = try PropertyList.dictionary(["filling": .data([UInt8](repeating: 0, count: size))]).encodeBinary()
            size -= body.count - PacketLimits.body
        }
        try peer.send(StrangePeer.packet(kind: Self.fence, body: body))
        #expect(try connection.receive(into: ReceiveBuffer())?.dictionary["filling"]?.data?.count == size)
    }

    @Test func aPeerThatReallyClosedIsNoViolation() throws {
        let pair = try SocketPair()
        var connection = Connection(socket: pair.second)
        do {
            let peer = StrangePeer(socket: pair.first)
            #expect(shutdown(peer.socket.raw, Int32(SHUT_WR)) == 0)
            let error = #expect(throws: ConnectionError.self) { try connection.receive(into: ReceiveBuffer()) }
            guard case .closed = error else { throw error ?? .closed }
        }
        let error = #expect(throws: ConnectionError.self) { try connection.receive(into: ReceiveBuffer()) }
        guard case .closed = error else { throw error ?? .closed }
    }

    // MARK: Payload descriptors

    private func payload(_ descriptor: consuming OwnedDescriptor) throws -> Payload {
        let pair = try SocketPair()
        let peer = StrangePeer(socket: pair.first)
        var connection = Connection(socket: pair.second)
        let raw = descriptor.raw
        try peer.send(StrangePeer.packet(kind: Self.fence, flags: 1, body: Self.body), descriptors: [raw])
        _ = consume descriptor
        return try #require(try connection.receive(into: ReceiveBuffer())).payload
    }

    private func expectRefusal(_ payload: Payload, _ word: String) {
        let error = #expect(throws: ProtocolError.self) { try payload.bytes() }
        guard case .badPayloadDescriptor(let why) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(why.contains(word))
    }

    @Test func anUnsealedMemoryFileIsRefusedAsAPayload() throws {
        // The C library's module leaves memfd_create(2) out.
        typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        let address = try #require(dlsym(nil, "memfd_create"))
        let closeOnExecAndAllowSealing: UInt32 = 3
        let raw = unsafeBitCast(address, to: Create.self)("stranger", closeOnExecAndAllowSealing)
        try expectRefusal(payload(OwnedDescriptor(owning: raw)), "seals")
    }

    @Test func aPipeOrFolderOrFileIsRefusedAsAPayload() throws {
        try expectRefusal(payload(OwnedDescriptor(owning: open("/", O_RDONLY | O_CLOEXEC))), "not a regular file")
        try expectRefusal(
            payload(OwnedDescriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))), "not a regular file")
        try expectRefusal(payload(OwnedDescriptor(owning: open("/proc/self/exe", O_RDONLY | O_CLOEXEC))), "memfd")
    }

    @Test func aSealedPayloadOverTheLimitIsRefusedUnread() throws {
        let memory = try SealedMemory.make(size: PacketLimits.sealedPayload + 1) { _ in }
        try expectRefusal(payload(memory), "more than the")
    }
}
