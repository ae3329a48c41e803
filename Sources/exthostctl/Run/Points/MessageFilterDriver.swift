// MessageFilterDriver: `run` for a message filter: what becomes of a message.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import PointMessages
import Scenarios

struct MessageFilterDriver: PointDriver {
    static let point = MessageFilterHost.point
    static let showsView = false

    static let exploredCalls: [ExplorationCall] = [
        ExplorationCall(FilterMessage(usual)), ExplorationCall(MessageFilterCapabilities()),
        ExplorationCall(EndMessageFilter(), after: [1, 2], isLast: true),
    ]

    /// The message of a run without `--sms`.
    private static let usual = FilteredMessage(sender: "+15555550123", body: "You have won a prize")

    private let message: FilteredMessage
    private let server: MessageServer?

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        let options = command.messages
        message = FilteredMessage(
            sender: options.sender ?? Self.usual.sender, body: options.sms ?? Self.usual.body)
        server = try options.serverAnswer.map { MessageServer(body: try InputFile($0).data()) }
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let ending = try await MessageEnding(message, MessageFilterHost(host, server: server), identifier)
        return PointReport(
            text: ending.text, json: [("extension", .string(identifier))] + ending.members,
            status: ending.verdict.reason == nil ? 0 : ExitStatus.notExpected)
    }
}

/// The decision about a message, for people and for scenarios.
struct MessageEnding: Sendable {
    let verdict: MessageFilterHost.Verdict
    private let identifier: String
    private let duration: Double?

    /// Asks a filter.
    ///
    /// - Throws: errors of `MessageFilterHost.verdict(on:by:)`.
    init(_ message: FilteredMessage, _ host: MessageFilterHost, _ identifier: String) async throws {
        self.identifier = identifier
        verdict = try await host.verdict(on: message, by: identifier)
        duration = await verdict.duration
    }

    var text: String {
        var text = "\(headline): \(printable(identifier))"
        if let pid = verdict.request.processIdentifier { text += ", pid \(pid)" }
        if let duration { text += ", after \(written(seconds: duration))" }
        text += "\n"
        if verdict.subAction != .none { text += "  sub-action: \(verdict.subAction.rawValue)\n" }
        for deferral in verdict.deferrals {
            let address = deferral.question.map { " \(printable($0.url.absoluteString))" } ?? ""
            text += "  asked the server\(address): \(Self.words(deferral))\n"
        }
        for remark in verdict.remarks { text += "  remark: \(printable(remark))\n" }
        return text
    }

    private var headline: String {
        reason.map { "none, \($0)" } ?? verdict.action.rawValue
    }

    private var reason: String? {
        switch verdict.reason {
        case nil: nil
        case .timedOut: "the extension did not answer in time"
        case .ended(let cause): "the request ended (\(cause?.rawValue ?? "no cause"))"
        case .handlerDropped: "the extension released the handler without a call"
        case .failed(let error): "\(error)"
        }
    }

    private static func words(_ deferral: MessageFilterHost.Deferral) -> String {
        deferral.status.map { "status \($0)" } ?? deferral.fault.map { "failed, \($0) (\($0.rawValue))" } ?? "failed"
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch verdict.reason {
        case nil: (PointResult(rawValue: verdict.action.rawValue) ?? .failed, nil)
        case .timedOut: (.timedOut, reason)
        case .ended: (.ended, reason)
        case .handlerDropped: (.handlerDropped, reason)
        case .failed: (.failed, reason)
        }
    }

    var members: [(name: String, value: JSON)] {
        [
            ("action", .string(verdict.action.rawValue)), ("subAction", .string(verdict.subAction.rawValue)),
            ("reason", .optional(reason)), ("pid", .optional(verdict.request.processIdentifier)),
            ("duration", .optional(duration)),
            (
                "deferrals",
                .array(
                    verdict.deferrals.map { deferral in
                        [
                            "url": .optional(deferral.question?.url.absoluteString),
                            "question": .optional(
                                deferral.question.map { String(decoding: $0.body, as: UTF8.self) }),
                            "status": .optional(deferral.status), "error": .optional(deferral.fault.map { "\($0)" }),
                            "code": .optional(deferral.fault?.rawValue),
                        ]
                    })
            ),
            ("remarks", .array(verdict.remarks.map { .string($0) })),
        ]
    }
}
