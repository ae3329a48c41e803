// NotificationStage: the notification that the extension of one test shows.

import ExtensionHost
import ExtensionProtocol
import Foundation
import Locks
import PointHosts
import PointMessages
import Scenarios

/// The open notification of one test.
final class NotificationStage: Sendable {
    private let host: HostApplication
    private let identifier: String
    private let session = Mutex<NotificationContentSession?>(nil)
    /// The step before, for which each waits: a line may be read before the extension has the notification.
    private let last = Mutex<Task<Answer, any Error>?>(nil)

    /// The result of a step, for scenarios.
    struct Answer: Sendable {
        let result: PointResult
        let members: [(name: String, value: JSON)]
        let why: String?
    }

    init(_ host: HostApplication, _ identifier: String) { (self.host, self.identifier) = (host, identifier) }

    /// Performs a step. A call that fails is a result of its own.
    ///
    /// - Parameter payload: the payload of the notification that the step shows.
    /// - Throws: errors of `NotificationContentHost` that are no answers of the extension.
    func perform(_ step: NotificationStep, _ payload: Data) async throws -> Answer {
        let task = last.withLock { last in
            let task = Task { [last] in
                _ = await last?.result
                return try await answered(step, payload)
            }
            last = task
            return task
        }
        return try await task.value
    }

    private func answered(_ step: NotificationStep, _ payload: Data) async throws -> Answer {
        do {
            return try await performed(step, payload)
        } catch let error as ExtensionHostError {
            let result: PointResult =
                switch error.code {
                case .timedOut: .timedOut
                case .handlerDropped: .handlerDropped
                case .interrupted, .contextFinished, .noSuchRequest: .ended
                default: .failed
                }
            return Answer(result: result, members: [("reason", .string("\(error.code)"))], why: "\(error)")
        }
    }

    private func performed(_ step: NotificationStep, _ payload: Data) async throws -> Answer {
        if case .show = step {
            let content = try await NotificationHost(host).content(of: payload, for: identifier).content
            if let open = session.withLock({ $0 }), open.request.isOpen {
                try await open.receive(content)
                return answer(.opened, open)
            }
            let opened = try await NotificationContentHost(host).show(content, with: identifier)
            session.withLock { $0 = opened }
            return answer(.opened, opened)
        }
        guard let session = session.withLock({ $0 }) else {
            throw ExtensionHostError(
                .invalidArgument, "no notification is open", remedy: "Write a line notification show above it")
        }
        switch step {
        case .respond(let action, let text):
            let reply = try await session.respond(action, text: text)
            guard reply != .stay else { return answer(.stays, session) }
        case .media:
            try await session.pressMediaButton()
            return answer(.stays, session)
        case .dismiss, .show: await session.dismiss()
        }
        let ending = await session.ending
        return answer(ending.result.word, session, ending.members, ending.result.why)
    }

    private func answer(
        _ result: PointResult, _ session: NotificationContentSession, _ more: [(name: String, value: JSON)] = [],
        _ why: String? = nil
    ) -> Answer {
        let members: [(name: String, value: JSON)] = [
            ("height", .real(session.shown.height)), ("media", .string(session.shown.media.rawValue)),
            ("playing", .boolean(session.isPlaying)),
            ("actions", .array(session.actions.map { .string($0.identifier) })),
        ]
        return Answer(result: result, members: members + more, why: why)
    }
}
