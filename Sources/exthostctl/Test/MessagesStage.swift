// MessagesStage: the conversation of one test.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import Scenarios

/// The conversation of a test, and the iMessage app that is open in it.
actor MessagesStage {
    private let host: MessagesAppHost
    private let identifier: String
    private let conversation = MessagesConversation()
    private var session: MessagesAppSession?
    /// The session of the messages of the other participant.
    private let theirs = UUID()

    init(_ host: HostApplication, _ identifier: String) {
        (self.host, self.identifier) = (MessagesAppHost(host), identifier)
    }

    private func open() throws -> MessagesAppSession {
        guard let session else {
            throw TestFailure(
                expected: "an open iMessage app", found: "there is none", remedy: "Write a line imessage open above it")
        }
        return session
    }

    func perform(_ step: MessagesStep) async throws -> MessagesAppEnding {
        do {
            return try await take(step)
        } catch let error as ExtensionHostError where error.code != .invalidArgument {
            // An app that has gone, or did not answer in time, says it better.
            if let session, MessagesAppEnding.ends(error) { return await MessagesAppEnding(session, nil) }
            return MessagesAppEnding(error, session)
        }
    }

    private func take(_ step: MessagesStep) async throws -> MessagesAppEnding {
        switch step {
        case .open(let style, let entry):
            let old = session
            session = nil
            await old?.close()
            session = try await host.open(
                identifier, in: conversation, style: style.flatMap { PayloadStyle(rawValue: $0) }, selecting: entry)
        case .receive(let url, let isLive):
            let message = MessagesMessage(url: url, session: theirs, isLive: isLive)
            try await open().receive(message)
        case .select(let number): try await open().select(number)
        case .send: try await open().send()
        case .cancel: try await open().cancelSending()
        case .show(let style): try await open().transition(to: style == "expanded" ? .expanded : .compact)
        case .look: await (try open()).settle()
        case .close:
            let session = try open()
            self.session = nil
            await session.close()
            return await MessagesAppEnding(session, nil)
        }
        let session = try open()
        // An app that has gone by itself says so.
        guard session.request.isOpen else { return await MessagesAppEnding(session, nil) }
        return MessagesAppEnding(session)
    }
}
