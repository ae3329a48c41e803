// QuestionRouter+Loads: loads of attachments, which an extension requests and the host of its request answers.

import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

extension QuestionRouter {
    /// Forwards a load to the host of its request.
    func load(_ packet: Packet, from side: CallSide) throws(ProtocolError) {
        let message: LoadItem = try packet.message()
        guard let process = side.process, let peer = process.peer else { return }
        if try postpone(message.request, packet, from: side, QuestionRouter.load) { return }
        guard let (request, host) = openRequest(message.request, of: process) else {
            peer.reply(packet, ExtensionHostError(.itemUnavailable, "the request has ended"))
            return
        }
        // A host that does not know the form would answer with the item itself.
        guard message.form != "preview" || host.peer.version >= .withLoadControl else {
            return peer.reply(
                packet, ExtensionHostError(.itemUnavailable, "the host makes no previews", remedy: "Update the host"))
        }
        let question = QuestionBroker.Question(.load, of: message.request, to: .host(host.name), name: message.load)
        do throws(QuestionBroker.Refusal) {
            try ask(
                question, message, payload: packet.payload, of: host.peer,
                record: LoadRecord(request: message.request, provider: message.provider, type: message.type),
                in: process,
                within: process.timers[.load].map(Self.loadLimit),
                willAsk: {
                    request.tell(.loadStarted(detail: "attachment \(message.provider) as \(message.type)"))
                },
                answer: { [weak self, weak request, weak process] answer in
                    self?.finish(answer.flatMap(Self.sealed), packet, request, process)
                })
        } catch {
            guard error != .nameTaken else {
                throw .unexpected(kind: "loadItem", state: "with the number of a load that is open")
            }
            peer.reply(packet, Self.problem(error, "loads", .itemUnavailable))
        }
    }

    private static func loadLimit(_ duration: Duration) -> TimeLimit {
        TimeLimit(
            timer: .load, duration: duration,
            late: {
                ExtensionHostError(
                    .itemUnavailable, "the host did not answer within \(duration)",
                    remedy: "Answer sooner in the host's load handler, or set exthostd --timer load=…")
            })
    }

    /// Cancels a load for the extension, and notifies the host.
    func cancel(_ packet: Packet, from process: ExtensionProcess) throws(ProtocolError) {
        let message: CancelLoad = try packet.message()
        // The answer may have crossed with the cancellation. A process may cancel its own loads only.
        guard let number = context.driver.questions.number(.load, of: message.request, name: message.load),
            inventory.requests[message.request]?.process === process
        else { return }
        giveUp(number, ExtensionHostError(.itemUnavailable, "the extension cancelled the load"))
    }

    func tellHostOfCancellation(_ question: QuestionBroker.Question) {
        guard let load = question.name, let host = inventory.requests[question.request]?.host,
            host.peer.version >= .withLoadControl
        else { return }
        host.peer.send(CancelLoad(request: question.request, load: load))
    }

    /// Restarts the time limit of a load that the host still works on. An extension with an empty queue gets the
    /// progress.
    func advance(_ packet: Packet, from host: Host) throws(ProtocolError) {
        let message: LoadProgress = try packet.message()
        guard message.total > 0, (0...message.total).contains(message.completed) else {
            throw .wrongType(key: "completed", kind: "loadProgress")
        }
        guard let number = context.driver.questions.number(.load, of: message.request, name: message.load),
            let request = inventory.requests[message.request], request.host === host, let process = request.process,
            hasAdvanced(number, to: message.completed)
        else { return }
        startTime(of: number, in: process)
        guard let peer = process.peer, peer.version >= .withLoadControl, peer.queuedPackets == 0 else { return }
        peer.send(message)
    }

    /// Checks that the answer's memory is sealed.
    ///
    /// The extension serves other hosts, too, and must not end through the memory of this one.
    private static func sealed(_ packet: Packet) -> Result<Packet, ExtensionHostError> {
        guard let problem = packet.memoryProblem else { return .success(packet) }
        return .failure(
            ExtensionHostError(
                .itemUnavailable, "the daemon does not forward the memory of the value: \(problem)",
                remedy: "Pass a memfd with the seals SHRINK, GROW and WRITE from the host"))
    }

    private func finish(
        _ answer: Result<Packet, ExtensionHostError>, _ question: Packet, _ request: Request?,
        _ process: ExtensionProcess?
    ) {
        let outcome: String
        switch answer {
        case .success(let packet) where packet.kind == .itemLoaded:
            process?.peer?.send(
                ItemLoaded(), payload: packet.payload, descriptors: packet.descriptors, replyTo: question.serial)
            outcome = packet.payload.summary
        case .success(let packet):
            request?.host?.peer.fail(.unexpected(kind: "\(packet.kind)", state: "as the answer to a load"))
            process?.peer?.reply(
                question,
                ExtensionHostError(
                    .itemUnavailable, "the host sent an unexpected answer", remedy: "Update the host"))
            outcome = "failed: no answer to a load"
        case .failure(let error):
            process?.peer?.reply(
                question, ExtensionHostError(.itemUnavailable, error.message, remedy: error.remedy, cause: error.cause))
            outcome = "failed: \(error.message)"
        }
        request?.tell(.loadFinished(detail: outcome))
    }
}

extension Payload {
    /// The size and kind of the payload, never its contents.
    var summary: String {
        switch self {
        case .none: "empty"
        case .inline(let bytes): "\(bytes.count) bytes"
        case .sealed: "a memory file"
        }
    }
}
