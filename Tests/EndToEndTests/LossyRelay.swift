// LossyRelay: stands between a client and its daemon, and loses connections with what is on the way.

import Foundation
import Glibc
import LinuxSystem
import Locks

/// Passes packets on, both ways, and cuts each connection after some of them: the last one read is not passed on. The
/// daemon sees this process as its client, as it is in the tests that use it.
final class LossyRelay: Sendable {
    let path: String
    private let directory: TemporaryDirectory
    private let cuts = Atomic<Int>(0)
    private let listening: Int32

    /// How many connections were cut.
    var cutCount: Int { cuts.load(ordering: .relaxed) }

    /// - Parameters:
    ///   - daemon: the path of the daemon's socket.
    ///   - packets: how many packets of each connection are passed on, drawn for each anew; the first of all gets 3
    ///     more, so that its handshake is done.
    init(to daemon: String, packets: ClosedRange<Int>, seed: UInt64) throws {
        directory = try TemporaryDirectory(prefix: "exthost-relay")
        path = directory.path + "/relay.sock"
        let socket = try Socket.listen(at: path)
        listening = socket.release().release()
        let (number, relay) = (listening, Unowned(self))
        try startThread(named: "relay") { relay.serve(Socket(OwnedDescriptor(owning: number)), daemon, packets, seed) }
    }

    /// Ends the relay; connections that pass go with it.
    func stop() {
        shutdown(listening, Int32(SHUT_RDWR))
        try? directory.remove()
    }

    /// The thread must not keep the relay alive, nor outlive its use of the count.
    private struct Unowned: @unchecked Sendable {
        weak var relay: LossyRelay?
        init(_ relay: LossyRelay) { self.relay = relay }

        func serve(_ socket: consuming Socket, _ daemon: String, _ packets: ClosedRange<Int>, _ seed: UInt64) {
            var state = seed
            var isFirst = true
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 16)
            defer { buffer.deallocate() }
            while true {
                var entry = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
                guard poll(&entry, 1, -1) >= 0, let client = try? socket.accept() else { return }
                guard let server = try? Socket.connect(to: daemon) else { return }
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let limit = packets.lowerBound + Int(state >> 33) % packets.count + (isFirst ? 3 : 0)
                isFirst = false
                if relay(client, server, limit, buffer) { self.relay?.cuts.add(1, ordering: .relaxed) }
            }
        }

        /// True when it cut the connection, false when one side closed it.
        private func relay(
            _ client: borrowing Socket, _ server: borrowing Socket, _ limit: Int,
            _ buffer: UnsafeMutableRawBufferPointer
        ) -> Bool {
            var passed = 0
            while true {
                var entries = [
                    pollfd(fd: client.raw, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: server.raw, events: Int16(POLLIN), revents: 0),
                ]
                guard poll(&entries, 2, -1) >= 0 else { return false }
                for side in 0..<2 where entries[side].revents != 0 {
                    let received = side == 0 ? try? client.receive(into: buffer) : try? server.receive(into: buffer)
                    guard let received, case .packet(let count, let descriptors) = received else {
                        if let received, case .wouldBlock = received { continue }
                        return false
                    }
                    guard passed < limit else { return true }
                    passed += 1
                    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                    let target = side == 0 ? server.raw : client.raw
                    while true {
                        let sent =
                            side == 0
                            ? try? server.send(bytes, descriptors: descriptors)
                            : try? client.send(bytes, descriptors: descriptors)
                        guard let sent else { return false }
                        if sent { break }
                        var entry = pollfd(fd: target, events: Int16(POLLOUT), revents: 0)
                        _ = poll(&entry, 1, -1)
                    }
                }
            }
        }
    }
}
