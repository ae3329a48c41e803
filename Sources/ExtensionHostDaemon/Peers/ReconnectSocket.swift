// ReconnectSocket: the socket through which an extension that has lost its connection passes another one.

import EventLoop
import ExtensionConnection
import Glibc
import LinuxSystem

/// A second socket pair of each process.
///
/// A confined program reaches no socket by its path, so it makes a pair and passes one end through here. The holder of
/// that end is this process, and may only resume its session.
@HostActor
final class ReconnectSocket {
    private let socket: Socket
    private let share: TurnShare
    private var source: IOSource?
    /// Admits a connection that came through this socket, and returns its peer; nil if it was refused.
    var admit: (@HostActor (consuming Socket, TurnShare) -> Peer?)?
    /// The last connection that came. A process that passes another one has given it up: one at a time takes up a
    /// place.
    private weak var waiting: Peer?

    init(_ socket: consuming Socket, share: TurnShare) throws(LoopError) {
        self.share = share
        self.socket = socket
        source = try EventLoop.shared.watch(descriptor: self.socket.raw, for: .readable, share: share) {
            [weak self] _ in
            self?.open()
        }
    }

    // The source is cancelled before the descriptor is closed. A store may still have the descriptor, and the loop
    // would go on watching it (epoll(7), Q6).
    isolated deinit { source?.cancel() }

    /// Releases the last connection: it is the process's connection now.
    func handOver() { waiting = nil }

    /// Receives one packet a turn.
    private func open() {
        let received = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
            try? socket.receive(into: UnsafeMutableRawBufferPointer(buffer))
        }
        switch received {
        case .packet(_, let descriptors):
            // A descriptor that may not be passed is closed with the packet, and so its other end is, too.
            guard let end = descriptors.first, descriptors.count == 1, Self.isPacketSocket(end.raw),
                let copy = try? end.duplicate()
            else { return }
            waiting?.close(.closed)
            waiting = admit?(Socket(copy), share)
        case .wouldBlock, .truncated, .controlTruncated: return
        case .endOfFile, nil: source = nil
        }
    }

    private static func isPacketSocket(_ descriptor: Int32) -> Bool {
        func option(_ name: Int32) -> Int32? {
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        return option(SO_DOMAIN) == AF_UNIX && option(SO_TYPE) == Int32(SOCK_SEQPACKET.rawValue)
    }
}
