// ScriptedEngine: an engine whose answers are values.

internal import LinuxDescriptors
public import TransferMessages

/// An engine without a network, for tests. Its time is that of a clock.
public final class ScriptedEngine: TransferEngine {
    /// The course of one attempt.
    public struct Answer: Sendable {
        /// The status, or nil if the attempt fails before an answer.
        public var status: Int?
        public var headers: [TransferHeader]
        /// The body; of a 206, the bytes from the asked offset on.
        public var body: [UInt8]
        /// The number of bytes of the body after which the connection is cut; nil: it is not.
        public var cut: Int?
        /// Seconds from the beginning of the attempt to the answer, and from there to its end.
        public var delay = 0.0, duration = 0.0
        /// The failure of an attempt without a status.
        public var fault = TransferEngineFault.lostConnection

        /// Makes an answer; each value is described at its property.
        public init(_ status: Int?, headers: [TransferHeader] = [], body: [UInt8] = [], cut: Int? = nil) {
            (self.status, self.headers, self.body, self.cut) = (status, headers, body, cut)
        }

        /// A file with an entity tag, as a server sends it that knows ranges.
        ///
        /// - Parameters:
        ///   - file: the whole file.
        ///   - tag: the value of `ETag`; nil: there is none.
        ///   - attempt: the attempt that is answered.
        ///   - cut: as the property.
        public static func file(_ file: [UInt8], tag: String?, for attempt: TransferAttempt, cut: Int? = nil) -> Answer
        {
            let tags = tag.map { [TransferHeader("ETag", $0)] } ?? []
            guard attempt.offset > 0, attempt.validator == tag else {
                return Answer(
                    200, headers: tags + [TransferHeader("Content-Length", "\(file.count)")], body: file, cut: cut)
            }
            guard attempt.offset < file.count else {
                return Answer(416, headers: tags + [TransferHeader("Content-Range", "bytes */\(file.count)")])
            }
            let range = TransferHeader("Content-Range", "bytes \(attempt.offset)-\(file.count - 1)/\(file.count)")
            return Answer(206, headers: tags + [range], body: Array(file[attempt.offset...]), cut: cut)
        }
    }

    private struct Running {
        var attempt: TransferAttempt
        var receiver: any TransferEngineReceiver
        var answer: Answer
        var answersAt: Int
        var hasAnswered = false
    }

    private let clock: any TransferClock
    private let script: (TransferAttempt) -> Answer
    private var running: [Int: Running] = [:]
    /// The bytes of one call of `received`.
    public var pieceSize = 1 << 16
    /// All attempts so far, in their order.
    public private(set) var attempts: [TransferAttempt] = []

    public var descriptor: Int32? { nil }
    public var deadline: Int? {
        running.values.map { $0.answersAt + ($0.hasAnswered ? seconds($0.answer.duration) : 0) }.min()
    }

    /// Makes an engine.
    ///
    /// - Parameters:
    ///   - clock: the time of delays.
    ///   - script: gives the course of each attempt at its beginning.
    public init(clock: any TransferClock, script: @escaping (TransferAttempt) -> Answer) {
        (self.clock, self.script) = (clock, script)
    }

    public func begin(_ attempt: TransferAttempt, for receiver: any TransferEngineReceiver) {
        attempts.append(attempt)
        let answer = script(attempt)
        running[attempt.task] = Running(
            attempt: attempt, receiver: receiver, answer: answer, answersAt: clock.now + seconds(answer.delay))
    }

    public func end(_ task: Int) { running[task] = nil }

    public func step() {
        let now = clock.now
        for (task, course) in running.sorted(by: { $0.key < $1.key }) where running[task] != nil {
            if course.answersAt <= now, !course.hasAnswered { perform(course) }
            guard let course = running[task], course.hasAnswered,
                course.answersAt + seconds(course.answer.duration) <= now
            else { continue }
            running[task] = nil
            course.receiver.ended(
                task, course.answer.status == nil || course.answer.cut != nil ? course.answer.fault : nil)
        }
    }

    /// Sends the head and the body of an answer.
    private func perform(_ course: Running) {
        let (task, answer, receiver) = (course.attempt.task, course.answer, course.receiver)
        running[task]?.hasAnswered = true
        guard let status = answer.status else { return }
        if let body = course.attempt.body { receiver.sent(task, (try? FileStatus(of: body).size) ?? 0) }
        let response = TransferResponse(url: course.attempt.request.url, status: status, headers: answer.headers)
        guard receiver.answered(task, response) else {
            running[task] = nil
            return
        }
        let body = answer.body.prefix(answer.cut ?? answer.body.count)
        var place = 0
        while place < body.count {
            let piece = Array(body.dropFirst(place).prefix(pieceSize))
            place += piece.count
            guard piece.withUnsafeBytes({ receiver.received(task, $0) }) else {
                running[task] = nil
                return
            }
        }
    }
}
