// Connection: what is sent arrives equal and in order, descriptors and payloads beside it, over real sockets.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding
import Testing

@Suite struct ConnectionTests {
    private static let request = RequestIdentifier()

    // spec: A1
    @Test func aMessageArrivesEqualWithItsSerialAndTheOneItAnswers() throws {
        var link = try Link()
        let first = try link.near.enqueue(Deliver(request: Self.request, host: "Photos", hostState: .inactive))
        let second = try link.near.enqueue(Success(), replyTo: 77)
        #expect(try link.near.flush() == .drained)
        let packets = try link.received()
        #expect(packets.map(\.kind) == [.deliver, .success])
        #expect(packets.map(\.serial) == [first, second])
        #expect(packets.map(\.replyTo) == [0, 77])
        #expect(packets.map(\.cost.packets) == [1, 1])
        let message: Deliver = try packets[0].message()
        #expect((message.request, message.host, message.hostState) == (Self.request, "Photos", .inactive))
    }

    @Test(arguments: [0, 1, 1000, PacketLimits.inlinePayload, PacketLimits.inlinePayload + 1, 1 << 20])
    func aPayloadOfAnySizeArrivesEqualInlineOrSealed(_ size: Int) throws {
        var link = try Link()
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try link.near.enqueue(Complete(request: Self.request, work: false), payload: try Payload(bytes))
        _ = try link.near.flush()
        let packet = try #require(try link.received().first)
        #expect(try packet.payload.bytes() == bytes)
        switch packet.payload {
        case .none: Issue.record("the payload is gone")
        case .inline: #expect(size <= PacketLimits.inlinePayload)
        case .sealed: #expect(size > PacketLimits.inlinePayload)
        }
        #expect(packet.descriptors.isEmpty)
    }

    @Test func aPacketWithoutAPayloadHasNone() throws {
        var link = try Link()
        try link.near.enqueue(Fence())
        _ = try link.near.flush()
        #expect(try link.received().first?.payload.bytes() == nil)
    }

    @Test func descriptorsArriveInOrderBesideASealedPayload() throws {
        var link = try Link()
        let bytes = [UInt8](repeating: 9, count: 100_000)
        let memories = try (0..<15).map { SharedDescriptor(try SealedMemory.make([UInt8($0)])) }
        try link.near.enqueue(ItemLoaded(), payload: try Payload(bytes), descriptors: memories, replyTo: 3)
        _ = try link.near.flush()
        let packet = try #require(try link.received().first)
        #expect(try packet.payload.bytes() == bytes)
        #expect(packet.descriptors.count == 15)
        for (number, descriptor) in packet.descriptors.enumerated() {
            #expect(try Payload.sealed(descriptor).bytes() == [UInt8(number)])
            #expect(fcntl(descriptor.raw, F_GETFD) == FD_CLOEXEC)
        }
    }

    @Test func descriptorsThatArriveAreClosedWithThePacket() throws {
        let tracer = try Tracer()
        do {
            var link = try Link()
            try link.near.enqueue(Fence(), descriptors: [tracer.writing, tracer.writing])
            _ = try link.near.flush()
            let packets = try link.received()
            #expect(packets.first?.descriptors.count == 2)
        }
        let closed = tracer.isClosedEverywhere()
        #expect(closed)
    }

    @Test func whatCannotBeSentIsRefusedHereAndTakesNoSerial() throws {
        var link = try Link()
        let one = SharedDescriptor(try SealedMemory.make([1]))
        let text = String(repeating: "x", count: PacketLimits.body)
        #expect(throws: ConnectionError.self) {
            try link.near.enqueue(ContextFault(request: Self.request, detail: text))
        }
        #expect(throws: ConnectionError.self) {
            try link.near.enqueue(Fence(), descriptors: Array(repeating: one, count: 17))
        }
        #expect(throws: ConnectionError.self) {
            try link.near.enqueue(Fence(), payload: .sealed(one), descriptors: Array(repeating: one, count: 16))
        }
        #expect(try link.near.enqueue(Fence()) == 1)
        _ = try link.near.flush()
        #expect(try link.received().map(\.serial) == [1])
    }

    /// A message that nests deeper than a property list is written.
    private struct Bottomless: Message {
        static let kind = MessageKind.success
        init() {}
        init(_ fields: Fields) {}
        func encode(into fields: inout FieldWriter) {
            fields.set(
                .detail, (0...PropertyListLimits.greatestDepth).reduce(PropertyList.array([])) { value, _ in [value] })
        }
    }

    @Test func aMessageThatCannotBeWrittenIsRefusedByItsName() throws {
        var link = try Link()
        let error = #expect(throws: ConnectionError.self) { try link.near.enqueue(Bottomless()) }
        #expect(error?.description.hasPrefix("success cannot be written: ") == true)
        #expect(link.near.queuedPackets == 0)
    }

    @Test func aPayloadOverTheLimitIsRefusedBeforeAnythingIsMade() {
        let bytes = [UInt8](repeating: 0, count: PacketLimits.sealedPayload + 1)
        let error = #expect(throws: ConnectionError.self) { _ = try Payload(bytes) }
        #expect(error?.description.contains("over the limit of \(PacketLimits.sealedPayload)") == true)
    }

    @Test func thousandsOfPacketsArriveInOrderThroughASmallWindow() throws {
        var link = try Link(window: Window(packets: 8, bytes: Window.smallest.bytes))
        for number in 0..<3000 { try link.near.enqueue(ListHosts(offset: number)) }
        let packets = try link.pump()
        #expect(try packets.map { try $0.message(ListHosts.self).offset } == Array(0..<3000))
        #expect(packets.map(\.serial) == (1...3000).map { UInt32($0) })
        #expect(link.near.queuedPackets == 0)
    }

    @Test func aFullSocketIsSaidAndTheRestGoesWhenThereIsRoom() throws {
        var link = try Link(window: Window(packets: 10_000, bytes: 1 << 30))
        for number in 0..<2000 { try link.near.enqueue(ListHosts(offset: number)) }
        #expect(try link.near.flush() == .waitingForSocket)
        var offsets: [Int] = []
        while offsets.count < 2000 {
            let packets = try link.received()
            #expect(!packets.isEmpty)
            if packets.isEmpty { break }
            offsets += try packets.map { try $0.message(ListHosts.self).offset }
            _ = try link.near.flush()
        }
        #expect(offsets == Array(0..<2000))
    }

    // MARK: The queue

    @Test func aQueueOfTooManyPacketsIsFullByName() throws {
        var link = try Link(window: .smallest)
        for _ in 0..<Connection.queueLimit.packets { try link.near.enqueue(Fence()) }
        let error = #expect(throws: ConnectionError.self) { try link.near.enqueue(Fence()) }
        guard case .queueFull(Connection.queueLimit.packets) = error else { throw error ?? .closed }
        #expect(error?.description.contains("does not read") == true)
        // Full, and still of use: the peer reads, and all goes.
        #expect(try link.pump().count == Connection.queueLimit.packets)
        try link.near.enqueue(Fence())
    }

    @Test func aQueueOfTooManyBytesIsFullByName() throws {
        var link = try Link(window: .smallest)
        let payload = Payload.inline([UInt8](repeating: 0, count: PacketLimits.inlinePayload))
        var count = 0
        let error = #expect(throws: ConnectionError.self) {
            while true {
                try link.near.enqueue(Fence(), payload: payload)
                count += 1
            }
        }
        guard case .queueFull(count) = error else { throw error ?? .closed }
        #expect(count <= Connection.queueLimit.bytes / PacketLimits.inlinePayload)
        #expect(count > Connection.queueLimit.bytes / PacketLimits.inlinePayload / 2)
    }

    // MARK: The end

    // spec: 1.3
    @Test func whatThePeerSaidBeforeItClosedIsReadThoughSendingFailsMeanwhile() throws {
        let window = Window(packets: 8, bytes: 1 << 20)
        let pair = try SocketPair()
        var reader = Connection(socket: pair.second, granting: window)
        reader.openCredit(window)
        do {
            var writer = Connection(socket: pair.first)
            writer.openCredit(window)
            for _ in 0..<8 { try writer.enqueue(Fence()) }
            _ = try writer.flush()
            writer.sendLastWords(ExtensionHostError(.quotaExceeded, "enough"))
        }
        try awaitHangUp(reader.descriptor)
        let buffer = ReceiveBuffer()
        try reader.enqueue(Fence())
        for _ in 0..<8 {
            let packet = try #require(try reader.receive(into: buffer))
            #expect(packet.kind == .fence)
            // Half the window is owed after the fourth: the credit for it has nobody to go to any more.
            reader.release(packet.cost)
            #expect(try reader.flush() == .drained)
        }
        #expect(try reader.receive(into: buffer)?.message(ErrorReply.self).error.message == "enough")
        for _ in 0..<2 {
            let error = #expect(throws: ConnectionError.self) { try reader.receive(into: buffer) }
            guard case .closed = error else { throw error ?? .closed }
        }
        #expect(reader.queuedPackets == 0)
    }

    @Test func aPeerThatListensNoMoreIsClosedThoughItDidNotClose() throws {
        let pair = try SocketPair()
        #expect(shutdown(pair.first.raw, Int32(SHUT_RD)) == 0)
        var connection = Connection(socket: pair.second)
        connection.openCredit(.standard)
        try connection.enqueue(Fence())
        #expect(try connection.flush() == .drained)
        let error = #expect(throws: ConnectionError.self) { try connection.receive(into: ReceiveBuffer()) }
        guard case .closed = error else { throw error ?? .closed }
        _ = pair.first.raw
    }

    @Test func whatAPeerSentIsReadThoughItClosedWithoutReadingWhatItWasSent() throws {
        let pair = try SocketPair()
        var reader = Connection(socket: pair.second)
        reader.openCredit(.standard)
        do {
            var writer = Connection(socket: pair.first)
            writer.openCredit(.standard)
            try writer.enqueue(Complete(request: Self.request, work: false))
            _ = try writer.flush()
            try reader.enqueue(Fence())
            _ = try reader.flush()
        }
        try awaitHangUp(reader.descriptor)
        let buffer = ReceiveBuffer()
        #expect(try reader.receive(into: buffer)?.kind == .complete)
        let error = #expect(throws: ConnectionError.self) { try reader.receive(into: buffer) }
        guard case .closed = error else { throw error ?? .closed }
    }

    @Test func aSocketThatIsNotConnectedFailsByTheSystemsError() throws {
        let raw = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var connection = Connection(socket: Socket(OwnedDescriptor(owning: raw)))
        connection.openCredit(.standard)
        try connection.enqueue(Fence())
        for error in [
            #expect(throws: ConnectionError.self) { try connection.flush() },
            #expect(throws: ConnectionError.self) { try connection.receive(into: ReceiveBuffer()) },
        ] {
            guard case .system(let system) = error else { throw error ?? .closed }
            #expect(system.code == ENOTCONN)
            #expect(error?.description == system.description)
        }
    }

    @Test func lastWordsTooLongForAPacketStayUnsaid() throws {
        var link = try Link()
        link.near.sendLastWords(ExtensionHostError(.internalError, String(repeating: "x", count: PacketLimits.body)))
        #expect(try link.received().isEmpty)
    }

    @Test func lastWordsPassTheQueueAndNeedNoCredit() throws {
        var link = try Link(window: .smallest)
        for _ in 0..<10 { try link.near.enqueue(Fence()) }
        #expect(try link.near.flush() == .waitingForCredit)
        link.near.sendLastWords(ExtensionHostError(.quotaExceeded, "too much", remedy: "less"))
        let last = try #require(try link.received().last)
        #expect((last.kind, last.serial, last.replyTo) == (.error, 0, 0))
        #expect(
            try last.message(ErrorReply.self).error == ExtensionHostError(.quotaExceeded, "too much", remedy: "less"))
        #expect(last.cost == Window(packets: 0, bytes: 0))
    }
}
