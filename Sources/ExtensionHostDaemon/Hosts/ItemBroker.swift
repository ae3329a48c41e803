// ItemBroker: loads on their way from an extension to the host that holds the item, and back, unopened.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// Routes loads. Each is answered once: by the host, by its time limit, or by the end of its request.
@HostActor
final class ItemBroker {
    private final class Load {
        let request: RequestIdentifier
        var timer: Deadline?
        let answer: @HostActor (Result<Packet, ExtensionHostError>) -> Void

        init(request: RequestIdentifier, answer: @escaping @HostActor (Result<Packet, ExtensionHostError>) -> Void) {
            self.request = request
            self.answer = answer
        }
    }

    private unowned let engine: Engine
    private var loads: [Int: Load] = [:]
    private var lastNumber = 0
    private var openLoads: [RequestIdentifier: Int] = [:]
    /// An extension must not be able to flood its host.
    private static let loadsPerRequest = 64

    init(engine: Engine) { self.engine = engine }

    /// Passes a load on to the host of its request.
    func load(_ packet: Packet, from process: ExtensionProcess) throws(ProtocolError) {
        let message: LoadItem = try packet.message()
        guard let peer = process.peer else { return }
        guard let request = engine.requests[message.request], request.process === process, request.machine.isOpen,
            let host = request.host
        else {
            peer.reply(packet, ExtensionHostError(.itemUnavailable, "the request has ended"))
            return
        }
        guard openLoads[message.request, default: 0] < Self.loadsPerRequest else {
            peer.reply(
                packet,
                ExtensionHostError(
                    .itemUnavailable, "the request has \(Self.loadsPerRequest) loads open, which is the limit",
                    remedy: "Wait for some of them"))
            return
        }
        openLoads[message.request, default: 0] += 1
        engine.log.append(
            .itemLoadStarted, request: request.identifier, extensionIdentifier: request.bundle.identifier, host: request.hostName,
            pid: process.pid, detail: "attachment \(message.provider) as \(message.type)")
        lastNumber += 1
        let number = lastNumber
        let load = Load(request: request.identifier) { [weak self, weak request, weak process] answer in
            self?.finish(answer, packet, request, process)
        }
        loads[number] = load
        if let limit = process.timers[.load] {
            load.timer = engine.clock.schedule(after: limit) { [weak self] in
                let late = ExtensionHostError(
                    .itemUnavailable, "the host did not answer within \(limit)",
                    remedy: "Let its load handler answer sooner, or set exthostd --timer load=…")
                self?.answer(number, .failure(late))
            }
        }
        host.peer.request(message) { [weak self] answer in self?.answer(number, answer) }
    }

    /// Fails every load of a request that is over.
    func failLoads(of request: RequestIdentifier) {
        for (number, load) in loads where load.request == request {
            answer(number, .failure(ExtensionHostError(.itemUnavailable, "the request has ended")))
        }
    }

    private func answer(_ number: Int, _ answer: Result<Packet, ExtensionHostError>) {
        // The first answer counts; what comes after a time limit falls here.
        guard let load = loads.removeValue(forKey: number) else { return }
        load.timer = nil
        let left = openLoads[load.request, default: 1] - 1
        openLoads[load.request] = left > 0 ? left : nil
        load.answer(answer)
    }

    private func finish(
        _ answer: Result<Packet, ExtensionHostError>, _ question: Packet, _ request: Request?, _ process: ExtensionProcess?
    ) {
        let outcome: String
        switch answer {
        case .success(let packet) where packet.kind == .itemLoaded:
            process?.peer?.send(ItemLoaded(), payload: packet.payload, descriptors: packet.descriptors, replyTo: question.serial)
            outcome = packet.payload.summary
        case .success(let packet):
            request?.host?.peer.fail(.unexpected(kind: "\(packet.kind)", state: "as the answer to a load"))
            process?.peer?.reply(
                question,
                ExtensionHostError(
                    .itemUnavailable, "the host answered with something else", remedy: "Bring the host up to date"))
            outcome = "failed: no answer to a load"
        case .failure(let error):
            process?.peer?.reply(
                question, ExtensionHostError(.itemUnavailable, error.message, remedy: error.remedy, cause: error.cause))
            outcome = "failed: \(error.message)"
        }
        guard let request else { return }
        engine.log.append(
            .itemLoadFinished, request: request.identifier, extensionIdentifier: request.bundle.identifier,
            host: request.hostName,
            pid: process?.pid, detail: outcome)
    }
}

extension Payload {
    /// Size and kind, never contents.
    fileprivate var summary: String {
        switch self {
        case .none: "empty"
        case .inline(let bytes): "\(bytes.count) bytes"
        case .sealed: "a memory file"
        }
    }
}
