// ProgramNetwork: the network of programs whose connections are flows.

internal import ExtensionProtocol
internal import Glibc
internal import LinuxDescriptors
internal import Locks
internal import PointMessages

/// A network namespace that programs leave through a proxy of the host only: a SOCKS5 and HTTP proxy on its loopback.
///
/// The host decides about each connection, and makes it itself, in the machine's own network.
public final class ProgramNetwork: Sendable {
    /// The port of the proxy, in the namespace.
    public static let proxyPort = 1080
    /// The maximum number of connections at a time.
    private static let mostConnections = 256

    private let namespace: NetworkNamespace
    private let listener: FlowListener
    private let server: Task<Void, Never>

    /// Makes the namespace. The proxy answers from now on.
    ///
    /// - Parameter filter: decides about the connections.
    /// - Throws: `ExtensionHostError` `helperMissing` with cause and remedy.
    public convenience init(_ filter: FilterHost) async throws {
        try await self.init { socket, request in await FilteredConnection(socket, request, filter).run() }
    }

    /// - Parameter serve: serves one connection to its end.
    init(_ serve: @escaping @Sendable (FlowSocket, ProxyRequest) async -> Void) async throws {
        let namespace = try await NetworkNamespace()
        self.namespace = namespace
        let listener = try FlowListener(
            try await namespace.listen(isStream: true, "127.0.0.1", port: Self.proxyPort).socket)
        self.listener = listener
        server = Task {
            await withDiscardingTaskGroup { group in
                let open = Count()
                while let socket = await listener.accept() {
                    let isTooMany = open.value.withLock { count in
                        count += 1
                        return count > Self.mostConnections
                    }
                    group.addTask {
                        defer { open.value.withLock { $0 -= 1 } }
                        await withTaskCancellationHandler {
                            guard
                                let request = try? await ProxyRequest.read(
                                    { try await socket.read() }, { try await socket.write($0) })
                            else { return }
                            if isTooMany {
                                try? await socket.write(request.bytes(of: .busy))
                            } else {
                                await serve(socket, request)
                            }
                        } onCancel: {
                            socket.close()
                        }
                        socket.close()
                    }
                }
            }
        }
    }

    private final class Count: Sendable {
        let value = Mutex(0)
    }

    deinit { listener.close() }

    /// Serves the names of the namespace's programs, too: `/etc/resolv.conf` names this host.
    func serveNames() async throws -> (datagrams: SharedDescriptor, streams: FlowListener) {
        let datagrams = try await namespace.listen(isStream: false, "127.0.0.1", port: 53).socket
        let streams = try await namespace.listen(isStream: true, "127.0.0.1", port: 53).socket
        try await namespace.apply([("nameserver", "127.0.0.1")])
        return (datagrams, try FlowListener(streams))
    }

    /// Runs a program to its end. Its environment names the proxy, as `ALL_PROXY` and `http_proxy`.
    ///
    /// - Parameters:
    ///   - arguments: the program, searched in PATH, and its arguments.
    ///   - environment: the environment without those variables, as `KEY=VALUE`.
    ///   - folder: the working directory.
    ///   - streams: the program's standard descriptors.
    /// - Returns: the wait status of the program, as wait(2) gives it.
    public func run(
        _ arguments: [String], environment: [String], in folder: String, streams: [Int32] = [0, 1, 2]
    ) async throws -> Int32 {
        let proxy = "127.0.0.1:\(Self.proxyPort)"
        let variables = [
            "ALL_PROXY=socks5h://\(proxy)", "all_proxy=socks5h://\(proxy)", "http_proxy=http://\(proxy)",
            "https_proxy=http://\(proxy)", "HTTPS_PROXY=http://\(proxy)",
        ]
        let names = (variables + ["NO_PROXY=", "no_proxy="]).map { $0.prefix { $0 != "=" } + "=" }
        let others = environment.filter { entry in !names.contains { entry.hasPrefix($0) } }
        let program = try await namespace.run(arguments, environment: others + variables, in: folder, streams: streams)
        return await withTaskCancellationHandler {
            await program.status
        } onCancel: {
            Task { await program.signal(SIGTERM) }
        }
    }

    /// Ends all programs, and then all connections.
    public func close() async {
        await namespace.close()
        listener.close()
        server.cancel()
        await server.value
    }
}

/// A connection of a program that a filter decides about.
struct FilteredConnection: Sendable {
    private let program: FlowSocket
    private let request: ProxyRequest
    private let filter: FilterHost

    init(_ program: FlowSocket, _ request: ProxyRequest, _ filter: FilterHost) {
        (self.program, self.request, self.filter) = (program, request, filter)
    }

    func run() async {
        guard let flow = try? await filter.open(description) else {
            try? await program.write(request.bytes(of: .busy))
            return
        }
        await serve(flow)
        await flow.close()
    }

    private var description: NetworkFlow {
        var flow = NetworkFlow(0, identifier: "", .stream)
        flow.remote = request.endpoint
        flow.hostname = request.endpoint.host
        if case .load(let url) = request.dialect { (flow.kind, flow.url) = (.browser, url) }
        return flow
    }

    private func serve(_ flow: FilteredFlow) async {
        guard await flow.isAllowed else {
            try? await program.write(request.bytes(of: .refused(page: await flow.page)))
            return
        }
        guard let other = try? await FlowSocket.connect(host: request.endpoint.host, port: request.endpoint.port) else {
            try? await program.write(request.bytes(of: .unreachable))
            return
        }
        do { try await program.write(request.bytes(of: .connected)) } catch { return other.close() }
        await withTaskCancellationHandler {
            await exchange(flow, other)
        } onCancel: {
            end(other)
        }
        other.close()
    }

    private func exchange(_ flow: FilteredFlow, _ other: FlowSocket) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                do {
                    try await other.write(try await flow.pass(request.first, .outbound))
                    try await Self.pump(program, other, flow, .outbound)
                } catch {
                    end(other)
                }
            }
            group.addTask {
                do { try await Self.pump(other, program, flow, .inbound) } catch { end(other) }
            }
        }
    }

    /// Ends both sides. The other direction then ends, too.
    private func end(_ other: FlowSocket) {
        other.close()
        program.close()
    }

    private static func pump(
        _ source: FlowSocket, _ sink: FlowSocket, _ flow: FilteredFlow, _ direction: FilteredFlow.Direction
    ) async throws {
        while true {
            let bytes = try await source.read()
            if bytes.isEmpty { break }
            try await sink.write(try await flow.pass(bytes, direction))
        }
        try await sink.write(try await flow.finish(direction))
        sink.finish()
    }
}
