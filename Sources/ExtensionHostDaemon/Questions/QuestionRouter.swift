// QuestionRouter: forwards questions between the two sides of a request, and their answers back, without reading them.

import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import LinuxSystem

/// Forwards each question that `QuestionBroker` accepts. The asker gets one answer: from the other side, from the time
/// limit, or from the end of the request. The extensions of this class handle loads, views and calls.
@HostActor
final class QuestionRouter {
    typealias Answer = @HostActor (Result<Packet, ExtensionHostError>) -> Void

    /// The time limit of an answer.
    struct TimeLimit {
        let timer: Timers.Name
        let duration: Duration
        /// The further time after `duration`, at whose start `expires` is called; nil means none.
        var grace: Duration?
        var expires: @HostActor () -> Void = {}
        /// Returns the error for the asker at the end of the time.
        let late: @HostActor () -> ExtensionHostError
    }

    /// The parts of an open question that the model does not need.
    private struct Open {
        weak var process: ExtensionProcess?
        weak var request: Request?
        let limit: TimeLimit?
        /// The call of which the question is a part.
        let call: Int?
        var hasParts = false
        var timer: PausableDeadline?
        let answer: Answer
    }

    /// More questions than an extension can have open: 64 loads, 64 calls, 8 parts, cancellations and a view.
    private static let postponedLimit = 256

    let context: DaemonContext
    let inventory: Inventory
    let services = ServiceTable()
    /// Returns the program of a service once it is ready; nil if no program provides it.
    typealias Programs =
        @HostActor (
            _ service: String, UserIdentity?, _ isWanted: @escaping @HostActor () -> Bool,
            @escaping @HostActor (Result<ExtensionProcess?, ExtensionHostError>) -> Void
        ) -> Void
    var programs: Programs = { $3(.success(nil)) }
    private var open: [Int: Open] = [:]

    init(_ context: DaemonContext, _ inventory: Inventory) {
        self.context = context
        self.inventory = inventory
        context.absentHosts.onEmpty = { [weak self] in self?.noHostIsAbsent() }
    }

    /// Sends a question to a peer. The router calls `answer` once.
    ///
    /// - Parameters:
    ///   - message: the question.
    ///   - payload: its payload.
    ///   - descriptors: its descriptors.
    ///   - peer: the responder's connection.
    ///   - call: the call of which it is a part. It ends with the call.
    ///   - process: the extension's process, if one takes part. A suspension of it pauses the time limit.
    ///   - limit: the time limit of the answer; nil means none.
    ///   - willAsk: called after the broker has accepted the question, before it is sent.
    func ask<Message: RequestMessage>(
        _ question: QuestionBroker.Question, _ message: Message, payload: Payload = .none,
        descriptors: [SharedDescriptor] = [], of peer: Peer, record: LoadRecord? = nil, partOf call: Int? = nil,
        in process: ExtensionProcess?, within limit: TimeLimit? = nil, willAsk: () -> Void = {},
        answer: @escaping Answer
    ) throws(QuestionBroker.Refusal) {
        let number = try context.driver.questions.ask(question)
        open[number] = Open(
            process: process, request: inventory.requests[question.request], limit: limit, call: call, answer: answer)
        if let call { open[call]?.hasParts = true }
        if let record { process?.loads[number] = (question.request, record) }
        willAsk()
        process?.tell(.asked(question.kind))
        // An injected fault may have ended the request.
        guard open[number] != nil else { return _ = context.driver.questions.answered(number) }
        startTime(of: number, in: process)
        peer.request(message, payload: payload, descriptors: descriptors) { [weak self] result in
            self?.answered(number, result)
        }
    }

    private func answered(_ number: Int, _ result: Result<Packet, ExtensionHostError>) {
        // An answer that comes after the end of its question is dropped here.
        guard let question = context.driver.questions.answered(number) else { return }
        if case .success = result { open[number]?.process?.tell(.answered(question.kind)) }
        end(number, result)
    }

    private func end(_ number: Int, _ result: Result<Packet, ExtensionHostError>) {
        guard var ended = open.removeValue(forKey: number) else { return }
        // The recorder must see the end of the time limit before the answer.
        ended.timer = nil
        ended.process?.loads[number] = nil
        ended.answer(result)
        guard ended.hasParts else { return }
        for part in open.filter({ $0.value.call == number }).keys.sorted() { giveUp(part, Self.isOver) }
    }

    /// Answers a question with an error, because its asker does not wait for it any more.
    func giveUp(_ number: Int, _ error: ExtensionHostError) {
        guard let question = context.driver.questions.giveUp(number) else { return }
        switch question.kind {
        case .load: tellHostOfCancellation(question)
        case .hostCall, .extensionCall: tellCalleeOfCancellation(question)
        case .view, .act, .hostPart, .extensionPart: break
        }
        end(number, .failure(error))
    }

    /// Answers a question, because its request has ended.
    func requestEnded(_ number: Int, _ kind: QuestionBroker.Kind) {
        let cause = open[number]?.request?.outcome
        end(
            number,
            .failure(ExtensionHostError(kind.code(atEnd: cause), "the request has ended", cause: cause?.rawValue)))
    }

    /// Records the progress of a question; false if it is not higher than before.
    func hasAdvanced(_ number: Int, to progress: Int) -> Bool { context.driver.questions.advance(number, to: progress) }

    /// Returns the error of a question that the broker has refused.
    ///
    /// - Parameters:
    ///   - refusal: the refusal.
    ///   - what: the kind of question, in the plural.
    ///   - code: the error's code where a limit is reached.
    static func problem(
        _ refusal: QuestionBroker.Refusal, _ what: String, _ code: ExtensionHostError.Code = .quotaExceeded
    ) -> ExtensionHostError {
        let remedy = "Check why the other side does not answer: it must also answer cancelled \(what)"
        return switch refusal {
        case .open(let limit):
            ExtensionHostError(
                code, "the request has \(limit) \(what) open, which is the limit",
                remedy: "Wait for some of the answers")
        case .unanswered(let limit):
            ExtensionHostError(
                code, "\(limit) \(what) of the request have no answer, most of them cancelled, which is the limit",
                remedy: remedy)
        case .unansweredByParty(let limit):
            ExtensionHostError(
                code,
                "the other side has not answered \(limit) \(what), also of other and ended requests, which is the limit",
                remedy: remedy)
        case .nameTaken:
            ExtensionHostError(
                .invalidArgument, "the number is that of an open call",
                remedy: "Give each open call a number of its own")
        }
    }

    // MARK: Time

    /// Starts the time limit of a question, or restarts it.
    func startTime(of number: Int, in process: ExtensionProcess?) {
        guard let limit = open[number]?.limit, let question = context.driver.questions[number] else { return }
        start(limit.timer, limit.duration, of: number, question.request, process) { [weak self, weak process] in
            guard let self else { return }
            guard let grace = limit.grace else { return giveUp(number, limit.late()) }
            limit.expires()
            start(limit.timer, grace, of: number, question.request, process) { [weak self] in
                self?.giveUp(number, limit.late())
            }
        }
    }

    private func start(
        _ timer: Timers.Name, _ duration: Duration, of number: Int, _ request: RequestIdentifier,
        _ process: ExtensionProcess?, _ body: @escaping @HostActor () -> Void
    ) {
        open[number]?.timer =
            process?.deadline(timer, after: duration, of: request, body)
            ?? PausableDeadline(context.clock, after: duration, body)
        // The limit resumes with the extension.
        if process?.isSuspended == true { open[number]?.timer?.pause() }
    }

    // MARK: Under another daemon than before

    /// Has a packet handled when the other side of its request has reconnected after a restart of the daemon, or has
    /// been given up. An error is then a violation by the sender, as if it had been thrown at once.
    ///
    /// - Returns: false if the daemon does not wait for that side.
    func postpone(
        _ identifier: RequestIdentifier, _ packet: Packet, from side: CallSide,
        _ handle: @escaping (QuestionRouter) -> @HostActor (Packet, CallSide) throws(ProtocolError) -> Void
    ) throws(ProtocolError) -> Bool {
        let isHosts = side.host != nil
        guard let request = side.host.map({ inventory.request(identifier, of: $0) }) ?? inventory.requests[identifier],
            isHosts ? request.isAwaitingExtension : request.isAwaitingHost
        else { return false }
        let body = { @HostActor [weak self] in
            guard let self, side.peer?.isClosed == false else { return }
            do throws(ProtocolError) { try handle(self)(packet, side) } catch { side.violated(error) }
        }
        if isHosts { return request.onceExtensionIsBack(body) }
        guard let process = side.process, request.process === process else { return false }
        guard request.questionsForHost < Self.postponedLimit else {
            throw .unexpected(kind: "a question", state: "while \(Self.postponedLimit) wait for the host")
        }
        request.onceHostIsBack(body)
        return true
    }

    /// Returns an open request of this process, with its host.
    func openRequest(_ identifier: RequestIdentifier, of process: ExtensionProcess) -> (request: Request, host: Host)? {
        guard let request = inventory.requests[identifier], request.process === process, request.isOpen,
            let host = request.host
        else { return nil }
        return (request, host)
    }
}

extension QuestionBroker.Kind {
    /// Returns the error code for a question whose request has ended with this cause.
    fileprivate func code(atEnd cause: Cause?) -> ExtensionHostError.Code {
        switch self {
        case .load: .itemUnavailable
        case .view, .act, .hostPart, .extensionPart: .contextFinished
        case .hostCall, .extensionCall: cause?.outcome == .interrupted ? .interrupted : .contextFinished
        }
    }
}

extension QuestionRouter: EffectObserver {
    /// Pauses and resumes the time limits of a process's questions together with the process.
    func willPerform(_ effect: LifecycleModel.Effect) {
        switch effect {
        case .process(let number, .suspend): for timer in timers(of: number) { timer.pause() }
        case .process(let number, .resume): for timer in timers(of: number) { timer.resume() }
        default: break
        }
    }

    /// The time limits of the questions of a process's requests and connections.
    private func timers(of process: Int) -> [PausableDeadline] {
        let requests = inventory.processes[process]?.requestsInOrder.map(\.identifier) ?? []
        return (requests + services.connections(of: process)).flatMap { context.driver.questions.open(of: $0) }
            .compactMap { open[$0]?.timer }
    }
}
