// ViewBroker: views on their way from an extension to the host of their request, and a person's acts on the way back, unopened.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionProtocol

/// Routes views and acts. Of each request one view at most is on the way, and a bounded number of acts.
@HostActor
final class ViewBroker {
    private struct Act {
        let request: RequestIdentifier
        weak var host: HostSession?
        let serial: UInt32
    }

    private unowned let engine: Engine
    private var showing: Set<RequestIdentifier> = []
    private var acts: [Int: Act] = [:]
    private var lastNumber = 0
    private static let actsPerRequest = 16
    /// Of a process, those of ended requests included: a stuck one keeps them.
    private static let unansweredPerProcess = 256
    /// What waits for an extension that does not read is bounded, whoever its hosts are.
    private static let ahead = 32

    init(engine: Engine) { self.engine = engine }

    /// Passes a view on to the host of its request. Where that does not want it, it counts as seen.
    func show(_ packet: Packet, from process: ExtensionProcess) throws(ProtocolError) {
        let message: ShowView = try packet.message()
        let identifier = message.request
        if let request = engine.requests[identifier], request.process === process, request.isAwaitingHost {
            return request.onceHostIsBack { [weak self, weak process] in
                if let process { try? self?.show(packet, from: process) }
            }
        }
        guard let request = engine.requests[identifier], request.process === process, request.machine.isOpen,
            let host = request.host, host.peer.version >= .withViews
        else {
            process.peer?.reply(packet, Success())
            return
        }
        guard showing.insert(identifier).inserted else {
            throw .unexpected(kind: "showView", state: "before the one before it was answered")
        }
        let serial = packet.serial
        host.peer.request(message, payload: packet.payload) { [weak self, weak host, weak process] answer in
            self?.showing.remove(identifier)
            if case .success(let answered) = answer, answered.kind != .success {
                host?.peer.fail(.unexpected(kind: "\(answered.kind)", state: "as the answer to a view"))
            }
            process?.peer?.send(Success(), replyTo: serial)
        }
    }

    /// Passes an act on to the extension.
    func use(_ packet: Packet, from host: HostSession) throws(ProtocolError) {
        let message: UseView = try packet.message()
        // Its person sees the view that was there under another daemon.
        let waits = host.requests[message.request]?.onceExtensionIsBack { [weak self, weak host] in
            if let host, !host.peer.isClosed { try? self?.use(packet, from: host) }
        }
        if waits == true { return }
        do throws(ExtensionHostError) {
            try pass(message, packet.serial, from: host)
        } catch {
            host.peer.reply(packet, error)
        }
    }

    private func pass(_ message: UseView, _ serial: UInt32, from host: HostSession) throws(ExtensionHostError) {
        guard let request = host.requests[message.request], request.machine.isOpen else {
            throw ExtensionHostError(.noSuchRequest, "request \(message.request) is not open in this host")
        }
        guard request.hasBeenDelivered, let process = request.process, let peer = process.peer else {
            throw ExtensionHostError(
                .invalidArgument, "the extension does not have the request yet", remedy: "Wait until it shows a view")
        }
        guard peer.version >= .withViews else {
            throw ExtensionHostError(
                .notSimulated, "the extension's kit has no views", remedy: "Build the extension with the current one")
        }
        guard acts.values.count(where: { $0.request == message.request }) < Self.actsPerRequest,
            process.unansweredActs < Self.unansweredPerProcess, peer.queuedPackets < Self.ahead
        else {
            throw ExtensionHostError(
                .quotaExceeded, "the extension has not dealt with what was done before", remedy: "Wait for the answers")
        }
        lastNumber += 1
        let number = lastNumber
        acts[number] = Act(request: message.request, host: host, serial: serial)
        process.unansweredActs += 1
        peer.request(message) { [weak self, weak process] answer in
            process?.unansweredActs -= 1
            self?.finish(number, answer, process)
        }
    }

    private func finish(_ number: Int, _ answer: Result<Packet, ExtensionHostError>, _ process: ExtensionProcess?) {
        guard let act = acts.removeValue(forKey: number) else { return }
        switch answer {
        case .success(let packet):
            do throws(ProtocolError) {
                let message: ViewUsed = try packet.message()
                act.host?.peer.send(message, payload: packet.payload, replyTo: act.serial)
            } catch {
                process?.peer?.fail(error)
                reply(act, ExtensionHostError(.protocolViolation, "the extension's answer is not one: \(error)"))
            }
        case .failure(let error): reply(act, error)
        }
    }

    /// Nobody acts on the view of a request that is over.
    func requestEnded(_ identifier: RequestIdentifier) {
        guard !acts.isEmpty else { return }
        for (number, act) in acts where act.request == identifier {
            acts[number] = nil
            reply(act, ExtensionHostError(.contextFinished, "the request has ended"))
        }
    }

    private func reply(_ act: Act, _ error: ExtensionHostError) {
        act.host?.peer.send(ErrorReply(error), replyTo: act.serial)
    }
}
