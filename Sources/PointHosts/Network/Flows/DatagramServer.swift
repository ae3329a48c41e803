// DatagramServer: a socket of a namespace, whose datagrams are flows of a proxy.

internal import Dispatch
internal import Glibc
internal import LinuxDescriptors
internal import Locks
internal import PointMessages

/// Takes the datagrams that programs of a namespace send to one socket. Those of each program's socket are a flow.
final class DatagramServer: Sendable {
    /// The form of the datagrams on the socket.
    struct Form: Sendable {
        /// Returns a program's datagram with its receiver; nil if it is none.
        var read: @Sendable ([UInt8]) -> FlowDatagram?
        /// Returns the bytes for the program; nil if it cannot get them.
        var write: @Sendable (FlowDatagram) -> [UInt8]?
        /// Returns the answer to a datagram that is refused; nil: none.
        var refusal: @Sendable ([UInt8]) -> [UInt8]? = { _ in nil }
    }

    private let descriptor: SharedDescriptor
    private let proxy: ProxyHost
    private let form: Form
    private let mostSockets: Int
    private let sockets = Mutex<[FlowEndpoint: DatagramQueue]>([:])
    private let isClosed = Mutex(false)

    /// - Parameters:
    ///   - descriptor: a socket of IPv4 that does not block.
    ///   - mostSockets: the maximum number of programs' sockets whose datagrams are flows at a time. A further one gets no
    ///     answer.
    init(_ descriptor: SharedDescriptor, _ proxy: ProxyHost, _ form: Form, mostSockets: Int = 128) {
        (self.descriptor, self.proxy, self.form, self.mostSockets) = (descriptor, proxy, form, mostSockets)
    }

    /// Ends `run()`.
    func close() {
        isClosed.withLock { $0 = true }
        _ = shutdown(descriptor.raw, Int32(SHUT_RDWR))
    }

    /// Serves until `close()`, and ends all flows then.
    func run() async {
        let queue = DispatchQueue(label: "org.exthost.datagrams")
        await withDiscardingTaskGroup { group in
            var count = 0
            while !isClosed.withLock({ $0 }) {
                // A flood leaves the other tasks their turns.
                count += 1
                if count % 64 == 0 { await Task.yield() }
                guard let (bytes, sender) = receive() else {
                    await FlowSocket.wait(descriptor.raw, queue, isForReading: true)
                    continue
                }
                let queue = sockets.withLock { sockets -> DatagramQueue? in
                    if let queue = sockets[sender] {
                        queue.append(bytes)
                        return nil
                    }
                    guard sockets.count < mostSockets else { return nil }
                    let queue = DatagramQueue()
                    queue.append(bytes)
                    sockets[sender] = queue
                    return queue
                }
                if let queue { group.addTask { await self.serve(queue, of: sender) } }
            }
            group.cancelAll()
        }
    }

    /// Serves the datagrams of a socket, by one flow after the other: a provider may end the flow after each answer.
    private func serve(_ queue: DatagramQueue, of sender: FlowEndpoint) async {
        repeat {
            guard let bytes = await queue.first(), let datagram = form.read(bytes) else {
                _ = queue.removeFirst()
                continue
            }
            var description = NetworkFlow(0, identifier: "", .datagrams)
            (description.remote, description.local) = (datagram.endpoint, sender)
            if let flow = try? await proxy.open(description) {
                await serve(queue, of: sender, flow)
            } else {
                _ = queue.removeFirst()
                if let refusal = form.refusal(bytes) { send(refusal, to: sender) }
            }
        } while sockets.withLock { sockets in
            let isOver = queue.isEmpty || isClosed.withLock { $0 }
            if isOver { sockets[sender] = nil }
            return !isOver
        }
    }

    private func serve(_ queue: DatagramQueue, of sender: FlowEndpoint, _ flow: ProxiedFlow) async {
        let idle = IdleLimit(proxy.settings.idleLimit) { flow.end() }
        await withDiscardingTaskGroup { group in
            group.addTask {
                var isRead = false
                while let bytes = await queue.first() {
                    idle.restart()
                    if let datagram = self.form.read(bytes) {
                        do { try await flow.send([datagram]) } catch { break }
                        isRead = true
                    }
                    _ = queue.removeFirst()
                }
                // A datagram that no provider reads does not open flows for ever.
                if !isRead { _ = queue.removeFirst() }
            }
            group.addTask {
                do {
                    try await flow.opened()
                    while true {
                        let answers = try await flow.receive()
                        if answers.isEmpty { break }
                        idle.restart()
                        for bytes in answers.compactMap(self.form.write) { self.send(bytes, to: sender) }
                    }
                } catch {
                    // The flow has ended.
                }
                flow.end()
                queue.stop()
            }
        }
        queue.begin()
        idle.stop()
    }

    private func receive() -> ([UInt8], FlowEndpoint)? {
        var bytes = [UInt8](repeating: 0, count: FlowService.mostDatagram)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let raw = descriptor.raw
        let count = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(raw, &bytes, bytes.count, Int32(MSG_DONTWAIT), $0, &length)
            }
        }
        guard count > 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        let number = UInt32(bigEndian: address.sin_addr.s_addr)
        let host = [24, 16, 8, 0].map { String(number >> $0 & 0xff) }.joined(separator: ".")
        return (Array(bytes[..<count]), FlowEndpoint(host, Int(UInt16(bigEndian: address.sin_port))))
    }

    /// Sends an answer. A program that reads none loses it, as from any name server.
    private func send(_ bytes: [UInt8], to endpoint: FlowEndpoint) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: endpoint.port).bigEndian
        inet_pton(AF_INET, endpoint.host, &address.sin_addr)
        let raw = descriptor.raw
        _ = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    raw, bytes, bytes.count, Int32(MSG_DONTWAIT), $0, socklen_t(MemoryLayout<sockaddr_in>.size)
                )
            }
        }
    }
}

/// The datagrams of one socket that wait for a flow. One task at a time waits for the first.
private final class DatagramQueue: Sendable {
    private struct State {
        var datagrams: [[UInt8]] = []
        var bytes = 0
        var waiter: CheckedContinuation<Void, Never>?
        var isStopped = false
    }

    /// The maximum number of datagrams, and of their bytes if there are several. Further ones are lost, as in the queue of
    /// a socket.
    private static let most = (count: 64, bytes: 64 << 10)

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.datagrams.isEmpty } }

    func append(_ datagram: [UInt8]) {
        change { state in
            let bytes = state.bytes + datagram.count
            guard state.datagrams.isEmpty || state.datagrams.count < Self.most.count && bytes <= Self.most.bytes else {
                return
            }
            state.datagrams.append(datagram)
            state.bytes = bytes
        }
    }

    /// A flow takes the datagrams from now on.
    func begin() { change { $0.isStopped = false } }

    /// The flow has ended. The datagrams stay for the next.
    func stop() { change { $0.isStopped = true } }

    private func change(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for the first datagram, which stays in the queue; nil once the flow has ended.
    func first() async -> [UInt8]? {
        while true {
            let (datagram, isStopped) = state.withLock { ($0.datagrams.first, $0.isStopped) }
            if isStopped { return nil }
            if let datagram { return datagram }
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.isStopped || !state.datagrams.isEmpty { return true }
                    state.waiter = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        }
    }

    func removeFirst() -> [UInt8]? {
        state.withLock { state in
            guard !state.datagrams.isEmpty else { return nil }
            let first = state.datagrams.removeFirst()
            state.bytes -= first.count
            return first
        }
    }
}

/// A time limit that each use restarts.
private final class IdleLimit: Sendable {
    private let limit: Duration
    private let body: @Sendable () -> Void
    private let state: Mutex<(end: ContinuousClock.Instant, task: Task<Void, Never>?)>

    init(_ limit: Duration, _ body: @escaping @Sendable () -> Void) {
        (self.limit, self.body) = (limit, body)
        state = Mutex((.now + limit, nil))
        let task = Task { await self.run() }
        state.withLock { $0.task = task }
    }

    private func run() async {
        while true {
            let end = state.withLock { $0.end }
            if end <= .now { return body() }
            do { try await Task.sleep(until: end, clock: .continuous) } catch { return }
        }
    }

    func restart() { state.withLock { $0.end = .now + limit } }
    func stop() { state.withLock { $0.task }?.cancel() }
}
