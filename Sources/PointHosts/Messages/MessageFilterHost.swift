// MessageFilterHost: a messaging app that asks a message filter about messages from strangers.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import Foundation
internal import Locks
internal import PropertyListCoding
public import PointMessages

/// Asks message filters about messages, and sends their deferred questions to a server.
public struct MessageFilterHost: Sendable {
    /// The extension point of message filters.
    public static let point = "com.apple.identitylookup.message-filter"
    /// The attribute with the address of the server.
    static let networkURL = "ILMessageFilterExtensionNetworkURL"
    /// The largest number of sub-actions of one kind that a filter may name: more than there are.
    static let largestList = 64

    /// The reason why a message is shown as one without a filter.
    public enum Reason: Sendable, Hashable {
        /// The filter did not answer within its time, which is 5 s by default.
        case timedOut
        /// The filter's process ended, or the request did otherwise.
        case ended(Cause?)
        /// The filter released the handler without a call.
        case handlerDropped
        /// The call failed.
        case failed(ExtensionHostError)
    }

    /// The decision about a message.
    public struct Verdict: Sendable {
        /// The action; `none` if the filter has not answered.
        public let action: FilteredMessage.Action
        /// The sub-action; `none` if it does not belong to the action.
        public let subAction: FilteredMessage.SubAction
        /// The reason why the filter has no part in it; nil if it has answered.
        public let reason: Reason?
        /// The deferred questions, in their order.
        public let deferrals: [Deferral]
        /// The request.
        public let request: ExtensionRequest
        /// The parts of the answer that have no effect, in words.
        public let remarks: [String]

        /// The seconds from the delivery to the end of the request, on the daemon's clock. The getter waits for that end.
        public var duration: Double? {
            get async {
                let timings = await request.timings
                guard let end = timings.finished else { return nil }
                return timings.delivered.map { end - $0 }
            }
        }
    }

    /// A question that the filter has deferred to the server.
    public struct Deferral: Sendable {
        /// The question; nil if there was none to send.
        public let question: MessageServer.Question?
        /// The status of the server's answer; nil after an error.
        public let status: Int?
        /// The fault that the filter got instead of an answer.
        public let fault: MessageFilterFault?
    }

    /// The sub-actions that a filter uses.
    public struct Capabilities: Sendable, Hashable {
        /// The sub-actions of transactions.
        public let transactional: [FilteredMessage.SubAction]
        /// The sub-actions of promotions.
        public let promotional: [FilteredMessage.SubAction]
    }

    private let host: HostApplication
    private let server: MessageServer?

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - server: the server of deferred questions. Without one, each deferral fails with `networkRequestFailed`.
    public init(_ host: HostApplication, server: MessageServer? = nil) { (self.host, self.server) = (host, server) }

    /// Asks a filter about a message.
    ///
    /// A filter that gives no answer has decided `none`: see `Verdict.reason`.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - identifier: the filter.
    /// - Throws: errors of `HostApplication.begin`; `CocoaError.userCancelled` after the task was cancelled.
    public func verdict(on message: FilteredMessage, by identifier: String) async throws -> Verdict {
        let deferrals = Deferrals()
        var handlers = PointHandlers()
        handlers.on(DeferQueryToNetwork.self) { [self] _, _ in
            try await deferrals.answer({ try await question(message, identifier) }, from: server)
        }
        let request = try await host.begin(identifier, items: [], handling: handlers)
        do {
            let answer = try await request.call(FilterMessage(message))
            await end(request)
            var remarks: [String] = []
            let (action, subAction) = Self.known(answer, &remarks)
            return Verdict(
                action: action, subAction: subAction, reason: nil, deferrals: deferrals.all, request: request,
                remarks: remarks)
        } catch let error as ExtensionHostError {
            try? await request.cancel()
            return Verdict(
                action: .none, subAction: .none, reason: await Self.reason(error, request), deferrals: deferrals.all,
                request: request, remarks: [])
        } catch {
            try? await request.cancel()
            if Task.isCancelled { throw error }
            // Only an extension that writes the protocol itself answers with an error.
            let violation = ExtensionHostError(
                .protocolViolation, "the filter answered with an error", cause: "\(error)")
            return Verdict(
                action: .none, subAction: .none, reason: .failed(violation), deferrals: deferrals.all, request: request,
                remarks: [])
        }
    }

    /// Asks a filter for the sub-actions that it uses. A filter that does not adopt
    /// `ILMessageFilterCapabilitiesQueryHandling` uses none. Sub-actions of the other kind, and repeated ones, are left
    /// out.
    ///
    /// - Throws: errors of `HostApplication.begin`; `ExtensionHostError` for a filter that does not answer;
    ///   `CocoaError.userCancelled` after the task was cancelled.
    public func capabilities(of identifier: String) async throws -> Capabilities {
        let request = try await host.begin(identifier, items: [])
        let answer: MessageFilterCapabilities.Reply
        do {
            answer = try await request.call(MessageFilterCapabilities())
        } catch {
            try? await request.cancel()
            throw error
        }
        await end(request)
        func known(
            _ named: [FilteredMessage.SubAction], _ action: FilteredMessage.Action
        ) -> [FilteredMessage.SubAction] {
            var known: [FilteredMessage.SubAction] = []
            for kind in named.prefix(Self.largestList) where kind.action == action && !known.contains(kind) {
                known.append(kind)
            }
            return known
        }
        return Capabilities(
            transactional: known(answer.transactional, .transaction), promotional: known(answer.promotional, .promotion)
        )
    }

    /// The answer counts, whatever becomes of the request afterwards.
    private func end(_ request: ExtensionRequest) async {
        do {
            try await request.call(EndMessageFilter(), limit: .seconds(1))
        } catch {
            try? await request.cancel()
        }
    }

    private static func known(
        _ answer: FilterMessage.Reply, _ remarks: inout [String]
    ) -> (FilteredMessage.Action, FilteredMessage.SubAction) {
        var (action, subAction) = (answer.action, answer.subAction)
        if action == .unrecognized {
            remarks.append("the action is unknown here, so it counts as none")
            action = .none
        }
        if subAction == .unrecognized {
            remarks.append("the sub-action is unknown here, so it counts as none")
            subAction = .none
        }
        if let owner = subAction.action, owner != action {
            remarks.append("the sub-action \(subAction.rawValue) belongs to \(owner.rawValue), so it has no effect")
            subAction = .none
        }
        return (action, subAction)
    }

    private func question(_ message: FilteredMessage, _ identifier: String) async throws -> MessageServer.Question {
        let found = try await host.extensions().first { $0.identifier == identifier }
        return try MessageServer.Question(
            message, address: try await host.attributes(of: identifier)[Self.networkURL]?.string,
            appVersion: found?.version ?? "")
    }

    private static func reason(_ error: ExtensionHostError, _ request: ExtensionRequest) async -> Reason {
        switch error.code {
        case .timedOut: .timedOut
        case .handlerDropped: .handlerDropped
        case .interrupted, .contextFinished, .noSuchRequest: .ended(await request.outcome.cause)
        default: .failed(error)
        }
    }
}

/// The deferred questions of one request.
private final class Deferrals: Sendable {
    /// The number of further deferrals that are listed.
    private static let limit = 16

    private let state = Mutex((isAsked: false, all: [MessageFilterHost.Deferral]()))

    var all: [MessageFilterHost.Deferral] { state.withLock { $0.all } }

    /// Adds a deferral, and returns its place; nil if there are too many.
    @discardableResult private func note(_ deferral: MessageFilterHost.Deferral) -> Int? {
        state.withLock { state in
            guard state.all.count < Self.limit else { return nil }
            state.all.append(deferral)
            return state.all.count - 1
        }
    }

    /// Sends the question, the first time.
    func answer(
        _ question: () async throws -> MessageServer.Question, from server: MessageServer?
    ) async throws -> DeferQueryToNetwork.Reply {
        let isFirst = state.withLock { state in
            defer { state.isAsked = true }
            return !state.isAsked
        }
        var asked: MessageServer.Question?
        do {
            guard isFirst else {
                throw MessageFilterFault.redundantNetworkDeferral.error("the question was sent to the server before")
            }
            let question = try await question()
            asked = question
            guard let server else {
                throw MessageFilterFault.networkRequestFailed.error("this host has no server for message filters")
            }
            // A server that does not answer in time has the question, too.
            let place = note(.init(question: question, status: nil, fault: nil))
            let answer: MessageServer.Answer
            do {
                answer = try await Self.ask(server, question)
            } catch {
                state.withLock { if let place { $0.all.remove(at: place) } }
                throw error
            }
            state.withLock {
                if let place { $0.all[place] = .init(question: question, status: answer.status, fault: nil) }
            }
            return DeferQueryToNetwork.Reply(
                url: question.url.absoluteString, status: answer.status, headers: answer.headers,
                body: Array(answer.body))
        } catch {
            let thrown = error as NSError
            let fault =
                (thrown.domain == MessageFilterFault.domain ? MessageFilterFault(rawValue: thrown.code) : nil)
                ?? .system
            note(.init(question: asked, status: nil, fault: fault))
            throw fault.error(thrown.localizedDescription)
        }
    }

    private static func ask(
        _ server: MessageServer, _ question: MessageServer.Question
    ) async throws -> MessageServer.Answer {
        let answer: MessageServer.Answer
        do {
            answer = try await server.answer(question)
        } catch is MessageServer.Unauthorized {
            throw MessageFilterFault.networkURLUnauthorized.error("\(question.url) does not allow the filter to ask it")
        } catch {
            throw MessageFilterFault.networkRequestFailed.error("\(question.url) does not answer: \(error)")
        }
        guard answer.body.count <= MessageServer.largestBody else {
            throw MessageFilterFault.networkRequestFailed.error(
                "the answer of \(question.url) has more than \(MessageServer.largestBody) bytes")
        }
        return answer
    }
}
