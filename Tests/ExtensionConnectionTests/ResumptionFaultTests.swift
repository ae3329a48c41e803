// Resumption with peers that claim what cannot be, at bad moments, and over and over again.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem
import Testing

@Suite struct ResumptionFaultTests {
    private static let smallest = Window.smallest.packets

    private func expectRefusal(_ serials: [UInt32], by pair: borrowing LosablePair) {
        for serial in serials {
            let error = #expect(throws: ProtocolError.self) { try pair.near.checkReceived(serial) }
            #expect(error == .badIdentity("no packet with the serial \(serial) was sent, or is still stored"))
        }
    }

    // MARK: Claims

    @Test func whatIsOnlyQueuedCannotHaveBeenReceived() throws {
        var pair = try LosablePair(window: .smallest)
        for number in 1...5 { try pair.near.enqueue(fault(number)) }
        #expect(try pair.near.flush() == .waitingForCredit)
        for sent in 1...UInt32(Self.smallest) { try pair.near.checkReceived(sent) }
        expectRefusal([UInt32(Self.smallest) + 1, 5, 6], by: pair)
    }

    @Test func lessThanWasDealtWithCannotBeAskedForAgain() throws {
        var pair = try LosablePair()
        for number in 1...Window.standard.packets { try pair.near.enqueue(fault(number)) }
        try pair.flush()
        while try pair.readFar() != nil {}
        try pair.flush()
        #expect(try pair.readNear()?.kind == nil)  // reads the credit
        let last = UInt32(Window.standard.packets)
        try pair.near.checkReceived(last)
        expectRefusal([1, last - 1, .max, 0], by: pair)
    }

    @Test func lessThanAtTheLastResumptionCannotBeAskedForNorWhatWasLostWithTheSocket() throws {
        var pair = try LosablePair()
        for number in 1...3 { try pair.near.enqueue(fault(number)) }
        try pair.flush()
        for _ in 1...2 { _ = try pair.readFar() }
        try pair.reconnect()
        expectRefusal([1, .max], by: pair)
        try pair.near.checkReceived(2)
        // The third went down with the old socket, and is not on the new one yet.
        expectRefusal([3], by: pair)
        try pair.flush()
        try pair.near.checkReceived(3)
        #expect(try pair.readFar()?.number == 3)
    }

    @Test func aClaimThatCannotBeLeavesTheConnectionOnItsSocket() throws {
        var pair = try LosablePair()
        try pair.near.enqueue(fault(1))
        try pair.flush()
        let before = pair.near.descriptor
        #expect(throws: ProtocolError.self) { try pair.attachNear(received: 2) }
        #expect(pair.near.descriptor == before)
        try pair.near.enqueue(fault(2))
        try pair.flush()
        #expect([try pair.readFar()?.number, try pair.readFar()?.number] == [1, 2])
    }

    // MARK: Moments

    @Test func theHandshakeItselfIsWhatWasReceivedLast() throws {
        let ends = try SocketPair()
        var near = Connection(socket: ends.first)
        var far = Connection(socket: ends.second)
        let buffer = ReceiveBuffer()
        try near.enqueue(Hello(role: .control, sdk: "tests"))
        _ = try near.flush()
        #expect(try far.receive(into: buffer)?.kind == .hello)
        near.openCredit(.standard)
        near.makeResumable()
        try near.checkReceived(1)
        #expect(throws: ProtocolError.self) { try near.checkReceived(.max) }
        try near.enqueue(fault(1))
        near.detach()
        let next = try SocketPair()
        try near.attach(next.first, peerReceived: far.lastReceived)
        _ = try near.flush()
        // The far end goes on, as its daemon lets it: on the new socket the next serial is due.
        far.openCredit(.standard)
        far.makeResumable()
        try far.attach(next.second, peerReceived: .max)
        let packet = try #require(try far.receive(into: buffer))
        #expect(packet.serial == 2 && packet.number == 1)
    }

    @Test func twoLossesWithNothingInBetweenAreAsOne() throws {
        var pair = try LosablePair()
        for number in 1...4 { try pair.near.enqueue(fault(number)) }
        try pair.flush()
        _ = try pair.readFar()
        for _ in 1...3 { try pair.reconnect() }
        try pair.flush()
        try pair.reconnect()
        try pair.flush()
        var rest: [Int?] = []
        while let packet = try pair.readFar() { rest.append(packet.number) }
        #expect(rest == [2, 3, 4])
    }

    @Test func whatIsSentToAPeerThatHasJustGoneWaitsForItsReturn() throws {
        var pair = try LosablePair()
        try pair.near.enqueue(fault(1))
        try pair.flush()
        // The far end loses its socket first, and with it what it has not read.
        let others = try SocketPair()
        try pair.far.attach(others.second, peerReceived: .max)
        try awaitHangUp(pair.near.descriptor)
        try pair.near.enqueue(fault(2))
        #expect(try pair.near.flush() == .waitingForCredit)
        #expect(try pair.near.flush() == .waitingForCredit)
        #expect(throws: ConnectionError.self) { try pair.near.receive(into: pair.buffer) }
        try pair.reconnect()
        try pair.near.enqueue(fault(3))
        try pair.flush()
        #expect([try pair.readFar()?.number, try pair.readFar()?.number, try pair.readFar()?.number] == [1, 2, 3])
    }

    @Test func aDescriptorThatWasLostWithTheSocketComesAgain() throws {
        var pair = try LosablePair()
        weak var kept: SharedDescriptor?
        do {
            let memory = SharedDescriptor(try SealedMemory.make([4, 5, 6]))
            kept = memory
            try pair.near.enqueue(fault(1), payload: .sealed(memory))
        }
        try pair.flush()
        for _ in 1...2 {
            try pair.reconnect()
            try pair.flush()
        }
        do {
            let packet = try #require(try pair.far.receive(into: pair.buffer))
            #expect(try packet.payload.bytes() == [4, 5, 6])
            #expect(packet.number == 1)
            #expect(kept != nil, "kept for as long as it may be asked for again")
            pair.far.release(packet.cost)
        }
        try pair.reconnect()
        #expect(kept == nil, "received, and so dealt with")
    }

    /// The credit of the old socket is nothing on the new one: whoever gives it back twice is in violation.
    @Test func creditForWhatWasReceivedBeforeTheLossIsNotGivenAgain() throws {
        var pair = try LosablePair(window: .smallest)
        for number in 1...Self.smallest { try pair.near.enqueue(fault(number)) }
        try pair.flush()
        for _ in 1...Self.smallest { _ = try pair.readFar() }
        // It owes the whole window, and the loss comes before it has said so.
        let ends = try SocketPair()
        pair.near.detach()
        try pair.near.attach(ends.first, peerReceived: pair.far.lastReceived)
        let stranger = StrangePeer(socket: ends.second)
        try stranger.send(try StrangePeer.packet(Credit(Window(packets: 1, bytes: 1)), serial: 0))
        let error = #expect(throws: ConnectionError.self) { try pair.near.receive(into: pair.buffer) }
        #expect(violation(error) == .badCredit)
    }

    // MARK: Bounds

    @Test func aQueueThatWasFullAtTheLossStaysBoundedAndIsSentWhole() throws {
        var pair = try LosablePair(window: .smallest)
        var count = Self.smallest
        for number in 1...count { try pair.near.enqueue(fault(number)) }
        try pair.flush()
        pair.near.detach()
        let error = #expect(throws: ConnectionError.self) {
            while true {
                try pair.near.enqueue(fault(count + 1))
                count += 1
            }
        }
        guard case .queueFull(Connection.queueLimit.packets) = error else { throw error ?? .closed }
        #expect(count == Connection.queueLimit.packets + Self.smallest)
        // What had been sent has to be sent again, on top of what waits: no more than a window.
        try pair.reconnect()
        #expect(pair.near.queuedPackets == count)
        #expect(throws: ConnectionError.self) { try pair.near.enqueue(fault(0)) }
        var got = 0
        while got < count {
            try pair.flush()
            let before = got
            while let packet = try pair.readFar() {
                got += 1
                #expect(packet.number == got)
            }
            try #require(got > before, "it stands still after \(got)")
            try pair.flush()
            _ = try pair.readNear()
        }
        #expect(pair.near.queuedPackets == 0)
        try pair.near.enqueue(fault(0))
    }

    /// A connection that never rests keeps no more than the window: what was dealt with goes.
    @Test func onlyWhatMayBeAskedForAgainIsKept() throws {
        let window = Window(packets: 200, bytes: 1 << 20)
        var pair = try LosablePair(window: window)
        let memory = try SealedMemory.make([1])
        var copies: [WeakDescriptor] = []
        var (sent, got) = (0, 0)
        for round in 1...20 {
            // Always some that are not dealt with yet, so that the queue is never empty.
            while sent < got + 150 {
                sent += 1
                let copy = SharedDescriptor(try memory.duplicate())
                copies.append(WeakDescriptor(copy))
                try pair.near.enqueue(fault(sent), payload: .sealed(copy))
            }
            try pair.flush()
            for _ in 1...120 {
                got += 1
                #expect(try pair.readFar()?.number == got)
                try pair.flush()
            }
            #expect(try pair.readNear()?.kind == nil)
            #expect(copies.count { $0.descriptor != nil } <= sent - got + 1)
            if round % 5 == 0 {
                try pair.reconnect()
                #expect(copies.count { $0.descriptor != nil } == sent - got)
            }
        }
    }

    private struct WeakDescriptor {
        private(set) weak var descriptor: SharedDescriptor?
        init(_ descriptor: SharedDescriptor) { self.descriptor = descriptor }
    }

    // MARK: The socket

    @Test func theSocketOfAHandshakeGoesOnInAnotherConnection() throws {
        for isGivenUp in [true, false] {
            let ends = try SocketPair()
            var far = Connection(socket: ends.second)
            let buffer = ReceiveBuffer()
            var shaken = Connection(socket: ends.first)
            try shaken.enqueue(Hello(role: .control, sdk: "tests"))
            _ = try shaken.flush()
            #expect(try far.receive(into: buffer)?.kind == .hello)
            let socket: Socket
            if isGivenUp {
                // As a client does, which is done with the handshake.
                socket = shaken.release()
            } else {
                // As a daemon does, whose connection is somebody else's.
                socket = try shaken.duplicateSocket()
                _ = consume shaken
            }
            #expect(fcntl(socket.raw, F_GETFD) == FD_CLOEXEC)
            far.openCredit(.standard)
            try far.enqueue(fault(7))
            #expect(try far.flush() == .drained)
            var connection = Connection(socket: socket)
            #expect(try connection.receive(into: buffer)?.number == 7)
        }
    }

    @Test func theProcessAtTheOtherEndIsNamedByADescriptor() throws {
        let pair = try LosablePair()
        guard let process = try pair.near.peerProcess() else {
            Issue.record("this process is taken to be gone")
            return
        }
        let about = try information(about: process.raw)
        #expect(about.contains("Pid:\t\(getpid())\n"), "\(about)")
    }
}

/// What the system says about one of this process's descriptors.
private func information(about number: Int32) throws -> String {
    let file = open("/proc/self/fdinfo/\(number)", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError("open") }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}
