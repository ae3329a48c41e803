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

    /// - Parameter send: shows the message, and returns whether the person has sent it. An error means that it cannot
    ///   be shown.
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
    func report(_ answer: ReportAnswer) async -> ClassificationReport {
        var question: MessageServer.Question?
        var message: ClassificationReport.Message?
        var result = ClassificationReport.Delivery.none
        do {
            switch destination {
            case _ where answer.action == .none: break
            case nil:
                throw Failure(
                    words: "the extension declares neither \(ClassificationHost.networkDestination) nor "
                        + ClassificationHost.messageDestination)
            case .server(let address):
                let posted = try self.question(answer, address)
                question = posted
                result = try await post(posted)
            case .number(let number):
                let composed = ClassificationReport.Message(
                    number: try Self.checked(number), text: try answer.text())
                message = composed
                guard let composer = delivery.composer else { throw Failure(words: "this host has no messaging app") }
                result = try await composer.send(composed) ? .sent : .discarded
            }
        } catch {
            result = .failed((error as? Failure)?.words ?? "\(error)")
        }
        // The alert comes after the report (documented), also after one that has failed (ours).
        var blocked: [String] = []
        if answer.action == .reportJunkAndBlockSender {
            for sender in senders where !blocked.contains(sender) { blocked.append(sender) }
        }
        return ClassificationReport(
            action: answer.action, userString: answer.userString, userInfo: answer.userInfo, question: question,
            message: message, delivery: result, blockedSenders: blocked)
    }

    private func question(_ answer: ReportAnswer, _ address: String) throws -> MessageServer.Question {
        guard let url = MessageServer.url(address) else {
            throw Failure(words: "“\(address.prefix(256))” is no URL of https")
        }
        let form: [String: Any] = ["_version": 1, "app": ["version": version], "classification": answer.values]
        return MessageServer.Question(
            url: url, headers: ["Content-Type": "application/json; charset=utf-8"],
            body: try JSONSerialization.data(withJSONObject: form, options: .sortedKeys))
    }

    private func post(_ question: MessageServer.Question) async throws -> ClassificationReport.Delivery {
        guard let server = delivery.server else { throw Failure(words: "this host has no server for reports") }
        return try await withThrowingTaskGroup(of: ClassificationReport.Delivery.self) { group in
            group.addTask {
                do {
                    let answer = try await server.answer(question)
                    guard answer.body.count <= MessageServer.largestBody else {
                        throw Failure(
                            words: "the answer of \(question.url) has more than \(MessageServer.largestBody) bytes")
                    }
                    return .posted(status: answer.status)
                } catch let failure as Failure {
                    throw failure
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
}

/// The checked answer of an extension, which may have sent anything.
struct ReportAnswer: Sendable {
    /// The levels that values may have (ours).
    static let deepest = 32

    let action: ReportedCommunication.Action
    let userString: String?
    let userInfo: Data?

    /// - Throws: `ExtensionHostError` `invalidArgument` if the answer is none.
    init(_ reply: ClassifyCommunications.Reply) throws {
        let most = ClassifyCommunications.largestContent
        guard reply.action != .unrecognized else { throw Self.fault("an unknown action") }
        guard (reply.userString?.utf8.count ?? 0) <= most else {
            throw Self.fault("a userString of more than \(most) bytes")
        }
        guard (reply.userInfo?.count ?? 0) <= most else { throw Self.fault("a userInfo of more than \(most) bytes") }
        (action, userString, userInfo) = (reply.action, reply.userString, reply.userInfo.map { Data($0) })
        guard let userInfo else { return }
        guard let values = (try? JSONSerialization.jsonObject(with: userInfo)) as? [String: Any] else {
            throw Self.fault("a userInfo that is no object of JSON")
        }
        guard Self.fits(values, 1) else { throw Self.fault("a userInfo of more than \(Self.deepest) levels") }
    }

    /// The values; empty if the extension has sent none.
    var values: [String: Any] {
        userInfo.flatMap { (try? JSONSerialization.jsonObject(with: $0)) as? [String: Any] } ?? [:]
    }

    /// Returns the text of a message: that of the extension, else the action and the values (documented; the form is
    /// ours).
    func text() throws -> String {
        if let userString { return userString }
        let form: [String: Any] = ["action": action.rawValue, "userInfo": values]
        return String(decoding: try JSONSerialization.data(withJSONObject: form, options: .sortedKeys), as: UTF8.self)
    }

    private static func fits(_ value: Any, _ level: Int) -> Bool {
        guard level <= deepest else { return false }
        if let values = value as? [String: Any] { return values.values.allSatisfy { fits($0, level + 1) } }
        if let values = value as? [Any] { return values.allSatisfy { fits($0, level + 1) } }
        return true
    }

    private static func fault(_ words: String) -> ExtensionHostError {
        ExtensionHostError(.invalidArgument, "the extension has answered with \(words)")
    }
}
