// ControlStream: the batches that a daemon sends for one question after the other.

import ExtensionConnection
import ExtensionProtocol
import Locks

/// The batches of one kind, such as those of the log, as a stream for each question. Safe to use from any thread.
///
/// A connection has one such question at a time, and a batch does not tell whose it is. So a question is asked when the
/// batches of the one before have come, even if nobody reads them any more.
final class ControlStream<Batch: Sendable>: Sendable {
    typealias Stream = AsyncThrowingStream<Batch, any Error>
    /// Asks the daemon, and calls the function once with its answer.
    typealias Ask = @Sendable (@escaping @Sendable (Channel.Answer) -> Void) throws -> Void

    private struct Question: Sendable {
        let continuation: Stream.Continuation
        let ask: Ask
        /// Whether the batches go on after the answer.
        let outlastsAnswer: Bool
        /// Whether the batches may have no end, so that no other question can wait for it.
        let isEndless: Bool
    }

    /// The questions that have been asked or wait for that, in this order; the first one's batches are coming.
    private let questions = Mutex<[Question]>([])
    private let refusal: ExtensionHostError

    /// - Parameter refusal: the error of a question behind one without end.
    init(refusal: ExtensionHostError) { self.refusal = refusal }

    /// Returns the batches that answer a question.
    ///
    /// - Parameters:
    ///   - isEndless: whether the daemon may send batches for as long as the connection lasts.
    ///   - outlastsAnswer: whether batches follow the daemon's answer; else it ends the stream.
    ///   - ask: sends the question.
    func open(isEndless: Bool, outlastsAnswer: Bool, _ ask: @escaping Ask) -> Stream {
        let (stream, continuation) = Stream.makeStream()
        let question = Question(
            continuation: continuation, ask: ask, outlastsAnswer: outlastsAnswer, isEndless: isEndless)
        let ahead = questions.withLock { questions in
            let ahead = questions.last
            if ahead?.isEndless != true { questions.append(question) }
            return ahead
        }
        if ahead?.isEndless == true {
            continuation.finish(throwing: refusal)
        } else if ahead == nil {
            begin(question)
        }
        return stream
    }

    /// Whether the next question would be refused, because the last one has no end.
    var isOccupied: Bool { questions.withLock { $0.last?.isEndless == true } }

    private func begin(_ question: Question) {
        do {
            try question.ask { [weak self] answer in
                switch answer {
                case .success: if !question.outlastsAnswer { self?.end(nil) }
                case .failure(let error): self?.end(error)
                }
            }
        } catch {
            end(error)
        }
    }

    func yield(_ batch: Batch) { _ = questions.withLock { $0.first?.continuation.yield(batch) } }

    /// Ends the present stream for its reader. The next question waits for the batches that are still to come.
    func fail(_ error: any Error) { questions.withLock { $0.first }?.continuation.finish(throwing: error) }

    private func end(_ error: (any Error)?) {
        let (ended, next) = questions.withLock { questions in
            (questions.isEmpty ? nil : questions.removeFirst(), questions.first)
        }
        ended?.continuation.finish(throwing: error)
        if let next { begin(next) }
    }

    /// Ends all streams, since the connection has ended.
    func close(_ error: any Error) {
        for question in questions.withLock({ questions in
            defer { questions = [] }
            return questions
        }) { question.continuation.finish(throwing: error) }
    }
}
