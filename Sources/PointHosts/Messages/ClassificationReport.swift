// ClassificationReport: the answer of a reporting extension, and what the host has done with it.

internal import ExtensionPointKit
public import Foundation
public import PointMessages

/// The report about messages or calls.
public struct ClassificationReport: Sendable {
    /// A message that the messaging app shows, and that the person may send.
    public struct Message: Sendable, Hashable {
        /// The number that gets it.
        public let number: String
        /// The text.
        public let text: String
    }

    /// The result of the delivery.
    public enum Delivery: Sendable, Hashable {
        /// The action is `none`, so there is nothing to report.
        case none
        /// The server has answered with this status of HTTP.
        case posted(status: Int)
        /// The person has sent the message.
        case sent
        /// The person has not sent the message.
        case discarded
        /// The report has not reached its receiver.
        case failed(String)
    }

    /// The action of the answer.
    public let action: ReportedCommunication.Action
    /// The text of the answer.
    public let userString: String?
    /// The values of the answer, as an object of JSON.
    public let userInfo: Data?
    /// The report by network; nil if there was none.
    public let question: MessageServer.Question?
    /// The report by message; nil if there was none.
    public let message: Message?
    /// The result of the delivery.
    public let delivery: Delivery
    /// The senders that the person does not want to hear from any more, each once.
    public let blockedSenders: [String]

    /// Whether the report, if there is one, has reached its receiver.
    public var isDelivered: Bool {
        switch delivery {
        case .none, .sent: true
        case .posted(let status): (200..<300).contains(status)
        case .discarded, .failed: false
        }
    }
}

/// The messaging app that shows a report as a message. The person sends it, or not.
///
/// A host of this project sends no messages: whoever makes the composer decides what becomes of them.
public struct ReportComposer: Sendable {
    let send: @Sendable (ClassificationReport.Message) async throws -> Bool

    /// - Parameter send: shows the message, and returns whether the person has sent it. An error means that it cannot be
    ///   shown.
    public init(_ send: @escaping @Sendable (ClassificationReport.Message) async throws -> Bool) { self.send = send }
}

/// The ways of a host's reports.
struct ReportDelivery: Sendable {
    let server: MessageServer?
    let composer: ReportComposer?
    /// The time that the server has.
    let limit: Duration
}

/// The parts of a report that the host knows before the answer.
struct ReportContext: Sendable {
    let destination: ClassificationHost.Destination?
    /// The version of the extension.
    let version: String
    let senders: [String]
    let delivery: ReportDelivery

    private struct Failure: Error { let words: String }

    /// Reports an answer.
    func report(_ answer: ClassifyCommunications.Reply) async -> ClassificationReport {
        var question: MessageServer.Question?
        var message: ClassificationReport.Message?
        let action = answer.action == .unrecognized ? .none : answer.action
        let content = Content(answer)
        let result: ClassificationReport.Delivery
        do {
            guard action != .none else { return content.report(action, nil, nil, .none, []) }
            if let fault = content.fault { throw Failure(words: fault) }
            switch destination {
            case nil:
                throw Failure(
                    words: "the extension declares neither \(ClassificationHost.networkDestination) nor "
                        + ClassificationHost.messageDestination)
            case .server(let address):
                let posted = try self.question(content, address)
                question = posted
                result = try await post(posted)
            case .number(let number):
                let composed = ClassificationReport.Message(
                    number: try Self.checked(number), text: try content.text(action))
                message = composed
                guard let composer = delivery.composer else { throw Failure(words: "this host has no messaging app") }
                result = try await composer.send(composed) ? .sent : .discarded
            }
        } catch {
            result = .failed((error as? Failure)?.words ?? "\(error)")
        }
        // The person has seen the alert after the report, whatever became of it (documented).
        var blocked: [String] = []
        if action == .reportJunkAndBlockSender {
            for sender in senders where !blocked.contains(sender) { blocked.append(sender) }
        }
        return content.report(action, question, message, result, blocked)
    }

    private func question(_ content: Content, _ address: String) throws -> MessageServer.Question {
        guard let url = URL(string: address), url.scheme?.lowercased() == "https", url.host?.isEmpty == false else {
            throw Failure(words: "“\(address.prefix(256))” is no URL of https")
        }
        let form: [String: Any] = ["_version": 1, "app": ["version": version], "classification": content.values]
        return MessageServer.Question(
            url: url, headers: ["Content-Type": "application/json; charset=utf-8"],
            body: try JSONSerialization.data(withJSONObject: form, options: .sortedKeys))
    }

    private func post(_ question: MessageServer.Question) async throws -> ClassificationReport.Delivery {
        guard let server = delivery.server else { throw Failure(words: "this host has no server for reports") }
        return try await withThrowingTaskGroup(of: ClassificationReport.Delivery.self) { group in
            group.addTask {
                do {
                    return .posted(status: try await server.answer(question).status)
                } catch is MessageServer.Unauthorized {
                    throw Failure(words: "\(question.url) does not allow the extension to report")
                } catch {
                    throw Failure(words: "\(question.url) does not answer: \(error)")
                }
            }
            group.addTask { [limit = delivery.limit] in
                try await Task.sleep(for: limit)
                throw Failure(words: "\(question.url) did not answer within \(limit)")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? .none
        }
    }

    /// Returns a number that a message can go to.
    private static func checked(_ number: String) throws -> String {
        let digits = number.filter(\.isNumber)
        guard (1...20).contains(digits.count), number.count <= 32,
            number.allSatisfy({ $0.isASCII && ($0.isNumber || "+-() .".contains($0)) })
        else { throw Failure(words: "“\(number.prefix(64))” is no telephone number") }
        return number
    }

    /// The answer of an extension, which may have sent anything.
    private struct Content {
        let userString: String?
        let userInfo: Data?
        let values: [String: Any]
        let fault: String?

        init(_ answer: ClassifyCommunications.Reply) {
            let most = ClassifyCommunications.largestContent
            userString = answer.userString.flatMap { $0.utf8.count <= most ? $0 : nil }
            let bytes = answer.userInfo.flatMap { $0.count <= most ? Data($0) : nil }
            let values = bytes.map { (try? JSONSerialization.jsonObject(with: $0)) as? [String: Any] }
            if answer.userString != nil && userString == nil || answer.userInfo != nil && bytes == nil {
                (fault, userInfo, self.values) = ("the answer is too large", nil, [:])
            } else if let values {
                (fault, userInfo, self.values) =
                    (
                        values == nil ? "the answer is no object of JSON" : nil, values == nil ? nil : bytes,
                        values ?? [:]
                    )
            } else {
                (fault, userInfo, self.values) = (nil, nil, [:])
            }
        }

        /// Returns the text of a message: that of the extension, else the action and the values (documented; the form
        /// is ours).
        func text(_ action: ReportedCommunication.Action) throws -> String {
            if let userString { return userString }
            let form: [String: Any] = ["action": action.rawValue, "userInfo": values]
            return String(
                decoding: try JSONSerialization.data(withJSONObject: form, options: .sortedKeys), as: UTF8.self)
        }

        func report(
            _ action: ReportedCommunication.Action, _ question: MessageServer.Question?,
            _ message: ClassificationReport.Message?, _ delivery: ClassificationReport.Delivery, _ blocked: [String]
        ) -> ClassificationReport {
            ClassificationReport(
                action: action, userString: userString, userInfo: userInfo, question: question, message: message,
                delivery: delivery, blockedSenders: blocked)
        }
    }
}
