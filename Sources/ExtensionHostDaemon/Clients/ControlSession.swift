// ControlSession: a tool's connection.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionProtocol
import LinuxSystem

/// A connection that asks and orders, and begins no requests.
@HostActor
final class ControlSession {
    let peer: Peer
    private let service: ControlService

    init(peer: Peer, credentials: PeerCredentials, engine: Engine) {
        self.peer = peer
        service = ControlService(engine: engine, peer: peer, credentials: credentials)
        peer.onPacket = { [weak self] packet in engine.context.order { self?.receive(packet) } }
        if let turns = engine.context.turns { peer.orders = { turns.order($0) } }
        peer.onClose = { [service] _ in service.connectionClosed() }
    }

    /// Whether what it follows has more to send.
    var isBehind: Bool { !peer.isClosed && !peer.isDetached && service.isBehind }

    private func receive(_ packet: Packet) {
        do throws(ProtocolError) {
            guard try service.handle(packet) else {
                throw .unexpected(kind: "\(packet.kind)", state: "from a control client")
            }
        } catch {
            peer.fail(error)
        }
    }
}
