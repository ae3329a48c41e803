// Resumption: what was sent and not dealt with is sent again over another socket, and nothing else.

import ExtensionConnection
import ExtensionProtocol
import LinuxSystem
import Testing

@Suite struct ResumptionTests {
    @Test func whatWasNotReceivedComesAgainUnderItsSerial() throws {
        var pair = try LosablePair()
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
        var pair = try LosablePair()
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
        var pair = try LosablePair()
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
        var pair = try LosablePair()
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
        var pair = try LosablePair(window: .smallest)
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
        var pair = try LosablePair(window: .smallest)
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
