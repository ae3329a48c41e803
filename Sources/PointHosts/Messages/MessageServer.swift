// MessageServer: the server that a message filter asks through its host.

public import Foundation
internal import PointMessages

/// A server that answers the deferred questions of message filters.
///
/// A host has no network of its own here: whoever makes the server decides where the answers come from.
public struct MessageServer: Sendable {
    /// The question that a host sends to the server, with `POST`.
    public struct Question: Sendable {
        /// The value of `ILMessageFilterExtensionNetworkURL`.
        public let url: URL
        /// The fields of the header, by their names.
        public let headers: [String: String]
        /// JSON with the sender and the text of the message, in the form that Apple documents.
        public let body: Data
    }

    /// The server's answer. A body of more than `largestBody` bytes is no answer.
    public struct Answer: Sendable {
        /// The status of HTTP.
        public var status: Int
        /// The fields of the header, by their names.
        public var headers: [String: String]
        /// The bytes that the filter gets.
        public var body: Data

        /// Makes an answer; each value is described at its property.
        public init(status: Int = 200, headers: [String: String] = [:], body: Data) {
            (self.status, self.headers, self.body) = (status, headers, body)
        }
    }

    /// The error of a server that does not allow the filter to ask it.
    public struct Unauthorized: Error {
        /// Makes the error.
        public init() {}
    }

    /// The largest body of an answer, in bytes (ours).
    public static let largestBody = 1 << 20

    let answer: @Sendable (Question) async throws -> Answer

    /// - Parameter answer: answers a question. `Unauthorized` refuses it; any other error means that the server cannot be
    ///   reached. Its task is cancelled when the time of the filter, or of the report, is over, and must end then.
    public init(_ answer: @escaping @Sendable (Question) async throws -> Answer) { self.answer = answer }

    /// Returns the URL of a declared address; nil if it is none of `https`.
    static func url(_ address: String) -> URL? {
        URL(string: address).flatMap { $0.scheme?.lowercased() == "https" && $0.host?.isEmpty == false ? $0 : nil }
    }

    /// Makes a server with one answer: JSON with the status 200.
    public init(body: Data) {
        self.init { _ in Answer(headers: ["Content-Type": "application/json"], body: body) }
    }
}

extension MessageServer.Question {
    private struct Form: Encodable {
        struct Query: Encodable {
            struct Message: Encodable { let text: String? }
            let sender: String?
            let message: Message
        }
        struct App: Encodable { let version: String }

        let version = 1
        let query: Query
        let app: App

        private enum CodingKeys: String, CodingKey {
            case version = "_version"
            case query, app
        }
    }

    /// Makes the question about a message.
    ///
    /// - Throws: `MessageFilterFault.invalidNetworkURL` as an `NSError` if the URL is missing or is none of `https`.
    init(_ message: FilteredMessage, address: String?, appVersion: String) throws {
        guard let address else {
            throw MessageFilterFault.invalidNetworkURL.error("there is no ILMessageFilterExtensionNetworkURL")
        }
        guard let url = MessageServer.url(address) else {
            throw MessageFilterFault.invalidNetworkURL.error("“\(address.prefix(256))” is no URL of https")
        }
        self.url = url
        headers = ["Content-Type": "application/json; charset=utf-8"]
        let form = Form(
            query: .init(sender: message.sender, message: .init(text: message.body)), app: .init(version: appVersion))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        body = try encoder.encode(form)
    }
}

extension MessageFilterFault {
    /// The error with Apple's domain and number.
    func error(_ reason: String) -> NSError {
        NSError(domain: Self.domain, code: rawValue, userInfo: [NSLocalizedDescriptionKey: reason])
    }
}
