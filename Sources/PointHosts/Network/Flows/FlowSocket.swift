// FlowSocket: a socket whose reads and writes suspend a task, and no thread.

internal import Dispatch
internal import Glibc
internal import LinuxDescriptors

/// A connected stream socket. One task at a time may read, and one may write.
final class FlowSocket: Sendable {
    /// The maximum number of bytes of one read.
    private static let chunk = 64 << 10
    /// The seconds that a connection may take.
    private static let connectLimit = 30

    private let descriptor: SharedDescriptor
    private let queue = DispatchQueue(label: "org.exthost.flow")

    /// Takes a socket, which no longer blocks.
    init(_ descriptor: SharedDescriptor) {
        self.descriptor = descriptor
        _ = fcntl(descriptor.raw, F_SETFL, fcntl(descriptor.raw, F_GETFL) | O_NONBLOCK)
        var one: Int32 = 1
        _ = setsockopt(descriptor.raw, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    }

    /// Returns the next bytes; none at the end.
    func read() async throws(SystemError) -> [UInt8] {
        while true {
            var bytes = [UInt8](repeating: 0, count: Self.chunk)
            let count = recv(descriptor.raw, &bytes, bytes.count, 0)
            if count >= 0 { return Array(bytes[..<count]) }
            switch errno {
            case EINTR: continue
            case EAGAIN: await wait(isForReading: true)
            default: throw SystemError("recv")
            }
        }
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) async throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: await wait(isForReading: false)
            default: throw SystemError("send")
            }
        }
    }

    /// Tells the other side that no more bytes come.
    func finish() { _ = shutdown(descriptor.raw, Int32(SHUT_WR)) }

    /// Reads no more. A read that waits returns the end.
    func stopReading() { _ = shutdown(descriptor.raw, Int32(SHUT_RD)) }

    /// Ends both directions as a failure: the other side's next read fails. Reads and writes that wait return.
    func reset() {
        // The kernel sends a reset for a connection that is dissolved (connect(2)).
        var none = sockaddr()
        none.sa_family = sa_family_t(AF_UNSPEC)
        _ = Glibc.connect(descriptor.raw, &none, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Ends both directions. Reads and writes that wait return.
    func close() { _ = shutdown(descriptor.raw, Int32(SHUT_RDWR)) }

    /// Waits until the socket can be used, or is closed.
    private func wait(isForReading: Bool) async {
        await Self.wait(descriptor.raw, queue, isForReading: isForReading)
    }

    /// Waits for a descriptor, which the caller holds open.
    static func wait(_ raw: Int32, _ queue: DispatchQueue, isForReading: Bool) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let source: any DispatchSourceProtocol =
                isForReading
                ? DispatchSource.makeReadSource(fileDescriptor: raw, queue: queue)
                : DispatchSource.makeWriteSource(fileDescriptor: raw, queue: queue)
            // Only cancelled here, which Dispatch allows on any thread.
            nonisolated(unsafe) let cancelled = source
            source.setEventHandler { cancelled.cancel() }
            source.setCancelHandler { continuation.resume() }
            source.resume()
        }
    }

    /// Connects to a place of the machine's own network.
    ///
    /// - Throws: `SystemError` of connect(2); `ENOENT` for a name that has no address.
    static func connect(host: String, port: Int) async throws -> FlowSocket {
        let socket: SharedDescriptor = try await withCheckedThrowingContinuation { continuation in
            do {
                // Both the search for the name and the connection block.
                try startThread(named: "exthost-connect") {
                    continuation.resume(with: Result { try Self.connectNow(host, port) })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        return FlowSocket(socket)
    }

    private static func connectNow(_ host: String, _ port: Int) throws -> SharedDescriptor {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else {
            throw SystemError("getaddrinfo", code: ENOENT)
        }
        defer { freeaddrinfo(list) }
        var failure = SystemError("connect", code: EADDRNOTAVAIL)
        var next = list
        while let address = next?.pointee {
            next = address.ai_next
            let raw = socket(address.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard raw >= 0 else {
                failure = SystemError("socket")
                continue
            }
            let descriptor = SharedDescriptor(owning: raw)
            // It bounds connect(2), too (socket(7)).
            var limit = timeval(tv_sec: connectLimit, tv_usec: 0)
            _ = setsockopt(raw, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            if Glibc.connect(raw, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
            failure = SystemError("connect")
        }
        throw failure
    }
}

/// A listening socket. One task at a time may wait for connections.
final class FlowListener: Sendable {
    private let socket: Socket
    private let queue = DispatchQueue(label: "org.exthost.flow.listener")

    /// Takes a socket that listens and does not block.
    init(_ descriptor: SharedDescriptor) throws(SystemError) { socket = Socket(try descriptor.duplicate()) }

    /// Waits for the next connection; nil once the socket is closed.
    func accept() async -> FlowSocket? {
        while true {
            do {
                if let accepted = try socket.accept() {
                    return FlowSocket(SharedDescriptor(accepted.release()))
                }
                await FlowSocket.wait(socket.raw, queue, isForReading: true)
            } catch  where [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.code) {
                // The connection waits for the end of another, which has descriptors.
                try? await Task.sleep(for: .milliseconds(50))
            } catch {
                return nil
            }
        }
    }

    /// Ends the listening. A task that waits gets nil.
    func close() { _ = shutdown(socket.raw, Int32(SHUT_RDWR)) }
}
