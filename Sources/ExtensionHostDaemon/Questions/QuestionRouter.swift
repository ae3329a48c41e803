// QuestionRouter: questions on their way from one side of a request to the other, and their answers on the way back, unopened.

import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import LinuxSystem

/// Routes what `QuestionBroker` decides on: each question is passed on, and answered once, by the other side, by its time limit, or by the end of
/// its request. What is special about loads and views stands in the extensions of this class.
@HostActor
final class QuestionRouter {
    typealias Answer = @HostActor (Result<Packet, ExtensionHostError>) -> Void

    /// What belongs to an open question, and is nothing to the model.
    private struct Open {
        /// For the certificate of a process that dies of it.
        var record: LoadRecord?
        var limit: Duration?
        var timer: PausableDeadline?
        let answer: Answer
    }

    unowned let engine: Engine
    private(set) var broker = QuestionBroker()
    private var open: [Int: Open] = [:]

    init(engine: Engine) { self.engine = engine }

    /// Asks a peer. `answer` is called once.
    ///
    /// - Parameters:
    ///   - message: the question.
    ///   - payload: what goes along with it.
    ///   - peer: of whoever is to answer.
    ///   - process: the extension's, whose clock the limit runs on.
    ///   - limit: how long the answer may take; nil: any time.
    ///   - willAsk: called once the question may be asked, and before it is.
    func ask<Message: RequestMessage>(
        _ question: QuestionBroker.Question, _ message: Message, payload: Payload = .none, of peer: Peer,
        record: LoadRecord? = nil,
        in process: ExtensionProcess, within limit: Duration? = nil, willAsk: () -> Void = {}, answer: @escaping Answer
    ) throws(QuestionBroker.Refusal) {
        let number = try broker.ask(question)
        open[number] = Open(record: record, limit: limit, answer: answer)
        willAsk()
        // A fault on demand may have ended the request.
        guard open[number] != nil else { return _ = broker.answered(number) }
        startTime(of: number, in: process)
        peer.request(message, payload: payload) { [weak self] result in self?.answered(number, result) }
    }

    private func answered(_ number: Int, _ result: Result<Packet, ExtensionHostError>) {
        // What comes after the question has ended falls here.
        guard broker.answered(number) != nil else { return }
        end(number, result)
    }

    private func end(_ number: Int, _ result: Result<Packet, ExtensionHostError>) {
        guard var ended = open.removeValue(forKey: number) else { return }
        // A recording has the end of its time before the answer.
        ended.timer = nil
        ended.answer(result)
    }

    /// Its asker does not wait any more.
    func giveUp(_ number: Int, _ error: ExtensionHostError) {
        guard let question = broker.giveUp(number) else { return }
        if question.kind == .load { tellHostOfCancellation(question) }
        end(number, .failure(error))
    }

    /// A request is over: what it has asked, and what was asked of its extension, is answered.
    func requestEnded(_ request: RequestIdentifier) {
        for (number, question) in broker.giveUpAll(of: request) {
            end(number, .failure(ExtensionHostError(question.kind.codeAtEnd, "the request has ended")))
        }
    }

    /// Whether an open question has come further than before.
    func hasAdvanced(_ number: Int, to progress: Int) -> Bool { broker.advance(number, to: progress) }

    // MARK: Time

    /// The time of a question begins, or begins again.
    func startTime(of number: Int, in process: ExtensionProcess) {
        guard let limit = open[number]?.limit, let question = broker[number] else { return }
        open[number]?.timer = process.deadline(.load, after: limit, of: question.request) { [weak self] in
            let late = ExtensionHostError(
                .itemUnavailable, "the host did not answer within \(limit)",
                remedy: "Let its load handler answer sooner, or set exthostd --timer load=…")
            self?.giveUp(number, late)
        }
        // It goes on when the extension does.
        if process.isSuspended { open[number]?.timer?.pause() }
    }

    /// Loads of a request whose extension is suspended wait.
    func pause(of request: RequestIdentifier) {
        for number in broker.open(.load, of: request) { open[number]?.timer?.pause() }
    }

    func resume(of request: RequestIdentifier) {
        for number in broker.open(.load, of: request) { open[number]?.timer?.resume() }
    }

    /// The loads of these requests that have not been answered, the oldest first.
    func openLoads(of requests: Set<RequestIdentifier>) -> [LoadRecord] {
        requests.flatMap { broker.open(.load, of: $0) }.sorted().compactMap { open[$0]?.record }
    }

    // MARK: Under another daemon than before

    /// Calls `body` when the request's host is back from another daemon, or given up. What it throws is the extension's violation, as it would have been
    /// at once.
    ///
    /// - Returns: false where the host is not waited for.
    func postpone(
        _ request: RequestIdentifier, from process: ExtensionProcess,
        _ body: @escaping @HostActor (ExtensionProcess) throws(ProtocolError) -> Void
    ) -> Bool {
        guard let request = engine.requests[request], request.process === process, request.isAwaitingHost else { return false }
        request.onceHostIsBack { [weak process] in
            guard let process else { return }
            do throws(ProtocolError) { try body(process) } catch { process.session.violated(error) }
        }
        return true
    }

    /// The request of this process that a host can be asked something for.
    func openRequest(_ identifier: RequestIdentifier, of process: ExtensionProcess) -> (request: Request, host: HostSession)? {
        guard let request = engine.requests[identifier], request.process === process, request.isOpen,
            let host = request.host
        else { return nil }
        return (request, host)
    }
}

extension QuestionBroker.Kind {
    /// What its asker is told where the request has ended.
    fileprivate var codeAtEnd: ExtensionHostError.Code {
        switch self {
        case .load: .itemUnavailable
        case .view, .act: .contextFinished
        }
    }
}
