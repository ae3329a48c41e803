// Packets: sending and receiving packets with descriptors on a Socket.

internal import CLinux
internal import Glibc

/// The most descriptors of one packet.
///
/// The kernel truncates a packet with more, and it is refused as `.controlTruncated`.
public let maximumDescriptorsPerPacket = 16

/// The result of one receive.
public enum ReceivedPacket: Sendable {
    /// A whole packet: `count` bytes are in the buffer, the descriptors are close-on-exec.
    case packet(count: Int, descriptors: [SharedDescriptor])
    /// The packet was longer than the buffer. The rest and all its descriptors are gone; the peer exceeded the limits.
    case truncated
    /// The packet had more descriptors than the limit, or than this process may open. All of them are closed again.
    case controlTruncated
    /// The peer has closed, and everything it had sent was received.
    ///
    /// An empty packet, which is forbidden, looks the same.
    case endOfFile
    /// No packet is there yet.
    case wouldBlock
}

extension Socket {
    /// Sends one whole packet, with at most 16 descriptors, which stay the caller's; returns `false` if there is no
    /// room and nothing was sent.
    ///
    /// With `waiting` it waits for room instead, if the socket is a blocking one. Throws `EPIPE` or `ECONNRESET` if the
    /// peer is gone, `EMSGSIZE` if the packet is larger than the socket's whole room, `EINVAL` for an empty packet or
    /// too many descriptors, `ETOOMANYREFS` if too many descriptors are in flight (unix(7)). Never raises SIGPIPE.
    @discardableResult
    public borrowing func send(
        _ packet: UnsafeRawBufferPointer, descriptors: [SharedDescriptor] = [], waiting: Bool = false
    ) throws(SystemError) -> Bool {
        try send(packet, UnsafeRawBufferPointer(start: nil, count: 0), descriptors: descriptors, waiting: waiting)
    }

    @discardableResult
    public borrowing func send(
        _ packet: [UInt8], descriptors: [SharedDescriptor] = [], waiting: Bool = false
    ) throws(SystemError) -> Bool {
        var outcome: Int32 = 0
        packet.withUnsafeBytes {
            outcome = sendParts($0, UnsafeRawBufferPointer(start: nil, count: 0), descriptors, waiting)
        }
        return try Socket.sent(outcome)
    }

    /// Sends two buffers as one packet: a header and its body, without copying them together.
    @discardableResult
    public borrowing func send(
        _ head: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer, descriptors: [SharedDescriptor] = [],
        waiting: Bool = false
    ) throws(SystemError) -> Bool {
        try Socket.sent(sendParts(head, tail, descriptors, waiting))
    }

    private borrowing func sendParts(
        _ head: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer, _ descriptors: [SharedDescriptor],
        _ waiting: Bool
    ) -> Int32 {
        guard head.count + tail.count > 0, descriptors.count <= maximumDescriptorsPerPacket else { return -EINVAL }
        let parts = (
            iovec(iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress), iov_len: head.count),
            iovec(iov_base: UnsafeMutableRawPointer(mutating: tail.baseAddress), iov_len: tail.count)
        )
        let raw = descriptor.raw
        return withUnsafeBytes(of: parts) { parts in
            let parts = parts.assumingMemoryBound(to: iovec.self).baseAddress
            let partCount: Int32 = tail.isEmpty ? 1 : 2
            if descriptors.isEmpty { return exthost_send_packet(raw, parts, partCount, nil, 0, waiting) }
            return withUnsafeTemporaryAllocation(of: Int32.self, capacity: descriptors.count) { numbers in
                for (index, descriptor) in descriptors.enumerated() {
                    numbers.initializeElement(at: index, to: descriptor.raw)
                }
                // The array holds the descriptors open until the call is over.
                return withExtendedLifetime(descriptors) {
                    exthost_send_packet(raw, parts, partCount, numbers.baseAddress, Int32(numbers.count), waiting)
                }
            }
        }
    }

    private static func sent(_ code: Int32) throws(SystemError) -> Bool {
        if code == 0 { return true }
        if code == -EAGAIN { return false }
        throw SystemError("sendmsg", code: -code)
    }

    /// Receives one packet into `buffer`. Never waits, unless `waiting` is set and the socket is a blocking one.
    ///
    /// Packets that a peer sent before it closed are all received before `.endOfFile`. Throws what recvmsg(2) throws
    /// otherwise.
    public borrowing func receive(
        into buffer: UnsafeMutableRawBufferPointer, waiting: Bool = false
    ) throws(SystemError) -> ReceivedPacket {
        var received = exthost_received()
        let code = exthost_receive_packet(descriptor.raw, buffer.baseAddress, buffer.count, waiting, &received)
        if code == -EAGAIN { return .wouldBlock }
        guard code == 0 else { throw SystemError("recvmsg", code: -code) }
        if received.truncated { return .truncated }
        if received.control_truncated { return .controlTruncated }
        if received.count == 0 { return .endOfFile }
        var descriptors: [SharedDescriptor] = []
        if received.descriptor_count > 0 {
            descriptors.reserveCapacity(Int(received.descriptor_count))
            withUnsafeBytes(of: received.descriptors) { bytes in
                for raw in bytes.bindMemory(to: Int32.self).prefix(Int(received.descriptor_count)) {
                    descriptors.append(SharedDescriptor(owning: raw))
                }
            }
        }
        return .packet(count: received.count, descriptors: descriptors)
    }
}
