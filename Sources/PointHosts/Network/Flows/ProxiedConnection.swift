// ProxiedConnection: a connection of a program whose other end is a proxy.

internal import Glibc
internal import LinuxDescriptors
internal import PointMessages

/// A connection of a program that a proxy takes or refuses.
struct ProxiedConnection: Sendable {
    private let program: FlowSocket
    private let request: ProxyRequest
    private let proxy: ProxyHost
    private let listen: ProgramNetwork.DatagramSocket

    /// - Parameter listen: makes a socket of the program's loopback.
    init(
        _ program: FlowSocket, _ request: ProxyRequest, _ proxy: ProxyHost,
        _ listen: @escaping ProgramNetwork.DatagramSocket
    ) {
        (self.program, self.request, self.proxy, self.listen) = (program, request, proxy, listen)
    }

    func run() async {
        if request.dialect == .association { return await associate() }
        var description = NetworkFlow(0, identifier: "", .stream)
        description.remote = request.endpoint
        if !request.endpoint.isAddress { description.hostname = request.endpoint.host }
        do {
            guard let flow = try await proxy.open(description) else {
                let page = "<p>The proxy has refused this.</p>"
                return try await program.write(request.bytes(of: .refused(page: page)))
            }
            await serve(flow)
            flow.end()
        } catch {
            try? await program.write(request.bytes(of: .unreachable))
        }
    }

    private func serve(_ flow: ProxiedFlow) async {
        do {
            try await flow.opened()
            try await program.write(request.bytes(of: .connected))
        } catch {
            try? await program.write(request.bytes(of: .unreachable))
            return
        }
        await Self.exchange(program, flow, first: request.first)
    }

    /// Takes datagrams at a socket of the namespace until the end of the connection.
    private func associate() async {
        guard let (socket, port) = try? await listen() else {
            try? await program.write(request.bytes(of: .busy))
            return
        }
        let server = DatagramServer(socket, proxy, ProxyDatagram.form, mostSockets: 4)
        await withDiscardingTaskGroup { group in
            group.addTask { await server.run() }
            do {
                try await program.write(request.bytes(of: .associated(port: port)))
                while try await !program.read().isEmpty {}
            } catch {
                // The program has gone.
            }
            server.close()
        }
    }

    /// Exchanges bytes until both directions have ended.
    ///
    /// - Parameter first: bytes of the program that have been read already.
    static func exchange(_ program: FlowSocket, _ flow: ProxiedFlow, first: [UInt8]) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                // The provider may end a flow whose program still waits to send.
                await flow.ended()
                program.stopReading()
            }
            group.addTask {
                // A connection has one error for both of its directions.
                guard await flow.failure() != nil else { return }
                flow.end()
                program.reset()
            }
            await withDiscardingTaskGroup { directions in
                directions.addTask { await send(program, flow, first) }
                directions.addTask { await receive(program, flow) }
            }
            flow.end()
        }
    }

    private static func send(_ program: FlowSocket, _ flow: ProxiedFlow, _ first: [UInt8]) async {
        do {
            try await flow.write(first)
            while true {
                let bytes = try await program.read()
                if bytes.isEmpty { break }
                try await flow.write(bytes)
            }
            flow.finish()
        } catch is FlowFailure {
            // The provider reads no more. It may still write.
            program.stopReading()
        } catch {
            flow.end()
        }
    }

    private static func receive(_ program: FlowSocket, _ flow: ProxiedFlow) async {
        do {
            while true {
                let bytes = try await flow.read()
                if bytes.isEmpty { break }
                try await program.write(bytes)
            }
            program.finish()
        } catch {
            flow.end()
            program.reset()
        }
    }
}

extension FlowEndpoint {
    /// Whether the host is an address, and no name.
    fileprivate var isAddress: Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }
}
