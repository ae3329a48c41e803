// ClassificationStage: the report of one test.

import ExtensionHost
import ExtensionProtocol
import Foundation
import PointHosts
import Scenarios

/// The report that is open, from its first step on.
actor ClassificationStage {
    /// The result of a step, for scenarios.
    struct Answer: Sendable {
        let result: PointResult
        let members: [(name: String, value: JSON)]
        let why: String?
    }

    private let host: HostApplication
    private let identifier: String
    private var session: ClassificationSession?

    init(_ host: HostApplication, _ identifier: String) { (self.host, self.identifier) = (host, identifier) }

    /// Performs a step. A call that fails is a result of its own.
    ///
    /// - Throws: errors of `ClassificationHost` that are no answers of the extension.
    func perform(_ step: ReportStep) async throws -> Answer {
        do {
            return try await performed(step)
        } catch let error as ExtensionHostError {
            let result: PointResult =
                switch error.code {
                case .notPermitted: .refused
                case .timedOut: .timedOut
                case .interrupted, .contextFinished, .noSuchRequest: .ended
                default: .failed
                }
            return Answer(result: result, members: [("reason", .string("\(error.code)"))], why: "\(error)")
        }
    }

    private func performed(_ step: ReportStep) async throws -> Answer {
        switch step {
        case .messages(let texts, let sender): return try await begin(.messages(texts, from: sender))
        case .call(let sender): return try await begin(.call(from: sender))
        case .done:
            let open = try opened()
            try await open.done()
            return await Self.answer(of: open)
        case .cancel:
            let open = try opened()
            await open.cancel()
            return await Self.answer(of: open)
        }
    }

    private func begin(_ subject: ClassificationHost.Subject) async throws -> Answer {
        // A new report takes the place of the open one.
        let open = session
        session = nil
        await open?.cancel()
        let begun = try await ClassificationHost.pretending(host).begin(subject, with: identifier)
        session = begun
        return Answer(result: .opened, members: [("ready", .boolean(begun.isReady))], why: nil)
    }

    private func opened() throws -> ClassificationSession {
        guard let session else {
            throw ExtensionHostError(
                .invalidArgument, "no report is open", remedy: "Write a line report message above it")
        }
        return session
    }

    private static func answer(of session: ClassificationSession) async -> Answer {
        let ending = await session.ending
        return Answer(result: ending.result.word, members: ending.members, why: ending.result.why)
    }
}
