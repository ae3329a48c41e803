// Packets: bytes and descriptors arrive together, in bounds, and nothing leaks when they do not.

import Glibc
import LinuxSystem
import Locks
import Testing

@Suite struct PacketTests {
    /// A pipe: the reading end is at its end once every copy of the writing end is closed.
    private func pipe() throws -> (reading: SharedDescriptor, writing: SharedDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (SharedDescriptor(owning: ends[0]), SharedDescriptor(owning: ends[1]))
    }

    private func isAtItsEnd(_ reading: SharedDescriptor) throws -> Bool {
        var byte: UInt8 = 0
        try waitFor(reading.raw)
        return read(reading.raw, &byte, 1) == 0
    }

    private func receive(_ socket: borrowing Socket, room: Int = 4096) throws -> (
        packet: ReceivedPacket, bytes: [UInt8]
    ) {
        var buffer = [UInt8](repeating: 0, count: room)
        let packet = try buffer.withUnsafeMutableBytes { try socket.receive(into: $0) }
        if case .packet(let count, _) = packet { return (packet, Array(buffer[..<count])) }
        return (packet, [])
    }

    @Test func packetsKeepTheirBordersAndTheirDescriptors() throws {
        let pair = try SocketPair()
        let (reading, writing) = try pipe()
        #expect(try pair.first.send([1, 2, 3], descriptors: [writing]))
        #expect(try pair.first.send([4]))
        let (first, bytes) = try receive(pair.second)
        #expect(bytes == [1, 2, 3])
        guard case .packet(_, let descriptors) = first else { throw Impatient() }
        #expect(descriptors.count == 1)
        #expect(fcntl(descriptors[0].raw, F_GETFD) == FD_CLOEXEC)
        #expect(write(descriptors[0].raw, "x", 1) == 1)
        var byte: UInt8 = 0
        #expect(read(reading.raw, &byte, 1) == 1)
        #expect(try receive(pair.second).bytes == [4])
        guard case .wouldBlock = try receive(pair.second).packet else { throw Impatient() }
    }

    @Test func twoBuffersTravelAsOnePacket() throws {
        let pair = try SocketPair()
        let head: [UInt8] = [1, 2]
        let tail: [UInt8] = [3, 4, 5]
        let sent = try head.withUnsafeBytes { head in try tail.withUnsafeBytes { try pair.first.send(head, $0) } }
        #expect(sent)
        #expect(try receive(pair.second).bytes == [1, 2, 3, 4, 5])
    }

    @Test func sixteenDescriptorsFitAndSeventeenAreRefused() throws {
        let pair = try SocketPair()
        let (reading, writing) = try pipe()
        let many = try (0..<17).map { _ in SharedDescriptor(owning: try duplicate(writing)) }
        #expect(try pair.first.send([1], descriptors: Array(many.prefix(maximumDescriptorsPerPacket))))
        guard case .packet(1, let descriptors) = try receive(pair.second).packet else { throw Impatient() }
        #expect(descriptors.count == 16)
        #expect(throws: SystemError("sendmsg", code: EINVAL)) { try pair.first.send([1], descriptors: many) }
        #expect(throws: SystemError("sendmsg", code: EINVAL)) { try pair.first.send([]) }
        _ = reading
    }

    private func duplicate(_ descriptor: SharedDescriptor) throws -> Int32 {
        let raw = fcntl(descriptor.raw, F_DUPFD_CLOEXEC, 0)
        guard raw >= 0 else { throw SystemError("fcntl") }
        return raw
    }

    @Test func aTruncatedPacketLeaksNoDescriptor() throws {
        let pair = try SocketPair()
        let reading = try sendEnd(to: pair.first, bytes: 100)
        guard case .truncated = try receive(pair.second, room: 99).packet else { throw Impatient() }
        #expect(try isAtItsEnd(reading))
    }

    @Test func aPacketOfExactlyTheRoomIsWhole() throws {
        let pair = try SocketPair()
        _ = try sendEnd(to: pair.first, bytes: 100)
        guard case .packet(100, let descriptors) = try receive(pair.second, room: 100).packet else { throw Impatient() }
        #expect(descriptors.count == 1)
    }

    @Test func aPacketDroppedUnreadLeaksNoDescriptor() throws {
        let reading: SharedDescriptor
        do {
            let pair = try SocketPair()
            reading = try sendEnd(to: pair.first, bytes: 1)
            _ = consume pair
        }
        #expect(try isAtItsEnd(reading))
    }

    /// Sends the only writing end of a pipe away; its reading end.
    private func sendEnd(to socket: borrowing Socket, bytes: Int) throws -> SharedDescriptor {
        let (reading, writing) = try pipe()
        #expect(try socket.send([UInt8](repeating: 7, count: bytes), descriptors: [writing]))
        return reading
    }

    @Test func moreDescriptorsThanTheLimitAreRefusedAndLeakNone() throws {
        let pair = try SocketPair()
        let reading = try sendTooMany(to: pair.first)
        guard case .controlTruncated = try receive(pair.second).packet else { throw Impatient() }
        #expect(try isAtItsEnd(reading))
    }

    /// What a peer that keeps no bounds sends: 40 copies of a writing end, past our own `send`.
    private func sendTooMany(to socket: borrowing Socket) throws -> SharedDescriptor {
        let (reading, writing) = try pipe()
        let count = 40
        let header = 16
        let raw = socket.raw
        var byte: UInt8 = 1
        var control = [UInt64](repeating: 0, count: (header + 4 * count + 7) / 8)
        let sent = control.withUnsafeMutableBytes { control in
            let length = header + 4 * count
            // struct cmsghdr of cmsg(3), whose C type ends in a flexible array: length, level, type.
            control.storeBytes(of: length, as: Int.self)
            control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
            control.storeBytes(of: Int32(SCM_RIGHTS), toByteOffset: 12, as: Int32.self)
            for index in 0..<count {
                control.storeBytes(of: writing.raw, toByteOffset: header + 4 * index, as: Int32.self)
            }
            return withUnsafeMutablePointer(to: &byte) { byte in
                var part = iovec(iov_base: byte, iov_len: 1)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    return sendmsg(raw, &message, 0)
                }
            }
        }
        #expect(sent == 1)
        return reading
    }

    /// On a thread with a table of descriptors of its own (unshare(2)): neither Dispatch nor the test library can do
    /// without any.
    @Test func descriptorsThatCannotBeOpenedEndAsControlTruncated() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 1024, rlim_max: 1024)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw Impatient() }
            let pair = try SocketPair()
            let reading = try PacketTests().sendEnd(to: pair.first, bytes: 1)
            let raw = pair.second.raw
            let isTruncated = Atomic(false)
            onShortLivedThread {
                // unshare(CLONE_FILES), which Glibc's module does not show.
                let unshare = unsafeBitCast(dlsym(nil, "unshare"), to: (@convention(c) (Int32) -> Int32).self)
                guard unshare(0x400) == 0 else { return }
                while dup(raw) >= 0 {}
                let socket = Socket(OwnedDescriptor(owning: raw))
                if case .controlTruncated? = try? PacketTests().receive(socket).packet {
                    isTruncated.store(true, ordering: .relaxed)
                }
                // The thread's table may go only after the thread was waited for.
                for number in 0..<Int32(1024) where number != raw { _ = close(number) }
            }
            let wasTruncated = isTruncated.load(ordering: .relaxed)
            #expect(wasTruncated)
            #expect(try PacketTests().isAtItsEnd(reading))
        }
    }

    @Test func aFullSocketBlocksWithoutLosingOrSplittingAnything() throws {
        let pair = try SocketPair()
        let packet = [UInt8](repeating: 1, count: 65536)
        var sent = 0
        while try pair.first.send(packet) { sent += 1 }
        #expect(sent >= 1)
        var buffer = [UInt8](repeating: 0, count: 65536)
        for _ in 0..<sent {
            let received = try buffer.withUnsafeMutableBytes { try pair.second.receive(into: $0) }
            guard case .packet(65536, _) = received else { throw Impatient() }
        }
        #expect(try pair.first.send(packet))
    }

    @Test func largerBuffersHoldMorePackets() throws {
        let pair = try SocketPair()
        let before = try pair.first.sendBufferSize()
        try pair.first.setBuffers(sending: 2 * before, receiving: 2 * before)
        #expect(try pair.first.sendBufferSize() > before)
        #expect(throws: SystemError("sendmsg", code: EMSGSIZE)) {
            try pair.second.send([UInt8](repeating: 0, count: 1 << 24))
        }
    }

    @Test func packetsSentBeforeAClosingArriveBeforeTheEnd() throws {
        let pair = try SocketPair()
        let ours = pair.first
        try sendAndClose(pair.second, [[1], [2]], endOf: ours)
        #expect(try receive(ours).bytes == [1])
        #expect(try receive(ours).bytes == [2])
        guard case .endOfFile = try receive(ours).packet else { throw Impatient() }
        #expect(throws: SystemError("sendmsg", code: EPIPE)) { try ours.send([1]) }
    }

    @Test func packetsArriveEvenFromAPeerThatClosedWithoutReadingOurs() throws {
        // The kernel then leaves ECONNRESET ahead of them.
        let pair = try SocketPair()
        let ours = pair.first
        #expect(try ours.send([9]))
        try sendAndClose(pair.second, [[1], [2]], endOf: ours)
        #expect(try receive(ours).bytes == [1])
        #expect(try receive(ours).bytes == [2])
        guard case .endOfFile = try receive(ours).packet else { throw Impatient() }
    }

    /// Returns when `ours` has hung up: a process that another test starts may hold a copy of the other end until its
    /// exec.
    private func sendAndClose(_ socket: consuming Socket, _ packets: [[UInt8]], endOf ours: borrowing Socket) throws {
        for packet in packets { #expect(try socket.send(packet)) }
        _ = consume socket
        try waitFor(ours.raw, 0)
    }

    @Test func aWaitingReceiveWaits() throws {
        let pair = try SocketPair(blocking: true)
        let raw = pair.first.raw
        onShortLivedThread {
            #expect(throws: Never.self) { try Socket(OwnedDescriptor(owning: dup(raw))).send([5], waiting: true) }
        }
        var buffer = [UInt8](repeating: 0, count: 8)
        let received = try buffer.withUnsafeMutableBytes { try pair.second.receive(into: $0, waiting: true) }
        guard case .packet(1, _) = received else { throw Impatient() }
        try pair.second.setNonBlocking(true)
        let nothing = try buffer.withUnsafeMutableBytes { try pair.second.receive(into: $0, waiting: true) }
        guard case .wouldBlock = nothing else { throw Impatient() }
    }
}
