// ProgramNetwork: the network of programs whose connections are flows.

internal import ExtensionProtocol
internal import Glibc
internal import LinuxDescriptors
internal import Locks
internal import PointMessages

/// A network namespace whose programs reach only this host: a SOCKS5 and HTTP proxy, and a name server, on its loopback.
///
/// With a filter, the host makes the allowed connections itself, in the machine's own network. With a proxy, the
/// provider is the other side of each connection.
public final class ProgramNetwork: Sendable {
    /// The port of the proxy, in the namespace.
    public static let proxyPort = 1080
    /// The maximum number of connections at a time.
    private static let mostConnections = 256

    /// The function that makes a socket for datagrams, at a free port of the namespace's loopback.
    typealias DatagramSocket = @Sendable () async throws -> (socket: SharedDescriptor, port: Int)
    /// The function that serves one connection to its end.
    typealias Service = @Sendable (FlowSocket, ProxyRequest, @escaping DatagramSocket) async -> Void

    private let namespace: NetworkNamespace
    private let listeners: [FlowListener]
    private let names: DatagramServer?
    private let server: Task<Void, Never>
    /// Whether the host serves as a proxy there.
    private let hasProxy: Bool

    /// Makes the namespace. The proxy answers from now on.
    ///
    /// - Parameter filter: decides about the connections.
    /// - Throws: `ExtensionHostError` `helperMissing` with cause and remedy.
    public convenience init(_ filter: FilterHost) async throws {
        try await self.init { socket, request, _ in await FilteredConnection(socket, request, filter).run() }
    }

    /// Makes the namespace of an app proxy: the provider gets connections through SOCKS5 and HTTP, and queries.
    ///
    /// - Parameter proxy: takes the flows.
    /// - Throws: `ExtensionHostError` `helperMissing` with cause and remedy.
    public convenience init(_ proxy: ProxyHost) async throws {
        try await self.init(names: proxy) { socket, request, listen in
            await ProxiedConnection(socket, request, proxy, listen).run()
        }
    }

    /// Makes the namespace of a DNS proxy, whose programs reach nothing but their name server.
    ///
    /// - Parameter proxy: takes the queries, as flows.
    /// - Throws: `ExtensionHostError` `helperMissing` with cause and remedy.
    public convenience init(names proxy: ProxyHost) async throws { try await self.init(names: proxy, nil) }

    /// - Parameters:
    ///   - proxy: takes the queries of programs; nil: there is no name server.
    ///   - serve: serves one connection to its end; nil: there is no proxy.
    init(
        names proxy: ProxyHost? = nil, _ serve: Service?
    ) async throws {
        let namespace = try await NetworkNamespace()
        self.namespace = namespace
        hasProxy = serve != nil
        var services: [@Sendable () async -> Void] = []
        var listeners: [FlowListener] = []
        if let serve {
            let listener = try FlowListener(
                try await namespace.listen(isStream: true, "127.0.0.1", port: Self.proxyPort).socket)
            listeners.append(listener)
            services.append { [weak namespace] in
                await Self.accept(listener) { [weak namespace] socket, isTooMany in
                    guard
                        let request = try? await ProxyRequest.read(
                            { try await socket.read() }, { try await socket.write($0) })
                    else { return }
                    guard !isTooMany else {
                        try? await socket.write(request.bytes(of: .busy))
                        return
                    }
                    await serve(socket, request) { [weak namespace] in
                        // The connections of a network end after it.
                        guard let namespace else { throw SystemError("listen", code: ENETDOWN) }
                        return try await namespace.listen(isStream: false, "127.0.0.1", port: 0)
                    }
                }
            }
        }
        if let proxy {
            let datagrams = try await namespace.listen(isStream: false, "127.0.0.1", port: NameServer.port).socket
            let listener = try FlowListener(
                try await namespace.listen(isStream: true, "127.0.0.1", port: NameServer.port).socket)
            try await namespace.apply([("nameserver", "127.0.0.1")])
            let address = proxy.settings.names?.servers.first ?? NetworkNames.ofMachine.servers[0]
            let server = FlowEndpoint(address, NameServer.port)
            let names = DatagramServer(datagrams, proxy, NameServer.form(server))
            listeners.append(listener)
            services.append { await names.run() }
            services.append { await Self.accept(listener) { if !$1 { await NameServer.serve($0, proxy, server) } } }
            self.names = names
        } else {
            names = nil
        }
        self.listeners = listeners
        server = Task { [services] in
            await withDiscardingTaskGroup { group in
                for service in services { group.addTask { await service() } }
            }
        }
    }

    /// Serves the connections of a listener until its end. The end of the task ends them.
    ///
    /// - Parameter serve: serves one connection; the flag says that there are too many.
    private static func accept(
        _ listener: FlowListener, _ serve: @escaping @Sendable (FlowSocket, _ isTooMany: Bool) async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            let open = Count()
            while let socket = await listener.accept() {
                let number = open.value.withLock { count in
                    count += 1
                    return count
                }
                // A connection above the first bound gets an answer once it has asked. Above the second it is closed.
                guard number <= 2 * mostConnections else {
                    open.value.withLock { $0 -= 1 }
                    socket.close()
                    continue
                }
                let isTooMany = number > mostConnections
                group.addTask {
                    defer { open.value.withLock { $0 -= 1 } }
                    await withTaskCancellationHandler {
                        await serve(socket, isTooMany)
                    } onCancel: {
                        socket.close()
                    }
                    socket.close()
                }
            }
        }
    }

    private final class Count: Sendable {
        let value = Mutex(0)
    }

    deinit {
        endServices()
        server.cancel()
    }

    private func endServices() {
        for listener in listeners { listener.close() }
        names?.close()
    }

    /// Runs a program to its end. Its environment names the proxy, if there is one, as `ALL_PROXY` and `http_proxy`.
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
        let program = try await namespace.run(
            arguments, environment: others + (hasProxy ? variables : []), in: folder, streams: streams)
        return await withTaskCancellationHandler {
            await program.status
        } onCancel: {
            Task { await program.signal(SIGTERM) }
        }
    }

    /// Ends all programs, and then all connections.
    public func close() async {
        await namespace.close()
        endServices()
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
        // A filter sees no datagrams.
        if request.dialect == .association {
            try? await program.write(request.bytes(of: .unsupported))
            return
        }
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
