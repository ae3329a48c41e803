// Resumption: what was sent and not dealt with is sent again over another socket, and nothing else.

import ExtensionConnection
import ExtensionProtocol
import LinuxSystem
import Testing

/// Two ends that can lose their sockets, with what is on the way, and get new ones.
private struct Pair: ~Copyable {
    var near: Connection
    var far: Connection
    let buffer = ReceiveBuffer()

    init(window: Window = .standard) throws {
        let pair = try SocketPair()
        near = Connection(socket: pair.first, granting: window)
        far = Connection(socket: pair.second, granting: window)
        near.openCredit(window)
        far.openCredit(window)
        near.beginKeeping()
        far.beginKeeping()
    }

    mutating func reconnect() throws {
        near.detach()
        far.detach()
        let (nearReceived, farReceived) = (near.lastReceived, far.lastReceived)
        let pair = try SocketPair()
        // The first packet of a connection has the serial 1; before any, what was received is the handshake's, as it were.
        try near.attach(pair.first, peerReceived: farReceived == 0 ? .max : farReceived)
        try far.attach(pair.second, peerReceived: nearReceived == 0 ? .max : nearReceived)
    }

    mutating func attachNear(received: UInt32) throws {
        let pair = try SocketPair()
        try near.attach(pair.first, peerReceived: received)
    }

    /// Reads one packet at the far end, if one is there, and deals with it.
    mutating func readFar() throws -> Packet? {
        let packet = try far.receive(into: buffer)
        if let packet { far.release(packet.cost) }
        return packet
    }

    mutating func readNear() throws -> Packet? {
        let packet = try near.receive(into: buffer)
        if let packet { near.release(packet.cost) }
        return packet
    }

    mutating func flush() throws {
        _ = try near.flush()
        _ = try far.flush()
    }
}

private func fault(_ number: Int) -> ContextFault { ContextFault(request: RequestIdentifier(), detail: "\(number)") }

extension Packet {
    fileprivate var number: Int? { (try? message(ContextFault.self)).flatMap { Int($0.detail) } }
}

@Suite struct ResumptionTests {
    @Test func whatWasNotReceivedComesAgainUnderItsSerial() throws {
        var pair = try Pair()
        for number in 1...5 { try pair.near.enqueue(fault(number)) }
        try pair.flush()
        var numbers: [Int?] = []
        for _ in 1...3 { numbers.append(try pair.readFar()?.number) }
        try pair.reconnect()
        try pair.near.enqueue(fault(6))
        try pair.flush()
        while let packet = try pair.readFar() {
            numbers.append(packet.number)
            #expect(packet.serial == UInt32(numbers.count))
        }
        #expect(numbers == [1, 2, 3, 4, 5, 6])
    }

    @Test func whatIsQueuedWhileThereIsNoSocketIsSentOnTheNext() throws {
        var pair = try Pair()
        pair.near.detach()
        try pair.near.enqueue(fault(1))
        #expect(try pair.near.flush() == .waitingForCredit)
        #expect(try pair.near.receive(into: pair.buffer)?.kind == nil)
        try pair.reconnect()
        try pair.flush()
        #expect(try pair.readFar()?.number == 1)
    }

    /// Descriptors must not stay open in an idle connection.
    @Test func aDescriptorIsKeptUntilItsPacketHasBeenDealtWithAndNoLonger() throws {
        var pair = try Pair()
        weak var kept: SharedDescriptor?
        do {
            let memory = SharedDescriptor(try SealedMemory.make([1, 2, 3]))
            kept = memory
            try pair.near.enqueue(fault(1), payload: .sealed(memory))
        }
        try pair.flush()
        #expect(kept != nil)
        #expect(try pair.readFar()?.number == 1)
        try pair.flush()
        #expect(try pair.readNear()?.kind == nil)  // reads the credit
        #expect(kept == nil)
    }

    @Test func aSerialThatWasNeverSentOrIsKeptNoMoreIsRefused() throws {
        var pair = try Pair()
        for number in 1...3 { try pair.near.enqueue(fault(number)) }
        try pair.flush()
        for received in [4, 77, UInt32.max - 1] {
            #expect(throws: ProtocolError.self) { try pair.attachNear(received: received) }
        }
        // It is as it was.
        #expect(try pair.readFar()?.number == 1)
    }

    /// Losing the socket at any moment, in both directions, over a window of two packets.
    @Test(arguments: 0..<20) func nothingIsLostAndNothingDoubled(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var pair = try Pair(window: .smallest)
        var (sentNear, sentFar) = (0, 0)
        var (gotNear, gotFar): ([Int?], [Int?]) = ([], [])
        var losses = 0
        while gotNear.count < 100 || gotFar.count < 100 {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0...2 where sentNear < 100:
                sentNear += 1
                try pair.near.enqueue(fault(sentNear))
            case 3...4 where sentFar < 100:
                sentFar += 1
                try pair.far.enqueue(fault(sentFar))
            case 5: _ = try pair.near.flush()
            case 6: _ = try pair.far.flush()
            case 7...8: if let packet = try pair.readFar() { gotFar.append(packet.number) }
            case 9...10: if let packet = try pair.readNear() { gotNear.append(packet.number) }
            case 11 where losses < 200:
                losses += 1
                try pair.reconnect()
            default: break
            }
        }
        #expect(gotFar == (1...100).map { $0 })
        #expect(gotNear == (1...100).map { $0 })
        #expect(losses > 10)
    }

    @Test func theCreditIsWholeAgainAndNoMore() throws {
        var pair = try Pair(window: .smallest)
        for number in 1...20 { try pair.near.enqueue(fault(number)) }
        var got: [Int?] = []
        for _ in 0..<40 where got.count < 20 {
            try pair.flush()
            if let packet = try pair.readFar() { got.append(packet.number) }
            try pair.reconnect()
        }
        #expect(got == (1...20).map { $0 })
    }
}
