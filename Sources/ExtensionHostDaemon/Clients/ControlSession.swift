// ControlSession: a tool's connection.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionProtocol
import LinuxSystem

/// A connection that sends questions and orders, and begins no requests.
@HostActor
final class ControlSession: PeerOwner {
    let peer: Peer
    private let service: ControlService
    private let context: DaemonContext
    private let questions: QuestionRouter
    private let side: CallSide
    private let credentials: PeerCredentials

    init(peer: Peer, credentials: PeerCredentials, engine: Engine) {
        self.peer = peer
        service = ControlService(engine: engine, peer: peer, credentials: credentials)
        context = engine.context
        questions = engine.questions
        self.credentials = credentials
        side = CallSide(tool: peer)
        peer.owner = self
        if let scheduler = context.scheduler { peer.orders = { scheduler.order($0) } }
    }

    func received(_ packet: Packet, from _: Peer) { context.order { [weak self] in self?.receive(packet) } }

    func closed(_: ConnectionError) { service.connectionClosed() }

    func drained() { service.drained() }

    /// Whether a stream that the tool follows has more to send.
    var isBehind: Bool { !peer.isClosed && !peer.isDetached && service.isBehind }

    private func receive(_ packet: Packet) {
        do throws(ProtocolError) {
            if try questions.take(packet, from: side) { return }
            switch packet.kind {
            case .openService:
                return try questions.open(
                    packet, from: side, ServiceClient(role: .control, pid: Int(credentials.pid)), user: credentials.uid,
                    as: context.options.isSystem ? credentials.identity() : nil)
            default: break
            }
            guard try service.handle(packet) else {
                throw .unexpected(kind: "\(packet.kind)", state: "from a control client")
            }
        } catch {
            peer.fail(error)
        }
    }
}
