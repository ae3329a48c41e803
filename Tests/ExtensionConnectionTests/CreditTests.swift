// Credit: a sender stops at the window and goes on after a release; a peer that does not is cut off by name.

import ExtensionConnection
import ExtensionProtocol
import LinuxSystem
import Testing

@Suite struct CreditTests {
    private static let window = Window(packets: 4, bytes: 4 * Window.smallest.bytes)

    @Test func aSenderStopsAtTheWindowOfPacketsAndGoesOnAfterTheRelease() throws {
        var link = try Link(window: Self.window)
        for _ in 0..<10 { try link.near.enqueue(Fence()) }
        #expect(try link.near.flush() == .waitingForCredit)
        let packets = try link.received()
        #expect(packets.count == 4)
        #expect(link.near.queuedPackets == 6)

        // Nothing comes back before half the window is owed.
        link.far.release(packets[0].cost)
        #expect(link.far.queuedPackets == 0)
        link.far.release(packets[1].cost)
        #expect(try link.far.flush() == .drained)
        #expect(try link.takeCredit() == nil)
        #expect(try link.near.flush() == .waitingForCredit)
        #expect(try link.received().map(\.serial) == [5, 6])
    }

    @Test func aSenderStopsAtTheWindowOfBytes() throws {
        var link = try Link(window: Window(packets: 1000, bytes: Window.smallest.bytes))
        let payload = Payload.inline([UInt8](repeating: 1, count: PacketLimits.inlinePayload))
        for _ in 0..<6 { try link.near.enqueue(Fence(), payload: payload) }
        #expect(try link.near.flush() == .waitingForCredit)
        let packets = try link.received()
        #expect(packets.count == 3)
        #expect(packets.map(\.cost.bytes).reduce(0, +) <= Window.smallest.bytes)
        for packet in packets { link.far.release(packet.cost) }
        _ = try link.far.flush()
        #expect(try link.takeCredit() == nil)
        // What was released before the flush went back together.
        #expect(try link.near.flush() == .drained)
        #expect(try link.received().count == 3)
    }

    @Test func aWindowOfTheSmallestSizeNeverStandsStillWhateverTheSizes() throws {
        var link = try Link(window: .smallest)
        var generator = SeededGenerator(seed: 7)
        var sizes: [Int] = []
        for _ in 0..<300 {
            let size =
                Bool.random(using: &generator)
                ? PacketLimits.body - 200 : Int.random(in: 0..<PacketLimits.body - 200, using: &generator)
            sizes.append(size)
            try link.near.enqueue(
                ErrorReply(ExtensionHostError(.internalError, String(repeating: "x", count: size))), replyTo: 1)
            if link.near.queuedPackets > 50 { _ = try link.near.flush() }
            if link.near.queuedPackets > 50 { try checkNext(of: &sizes, from: try link.pump()) }
        }
        try checkNext(of: &sizes, from: try link.pump())
        #expect(sizes.isEmpty)
    }

    private func checkNext(of sizes: inout [Int], from packets: [Packet]) throws {
        for packet in packets {
            #expect(try packet.message(ErrorReply.self).error.message.utf8.count == sizes.removeFirst())
        }
    }

    @Test func helloAndWelcomeNeedNoCredit() throws {
        let pair = try SocketPair()
        var near = Connection(socket: pair.first)
        var far = Connection(socket: pair.second, granting: Window(packets: 0, bytes: 0))
        try near.enqueue(Hello(role: .control, sdk: "s"))
        try near.enqueue(Fence())
        #expect(try near.flush() == .waitingForCredit)
        let buffer = ReceiveBuffer()
        #expect(try far.receive(into: buffer)?.kind == .hello)
        #expect(try far.receive(into: buffer) == nil)
    }

    @Test func creditPassesWhatWaitsForCredit() throws {
        var link = try Link(window: Self.window)
        // Both ends are at their limits; without precedence for credit neither would ever go on.
        for _ in 0..<8 {
            try link.near.enqueue(Fence())
            try link.far.enqueue(Fence())
        }
        #expect(try link.near.flush() == .waitingForCredit)
        #expect(try link.far.flush() == .waitingForCredit)
        for packet in try link.received() { link.far.release(packet.cost) }
        #expect(try link.far.flush() == .waitingForCredit)
        var backwards = 0
        while try link.takeCredit() != nil { backwards += 1 }
        #expect(backwards == 4)
        #expect(try link.near.flush() == .drained)
        #expect(try link.received().count == 4)
    }

    // MARK: Violations

    @Test func aPeerThatSendsWithoutCreditIsCutWithWhatItSentTooMuch() throws {
        let pair = try SocketPair()
        let peer = StrangePeer(socket: pair.first)
        var connection = Connection(socket: pair.second, granting: Self.window)
        for serial in 1...5 as ClosedRange<UInt32> { try peer.send(try StrangePeer.packet(Fence(), serial: serial)) }
        let buffer = ReceiveBuffer()
        for _ in 1...4 { #expect(try connection.receive(into: buffer) != nil) }
        let error = #expect(throws: ConnectionError.self) { try connection.receive(into: buffer) }
        #expect(violation(error) == .creditExceeded(packets: 1, bytes: 0))
    }

    @Test func aPeerThatSendsTooManyBytesIsCutWithTheirNumber() throws {
        let pair = try SocketPair()
        let peer = StrangePeer(socket: pair.first)
        let fence = try StrangePeer.packet(Fence())
        var connection = Connection(socket: pair.second, granting: Window(packets: 100, bytes: fence.count * 2 - 3))
        for serial in 1...2 as ClosedRange<UInt32> { try peer.send(try StrangePeer.packet(Fence(), serial: serial)) }
        let buffer = ReceiveBuffer()
        #expect(try connection.receive(into: buffer) != nil)
        let error = #expect(throws: ConnectionError.self) { try connection.receive(into: buffer) }
        #expect(violation(error) == .creditExceeded(packets: 0, bytes: 3))
    }

    @Test func aReleasedPacketMayBeSentAgainAndNoMore() throws {
        let pair = try SocketPair()
        let peer = StrangePeer(socket: pair.first)
        var connection = Connection(socket: pair.second, granting: Window(packets: 2, bytes: 1 << 20))
        let buffer = ReceiveBuffer()
        for serial in 1...20 as ClosedRange<UInt32> {
            try peer.send(try StrangePeer.packet(Fence(), serial: serial))
            let packet = try #require(try connection.receive(into: buffer))
            connection.release(packet.cost)
            _ = try connection.flush()
        }
        for serial in 21...23 as ClosedRange<UInt32> { try peer.send(try StrangePeer.packet(Fence(), serial: serial)) }
        #expect(try connection.receive(into: buffer) != nil)
        #expect(try connection.receive(into: buffer) != nil)
        let error = #expect(throws: ConnectionError.self) { try connection.receive(into: buffer) }
        #expect(violation(error) == .creditExceeded(packets: 1, bytes: 0))
    }

    @Test func aPeerThatSendsAndNeverReadsRunsOutOfCreditAndNothingPilesUpForIt() throws {
        let pair = try SocketPair()
        let peer = StrangePeer(socket: pair.first)
        var connection = Connection(socket: pair.second, granting: Self.window)
        let buffer = ReceiveBuffer()
        let body = try StrangePeer.packet(Fence())
        var end: ConnectionError?
        for serial in 1...1_000_000 as ClosedRange<UInt32> where end == nil {
            try peer.send(
                StrangePeer.packet(
                    kind: MessageKind.fence.rawValue, serial: serial, body: Array(body[PacketHeader.size...])))
            do throws(ConnectionError) {
                if let packet = try connection.receive(into: buffer) { connection.release(packet.cost) }
                _ = try connection.flush()
            } catch {
                end = error
            }
            #expect(connection.queuedPackets == 0)
        }
        #expect(violation(end) == .creditExceeded(packets: 1, bytes: 0))
    }

    @Test(arguments: [
        Window(packets: 1, bytes: 1), Window(packets: 0, bytes: 0), Window(packets: -1, bytes: -1),
        Window(packets: 3, bytes: 10),
        Window(packets: 2, bytes: 1_000_000), Window(packets: .max, bytes: .max), Window(packets: .min, bytes: .min),
        Window(packets: 1, bytes: 0), Window(packets: 0, bytes: 1), Window(packets: 1, bytes: .min),
    ])
    func creditThatGrantsNothingOrMoreThanWasUsedIsRefused(_ window: Window) throws {
        let pair = try SocketPair()
        let peer = StrangePeer(socket: pair.first)
        var connection = Connection(socket: pair.second)
        connection.openCredit(.standard)
        if window != Window(packets: 1, bytes: 1) {
            // Two packets are used, so that the refusal is for the amount.
            for _ in 0..<2 { try connection.enqueue(Fence()) }
            #expect(try connection.flush() == .drained)
        }
        try peer.send(try StrangePeer.packet(Credit(window), serial: 0))
        let error = #expect(throws: ConnectionError.self) { try connection.receive(into: ReceiveBuffer()) }
        #expect(violation(error) == .badCredit)
    }

    @Test func creditIsOutsideOfTheCountOfSerials() throws {
        let pair = try SocketPair()
        let peer = StrangePeer(socket: pair.first)
        var connection = Connection(socket: pair.second)
        connection.openCredit(.standard)
        try connection.enqueue(Fence())
        _ = try connection.flush()
        try peer.send(try StrangePeer.packet(Credit(Window(packets: 1, bytes: 1)), serial: 1))
        let error = #expect(throws: ConnectionError.self) { try connection.receive(into: ReceiveBuffer()) }
        #expect(violation(error) == .serialOutOfOrder(expected: 0, got: 1))
    }
}
