// ClassificationStage: the report of one test.

import ExtensionHost
import ExtensionProtocol
import Foundation
import Locks
import PointHosts
import Scenarios

/// The report that is open, from its first step on. Safe to use from any thread.
final class ClassificationStage: Sendable {
    /// The result of a step, for scenarios.
    struct Answer: Sendable {
        let result: PointResult
        let members: [(name: String, value: JSON)]
        let why: String?
    }

    private typealias Opening = Task<ClassificationSession, any Error>

    private let host: HostApplication
    private let identifier: String
    /// The beginning of the report. The next steps wait for it.
    private let opening = Mutex<Opening?>(nil)

    init(_ host: HostApplication, _ identifier: String) { (self.host, self.identifier) = (host, identifier) }

    /// Starts a step, so that the next steps are about the same report. A call that fails is a result of its own.
    ///
    /// - Returns: a function that waits for the result. It throws errors of `ClassificationHost` that are no answers of
    ///   the extension.
    func start(_ step: ReportStep) -> @Sendable () async throws -> Answer {
        let (open, isNew) =
            switch step {
            case .messages(let texts, let sender): (begin(.messages(texts, from: sender)), true)
            case .call(let sender): (begin(.call(from: sender)), true)
            case .done, .cancel: (opening.withLock { $0 }, false)
            }
        return {
            do {
                guard let open else {
                    throw ExtensionHostError(
                        .invalidArgument, "no report is open", remedy: "Write a line report message above it")
                }
                let session = try await withTaskCancellationHandler {
                    try await open.value
                } onCancel: {
                    if isNew { open.cancel() }
                }
                return try await Self.perform(step, session)
            } catch let error as ExtensionHostError {
                return Answer(
                    result: error.reportEnd.word, members: [("reason", .string("\(error.code)"))], why: "\(error)")
            }
        }
    }

    /// Begins a report. It takes the place of the open one.
    private func begin(_ subject: ClassificationHost.Subject) -> Opening? {
        opening.withLock { opening in
            let made = Opening { [host, identifier, last = opening] in
                await (try? last?.value)?.cancel()
                return try await ClassificationHost.pretending(host).begin(subject, with: identifier)
            }
            opening = made
            return made
        }
    }

    private static func perform(_ step: ReportStep, _ session: ClassificationSession) async throws -> Answer {
        switch step {
        case .messages, .call:
            return Answer(result: .opened, members: [("ready", .boolean(session.isReady))], why: nil)
        case .done:
            do {
                try await session.done()
            } catch let error as ExtensionHostError where error.code != .notPermitted {
                // The end has the reason.
            }
        case .cancel: await session.cancel()
        }
        return await answer(of: session)
    }

    private static func answer(of session: ClassificationSession) async -> Answer {
        let ending = await session.ending
        return Answer(result: ending.result.word, members: ending.members, why: ending.result.why)
    }
}
