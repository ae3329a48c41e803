// ReconnectSocket: by which an extension that has lost its connection brings another one.

import EventLoop
import ExtensionConnection
import Glibc
import LinuxSystem

/// A second socket pair of each process. A confined program reaches no socket by its path, so it makes a pair and passes one end of it
/// through here: whoever holds that end is this process, and may do no more than go on with its session.
@HostActor
final class ReconnectSocket {
    private let socket: Socket
    private let share: TurnShare
    private var source: IOSource?
    /// Admits a connection that came through the door; nil: it was refused.
    var admit: (@HostActor (consuming Socket, TurnShare) -> Peer?)?
    /// The last that came. Whoever brings another has given it up: one at a time takes up a place.
    private weak var waiting: Peer?

    init(_ socket: consuming Socket, share: TurnShare) throws(LoopError) {
        self.share = share
        self.socket = socket
        source = try EventLoop.shared.watch(descriptor: self.socket.raw, for: .readable, share: share) { [weak self] _ in
            self?.open()
        }
    }

    // Before the descriptor is closed: a store may have it still, and then the loop would go on watching what is nobody's (epoll(7), Q6).
    isolated deinit { source?.cancel() }

    /// The last that came is the process's connection now.
    func handOver() { waiting = nil }

    /// One packet a turn.
    private func open() {
        let received = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
            try? socket.receive(into: UnsafeMutableRawBufferPointer(buffer))
        }
        switch received {
        case .packet(_, let descriptors):
            // What it may not bring is closed with the packet, and the other end of it with that.
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
