// Socket: one end of an AF_UNIX SOCK_SEQPACKET connection, or a listening one.

internal import CLinux
internal import Glibc

/// A sequenced-packet socket, closed when its owner goes. Every socket made here is close-on-exec.
///
/// Any thread may call it; one thread at a time should receive.
public struct Socket: ~Copyable, Sendable {
    public let descriptor: OwnedDescriptor

    /// The descriptor's number, for polling and for passing on; the socket still owns it.
    public var raw: Int32 { descriptor.raw }

    /// Takes over a descriptor that is known to be a connected or listening `SOCK_SEQPACKET` socket.
    public init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    /// Takes over a listening socket of another process or library, and makes it non-blocking: in all processes that
    /// hold it.
    ///
    /// - Throws: `SystemError` with `EPROTOTYPE` if it is no `AF_UNIX` `SOCK_SEQPACKET` socket, with `EINVAL` if it
    ///   does not listen.
    public static func adopt(listening descriptor: consuming OwnedDescriptor) throws(SystemError) -> Socket {
        let socket = Socket(descriptor)
        guard try socket.isPacketSocket() else {
            throw SystemError("getsockopt", code: EPROTOTYPE)
        }
        guard try socket.option(SO_ACCEPTCONN) != 0 else { throw SystemError("getsockopt", code: EINVAL) }
        try socket.setNonBlocking(true)
        return socket
    }

    /// Releases the descriptor, to be passed on or stored elsewhere.
    public consuming func release() -> OwnedDescriptor { descriptor }

    /// Makes a new socket without an address, non-blocking.
    static func unbound() throws(SystemError) -> Socket {
        try FailureInjection.descriptors.check("socket")
        let raw = socket(AF_UNIX, packetSocketType | closeOnExec | nonBlocking, 0)
        guard raw >= 0 else { throw SystemError("socket") }
        return Socket(OwnedDescriptor(owning: raw))
    }

    static let packetSocketType = Int32(SOCK_SEQPACKET.rawValue)
    static let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)
    static let nonBlocking = Int32(SOCK_NONBLOCK.rawValue)

    /// Returns the next waiting connection, non-blocking; `nil` if none waits. Never waits itself.
    public borrowing func accept() throws(SystemError) -> Socket? {
        try FailureInjection.descriptors.check("accept4")
        while true {
            let raw = exthost_accept(descriptor.raw)
            if raw >= 0 { return Socket(OwnedDescriptor(owning: raw)) }
            switch -raw {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return nil
            case let code: throw SystemError("accept4", code: code)
            }
        }
    }

    /// Whether the other end has been closed, or sends no more, even if unread packets are left here.
    public borrowing func isAbandoned() -> Bool {
        // POLLRDHUP of poll(2), which the C library's module leaves out. A hang-up is reported unasked.
        var entry = pollfd(fd: descriptor.raw, events: 0x2000, revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Refuses packets that the other end sends from now on, and drops those that have arrived.
    public borrowing func stopReceiving() {
        guard shutdown(descriptor.raw, Int32(SHUT_RD)) == 0 else { return }
        var byte: UInt8 = 0
        while recv(descriptor.raw, &byte, 1, Int32(MSG_DONTWAIT)) > 0 {}
    }

    /// Ends both directions, for all processes that hold this end. Threads that wait for a packet return.
    public borrowing func shutDown() { _ = shutdown(descriptor.raw, Int32(SHUT_RDWR)) }

    /// Waits until there is a packet, or the end.
    public borrowing func waitUntilReadable() {
        var entry = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, -1)
    }

    /// Whether it is a socket of packets between processes of this machine.
    ///
    /// - Throws: `SystemError` with `ENOTSOCK` if it is no socket.
    public borrowing func isPacketSocket() throws(SystemError) -> Bool {
        let domain = try option(SO_DOMAIN)
        let type = try option(SO_TYPE)
        return domain == AF_UNIX && type == Self.packetSocketType
    }

    /// Sets whether calls that would wait return at once. A socket shared with another process changes there too.
    public borrowing func setNonBlocking(_ on: Bool) throws(SystemError) {
        let flags = fcntl(descriptor.raw, F_GETFL)
        guard flags >= 0 else { throw SystemError("fcntl") }
        guard fcntl(descriptor.raw, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK) == 0 else {
            throw SystemError("fcntl")
        }
    }

    /// Requests room for `sending` and `receiving` bytes.
    ///
    /// The kernel doubles them for its own needs and caps them at `net.core.wmem_max` and `rmem_max`, unless the caller
    /// has the rights of root. On AF_UNIX the sender's room counts.
    public borrowing func setBuffers(sending: Int32? = nil, receiving: Int32? = nil) throws(SystemError) {
        if let sending { try set(SO_SNDBUFFORCE, orElse: SO_SNDBUF, to: sending) }
        if let receiving { try set(SO_RCVBUFFORCE, orElse: SO_RCVBUF, to: receiving) }
    }

    /// Returns the room for packets sent from here, as the kernel counts it: bytes, its own needs included.
    public borrowing func sendBufferSize() throws(SystemError) -> Int32 {
        try option(SO_SNDBUF)
    }

    private borrowing func option(_ name: Int32) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor.raw, SOL_SOCKET, name, &value, &length) == 0 else {
            throw SystemError("getsockopt")
        }
        return value
    }

    private borrowing func set(_ forced: Int32, orElse option: Int32, to bytes: Int32) throws(SystemError) {
        var bytes = bytes
        let length = socklen_t(MemoryLayout<Int32>.size)
        if setsockopt(descriptor.raw, SOL_SOCKET, forced, &bytes, length) == 0 { return }
        guard setsockopt(descriptor.raw, SOL_SOCKET, option, &bytes, length) == 0 else {
            throw SystemError("setsockopt")
        }
    }
}

/// A pair of connected, equal sockets: use one, pass the other on.
///
/// Take them out of the pair with `let end = pair.first`.
@frozen
public struct SocketPair: ~Copyable, Sendable {
    public let first: Socket
    public let second: Socket

    /// Makes a new pair, close-on-exec; `blocking` says whether calls on it may wait.
    ///
    /// Peer credentials of both name this process.
    public init(blocking: Bool = false) throws(SystemError) {
        try FailureInjection.descriptors.check("socketpair")
        var ends: (Int32, Int32) = (-1, -1)
        let type = Socket.packetSocketType | Socket.closeOnExec | (blocking ? 0 : Socket.nonBlocking)
        let code = withUnsafeMutableBytes(of: &ends) {
            socketpair(AF_UNIX, type, 0, $0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard code == 0 else { throw SystemError("socketpair") }
        first = Socket(OwnedDescriptor(owning: ends.0))
        second = Socket(OwnedDescriptor(owning: ends.1))
    }
}
