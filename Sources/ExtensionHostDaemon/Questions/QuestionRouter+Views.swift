// QuestionRouter+Views: an extension's views on their way to its host, and acts on them on the way back.

import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol

extension QuestionRouter {
    /// Packets queued for an extension above which the daemon refuses further acts.
    private static let ahead = 32

    /// Forwards a view to the host of its request. If the host knows no views, the view counts as seen.
    func show(_ packet: Packet, from side: CallSide) throws(ProtocolError) {
        let message: ShowView = try packet.message()
        guard let process = side.process else { return }
        if try postpone(message.request, packet, from: side, QuestionRouter.show) { return }
        guard let (_, host) = openRequest(message.request, of: process), host.peer.version >= .withViews else {
            process.peer?.reply(packet, Success())
            return
        }
        let serial = packet.serial
        do throws(QuestionBroker.Refusal) {
            try ask(
                QuestionBroker.Question(.view, of: message.request, to: .host(host.name)), message,
                payload: packet.payload,
                of: host.peer, in: process
            ) { [weak host, weak process] answer in
                if case .success(let answered) = answer, answered.kind != .success {
                    host?.peer.fail(.unexpected(kind: "\(answered.kind)", state: "as the answer to a view"))
                }
                process?.peer?.send(Success(), replyTo: serial)
            }
        } catch {
            throw .unexpected(kind: "showView", state: "before the answer to the last one")
        }
    }

    /// Forwards an act to the extension.
    func use(_ packet: Packet, from side: CallSide) throws(ProtocolError) {
        let message: UseView = try packet.message()
        guard let host = side.host else { return }
        // The host still shows the view from before the daemon's restart.
        if try postpone(message.request, packet, from: side, QuestionRouter.use) { return }
        do throws(ExtensionHostError) {
            try pass(message, packet.serial, from: host)
        } catch {
            host.peer.reply(packet, error)
        }
    }

    private func pass(_ message: UseView, _ serial: UInt32, from host: Host) throws(ExtensionHostError) {
        guard let request = inventory.request(message.request, of: host), request.isOpen else {
            throw ExtensionHostError(.noSuchRequest, "request \(message.request) is not open in this host")
        }
        guard request.hasBeenDelivered, let process = request.process, let peer = process.peer else {
            throw ExtensionHostError(
                .invalidArgument, "the extension does not have the request yet", remedy: "Wait until it shows a view")
        }
        guard peer.version >= .withViews else {
            throw ExtensionHostError(
                .notSimulated, "the extension's kit has no views", remedy: "Build the extension with the current kit")
        }
        let busy = ExtensionHostError(
            .quotaExceeded, "the extension has not yet handled the last actions", remedy: "Wait for the answers")
        guard peer.queuedPackets < Self.ahead else { throw busy }
        do throws(QuestionBroker.Refusal) {
            try ask(
                QuestionBroker.Question(.act, of: message.request, to: .process(process.number)), message, of: peer,
                in: process
            ) { [weak host, weak process] answer in
                Self.finish(answer, serial, host, process)
            }
        } catch {
            throw busy
        }
    }

    private static func finish(
        _ answer: Result<Packet, ExtensionHostError>, _ serial: UInt32, _ host: Host?, _ process: ExtensionProcess?
    ) {
        switch answer {
        case .success(let packet):
            do throws(ProtocolError) {
                let message: ViewUsed = try packet.message()
                if let problem = packet.memoryProblem { throw .badPayloadDescriptor("of a view: \(problem)") }
                host?.peer.send(message, payload: packet.payload, replyTo: serial)
            } catch {
                process?.peer?.fail(error)
                let why = ExtensionHostError(.protocolViolation, "the extension's answer is invalid: \(error)")
                host?.peer.send(ErrorReply(why), replyTo: serial)
            }
        case .failure(let error): host?.peer.send(ErrorReply(error), replyTo: serial)
        }
    }
}
