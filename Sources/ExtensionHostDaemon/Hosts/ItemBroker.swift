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
    /// By what its extension calls a load.
    private struct Name: Hashable {
        let request: RequestIdentifier
        let load: Int
    }

    private final class Load {
        let request: RequestIdentifier
        let name: Name?
        /// For the certificate of a process that dies of it.
        let record: LoadRecord
        let limit: Duration?
        var timer: PausableDeadline?
        /// The last that the host told.
        var completed = 0
        let answer: @HostActor (Result<Packet, ExtensionHostError>) -> Void

        init(
            _ message: LoadItem, limit: Duration?, answer: @escaping @HostActor (Result<Packet, ExtensionHostError>) -> Void
        ) {
            request = message.request
            record = LoadRecord(request: message.request, provider: message.provider, type: message.type)
            name = message.load.map { Name(request: message.request, load: $0) }
            self.limit = limit
            self.answer = answer
        }
    }

    private unowned let engine: Engine
    private var loads: [Int: Load] = [:]
    private var numbers: [Name: Int] = [:]
    private var lastNumber = 0
    private var openLoads: [RequestIdentifier: Int] = [:]
    /// Loads that their host has not answered, those that were given up since included: what is on the way to a host that does not
    /// read has a bound, however many its extension begins and cancels.
    private var unanswered: [RequestIdentifier: Int] = [:]
    /// An extension must not be able to flood its host.
    private static let loadsPerRequest = 64
    private static let unansweredPerRequest = 256
    /// Of all of a host's requests, those that have ended since included: as many as its quota of requests may have open.
    static let unansweredPerHost = Usage.hostLimit.requests * loadsPerRequest

    init(engine: Engine) { self.engine = engine }

    /// Passes a load on to the host of its request.
    func load(_ packet: Packet, from process: ExtensionProcess) throws(ProtocolError) {
        let message: LoadItem = try packet.message()
        guard let peer = process.peer else { return }
        if let request = engine.requests[message.request], request.process === process, request.isAwaitingHost {
            return request.onceHostIsBack { [weak self, weak process] in
                if let process { try? self?.load(packet, from: process) }
            }
        }
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
                    .itemUnavailable,
                    "the request has \(Self.loadsPerRequest) loads open, which is the limit", remedy: "Wait for some of them"))
            return
        }
        guard unanswered[message.request, default: 0] < Self.unansweredPerRequest else {
            peer.reply(
                packet,
                ExtensionHostError(
                    .itemUnavailable,
                    "the host has not answered \(Self.unansweredPerRequest) loads of the request, most of them given up, which is the limit",
                    remedy: "Begin fewer loads, or see what keeps the host"))
            return
        }
        guard host.unansweredLoads < Self.unansweredPerHost else {
            peer.reply(
                packet,
                ExtensionHostError(
                    .itemUnavailable,
                    "the host has not answered \(Self.unansweredPerHost) loads, those of ended requests included, which is the limit",
                    remedy: "See what keeps the host: it is to answer a load that was given up, too"))
            return
        }
        // A host that does not know the form would answer with the item itself.
        guard message.form != "preview" || host.peer.version >= .withLoadControl else {
            return peer.reply(
                packet, ExtensionHostError(.itemUnavailable, "the host makes no previews", remedy: "Bring it up to date"))
        }
        if let load = message.load, numbers[Name(request: message.request, load: load)] != nil {
            throw .unexpected(kind: "loadItem", state: "with the number of a load that is open")
        }
        openLoads[message.request, default: 0] += 1
        unanswered[message.request, default: 0] += 1
        host.unansweredLoads += 1
        engine.log.append(
            .itemLoadStarted, request: request.identifier, extensionIdentifier: request.bundle.identifier, host: request.hostName,
            pid: process.pid, detail: "attachment \(message.provider) as \(message.type)")
        engine.faults?.reached(.loadOpen, process)
        lastNumber += 1
        let number = lastNumber
        let load = Load(message, limit: process.timers[.load]) { [weak self, weak request, weak process] answer in
            self?.finish(answer, packet, request, process)
        }
        loads[number] = load
        if let name = load.name { numbers[name] = number }
        arm(load, number, process)
        let identifier = message.request
        host.peer.request(message, payload: packet.payload) { [weak self, weak host] answer in
            host?.unansweredLoads -= 1
            self?.answer(number, answer.flatMap(Self.sealed))
            self?.hostHasAnswered(identifier)
        }
    }

    private func arm(_ load: Load, _ number: Int, _ process: ExtensionProcess) {
        guard let limit = load.limit else { return }
        load.timer = process.deadline(.load, after: limit, of: load.request) { [weak self] in
            let late = ExtensionHostError(
                .itemUnavailable, "the host did not answer within \(limit)",
                remedy: "Let its load handler answer sooner, or set exthostd --timer load=…")
            self?.giveUp(number, late)
        }
    }

    /// The extension does not wait any more; the host is told, too.
    func cancel(_ packet: Packet, from process: ExtensionProcess) throws(ProtocolError) {
        let message: CancelLoad = try packet.message()
        // One that is answered already has crossed with this; another process's is not this one's to cancel.
        guard let number = numbers[Name(request: message.request, load: message.load)],
            engine.requests[message.request]?.process === process
        else { return }
        giveUp(number, ExtensionHostError(.itemUnavailable, "the extension cancelled the load"))
    }

    /// The host is at work still: its time starts again, and the extension is told if it reads what it gets.
    func advance(_ packet: Packet, from host: HostSession) throws(ProtocolError) {
        let message: LoadProgress = try packet.message()
        guard message.total > 0, (0...message.total).contains(message.completed) else {
            throw .wrongType(key: "completed", kind: "loadProgress")
        }
        guard let number = numbers[Name(request: message.request, load: message.load)], let load = loads[number],
            let request = engine.requests[message.request], request.host === host, let process = request.process,
            message.completed > load.completed
        else { return }
        load.completed = message.completed
        arm(load, number, process)
        // Its time starts again when the extension does.
        if process.machine.state == .suspended { load.timer?.pause() }
        guard let peer = process.peer, peer.version >= .withLoadControl, peer.queuedPackets == 0 else { return }
        peer.send(message)
    }

    /// Ends a load before its host has answered.
    private func giveUp(_ number: Int, _ error: ExtensionHostError) {
        if let name = loads[number]?.name, let host = engine.requests[name.request]?.host,
            host.peer.version >= .withLoadControl
        {
            host.peer.send(CancelLoad(request: name.request, load: name.load))
        }
        answer(number, .failure(error))
    }

    /// Loads of a request whose extension is suspended wait.
    func pauseLoads(of request: RequestIdentifier) {
        for load in loads.values where load.request == request { load.timer?.pause() }
    }

    func resumeLoads(of request: RequestIdentifier) {
        for load in loads.values where load.request == request { load.timer?.resume() }
    }

    /// Fails every load of a request that is over.
    func failLoads(of request: RequestIdentifier) {
        for (number, load) in loads where load.request == request {
            answer(number, .failure(ExtensionHostError(.itemUnavailable, "the request has ended")))
        }
    }

    /// The loads of these requests that have not been answered, the oldest first.
    func openLoads(of requests: Set<RequestIdentifier>) -> [LoadRecord] {
        guard !loads.isEmpty, !requests.isEmpty else { return [] }
        return loads.filter { requests.contains($0.value.request) }.sorted { $0.key < $1.key }.map(\.value.record)
    }

    private func answer(_ number: Int, _ answer: Result<Packet, ExtensionHostError>) {
        // The first answer counts; what comes after a time limit falls here.
        guard let load = loads.removeValue(forKey: number) else { return }
        load.timer = nil
        if let name = load.name { numbers[name] = nil }
        let left = openLoads[load.request, default: 1] - 1
        openLoads[load.request] = left > 0 ? left : nil
        load.answer(answer)
    }

    /// The extension serves other hosts, too, and must not end by the memory of this one.
    private static func sealed(_ packet: Packet) -> Result<Packet, ExtensionHostError> {
        guard packet.hasUnsealedMemory else { return .success(packet) }
        return .failure(
            ExtensionHostError(
                .itemUnavailable, "the value is in memory that the host can still change",
                remedy: "Seal a memfd (SHRINK, GROW and WRITE) before passing it"))
    }

    private func hostHasAnswered(_ request: RequestIdentifier) {
        let left = unanswered[request, default: 1] - 1
        unanswered[request] = left > 0 ? left : nil
    }

    private func finish(
        _ answer: Result<Packet, ExtensionHostError>, _ question: Packet, _ request: Request?, _ process: ExtensionProcess?
    ) {
        let outcome: String
        switch answer {
        case .success(let packet) where packet.kind == .itemLoaded:
            if let process { engine.faults?.reached(.loadAnswered, process) }
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
