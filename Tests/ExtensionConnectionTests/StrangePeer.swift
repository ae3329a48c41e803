// StrangePeer: the other end of a connection in the hands of a program that keeps no rules.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

/// Sends whatever bytes and descriptors it likes.
struct StrangePeer: ~Copyable {
    let socket: Socket

    /// A packet of these parts, whether they fit together or not.
    static func packet(
        kind: UInt16, flags: UInt16 = 0, length: Int? = nil, serial: UInt32 = 1, replyTo: UInt32 = 0, body: [UInt8]
    ) -> [UInt8] {
        var packet = [UInt8](repeating: 0, count: PacketHeader.size) + body
        let header = PacketHeader(
            kind: kind, flags: PacketHeader.Flags(rawValue: flags), bodyLength: UInt32(length ?? body.count),
            serial: serial,
            replyTo: replyTo)
        packet.withUnsafeMutableBytes { header.write(to: $0) }
        return packet
    }

    static func packet<M: Message>(_ message: M, flags: UInt16 = 0, serial: UInt32 = 1, replyTo: UInt32 = 0) throws
        -> [UInt8]
    {
        packet(
            kind: M.kind.rawValue, flags: flags, serial: serial, replyTo: replyTo,
            body: try PropertyList.dictionary(message.dictionary).encodeBinary())
    }

    /// Sends past every check of our own; any number of descriptors, an empty packet too.
    borrowing func send(_ bytes: [UInt8], descriptors: [Int32] = []) throws {
        let raw = socket.raw
        let header = 16
        var control = [UInt64](repeating: 0, count: (header + 4 * descriptors.count + 7) / 8)
        let sent = bytes.withUnsafeBytes { bytes in
            control.withUnsafeMutableBytes { control in
                // struct cmsghdr of cmsg(3), whose C type ends in a flexible array: length, level, type.
                control.storeBytes(of: header + 4 * descriptors.count, as: Int.self)
                control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
                control.storeBytes(of: Int32(SCM_RIGHTS), toByteOffset: 12, as: Int32.self)
                for (index, descriptor) in descriptors.enumerated() {
                    control.storeBytes(of: descriptor, toByteOffset: header + 4 * index, as: Int32.self)
                }
                var part = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = descriptors.isEmpty ? nil : control.baseAddress
                    message.msg_controllen = descriptors.isEmpty ? 0 : control.count
                    return sendmsg(raw, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
        guard sent == bytes.count else { throw SystemError("sendmsg") }
    }
}

/// A pipe whose reading end says when the last copy of its writing end has been closed.
struct Tracer: ~Copyable {
    private let reading: OwnedDescriptor
    let writing: SharedDescriptor

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = OwnedDescriptor(owning: ends[0])
        writing = SharedDescriptor(owning: ends[1])
    }

    /// Whether every copy was closed; waits a while, for a process that another test starts may hold one until its
    /// exec.
    consuming func isClosedEverywhere() -> Bool {
        let end = dropWriting()
        var entry = pollfd(fd: end.raw, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        return poll(&entry, 1, 60_000) == 1 && read(end.raw, &byte, 1) == 0
    }

    private consuming func dropWriting() -> OwnedDescriptor { reading }
}
