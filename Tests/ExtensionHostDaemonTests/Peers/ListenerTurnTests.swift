// ListenerTurnTests: how many connections are accepted before others are served.

import EventLoop
import ExtensionConnection
import Glibc
import LinuxSystem
import Logging
import Testing

@testable import ExtensionHostDaemon

@Suite struct ListenerTurnTests {
    init() { LoopThread.start() }

    /// As `Listener` has it.
    private static let connectionsPerTurn = 16

    @Test @HostActor func whoeverConnectsWithoutAPauseLeavesOthersTheirTurns() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-listener")
        defer { try? folder.remove() }
        let path = folder.path + "/socket"
        let engine = try Engine(
            options: DaemonOptions(
                listening: .path(path), applications: [], bus: .address(.none),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, version: "0"))
        let listener = try Listener(socket: try Socket.listen(at: path, backlog: 512), engine: engine)
        defer { listener.stop() }
        // Another descriptor that is always ready. What is accepted between two of its turns counts.
        let other = try SocketPair()
        let nearEnd = other.first
        let farEnd = other.second
        let near = SharedDescriptor(nearEnd.release())
        let far = SharedDescriptor(farEnd.release())
        defer { withExtendedLifetime(far) {} }
        var (before, most, turns) = (0, 0, 0)
        let source = try EventLoop.shared.watch(descriptor: near.raw, for: .writable) { _ in
            turns += 1
            most = max(most, listener.book.total - before)
            before = listener.book.total
        }
        defer { source.cancel() }
        // All connect before the loop has a turn. Half of them leave at once, some of these with a byte unread.
        var clients: [SharedDescriptor] = []
        for number in 0..<200 {
            let client = SharedDescriptor(try Socket.connect(to: path).release())
            guard number % 2 != 0 else {
                clients.append(client)
                continue
            }
            // A process that another test starts just now has a copy of the descriptor: its close alone would not end
            // the connection.
            if number % 4 == 0 { #expect(write(client.raw, "x", 1) == 1) }
            #expect(shutdown(client.raw, Int32(SHUT_RDWR)) == 0)
        }
        while listener.book.total < clients.count { await Task.yield() }
        #expect(most > 0 && most <= Self.connectionsPerTurn && turns >= 200 / Self.connectionsPerTurn)
        // Those that had left took up no place.
        #expect(listener.book.total == clients.count)
    }
}
