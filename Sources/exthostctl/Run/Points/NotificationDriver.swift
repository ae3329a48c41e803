// NotificationDriver: `run` for a notification service: a remote notification, and what is shown of it.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import PointMessages

struct NotificationDriver: PointDriver {
    static let point = "com.apple.usernotifications.service"
    static let showsView = false

    /// The notification of a run without `--push`.
    private static let sample = #"{"aps": {"alert": {"title": "Title", "body": "Body"}, "mutable-content": 1}}"#

    private let payload: Data

    init(_ options: PointOptions, _ command: RunCommand, _ console: RunConsole) throws {
        guard let path = options.push else {
            payload = Data(Self.sample.utf8)
            return
        }
        guard let read = FileManager.default.contents(atPath: path) else {
            throw CommandError.missing("the payload \(path) cannot be read", remedy: "Name a file with JSON")
        }
        payload = read
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let result = try await NotificationHost(host).push(payload, to: identifier)
        let fields = Self.fields(result.original, result.shown ?? NotificationContent())
        var text = "\(Self.headline(result)): \(printable(identifier))"
        if let pid = result.request?.processIdentifier { text += ", pid \(pid)" }
        if let duration = result.duration { text += ", after \(written(seconds: duration))" }
        text += "\n"
        for field in fields {
            if field.before == field.after {
                if !field.before.isEmpty { text += "    \(field.name): \(printable(field.before))\n" }
            } else {
                if !field.before.isEmpty { text += "  - \(field.name): \(printable(field.before))\n" }
                if !field.after.isEmpty { text += "  + \(field.name): \(printable(field.after))\n" }
            }
        }
        let json: JSON = [
            "extension": .string(identifier), "outcome": .string(Self.headline(result)),
            "pid": .optional(result.request?.processIdentifier), "duration": .optional(result.duration),
            "original": Self.json(fields.map { ($0.name, $0.before) }),
            "shown": result.shown == nil ? .null : Self.json(fields.map { ($0.name, $0.after) }),
        ]
        return PointReport(text: text, json: json, status: Self.status(result))
    }

    private static func headline(_ result: NotificationHost.Presentation) -> String {
        switch result.reason {
        case nil: result.shown == nil ? "hidden" : result.shown == result.original ? "unchanged" : "changed"
        case .notMutable: "original, the payload is not for extensions (no alert, or no mutable-content of 1)"
        case .timedOut: "original, the extension did not answer in time"
        case .ended(let cause): "original, the request ended (\(cause?.rawValue ?? "no cause"))"
        case .handlerDropped: "original, the extension released contentHandler without a call"
        case .empty: "original, the content has neither title nor body"
        case .failed(let error): "original, \(error)"
        }
    }

    private static func status(_ result: NotificationHost.Presentation) -> Int32 {
        switch result.reason {
        case nil, .notMutable: 0
        case .ended(let cause?): cause.outcome.exitStatus
        default: ExitStatus.notExpected
        }
    }

    private static func fields(
        _ before: NotificationContent, _ after: NotificationContent
    ) -> [(name: String, before: String, after: String)] {
        func values(_ content: NotificationContent) -> [(String, String)] {
            [
                ("title", content.title), ("subtitle", content.subtitle), ("body", content.body),
                ("badge", content.badge.map { "\($0)" } ?? ""), ("sound", content.sound ?? ""),
                ("category", content.category), ("thread", content.thread),
                ("attachments", content.attachments.map { "\($0.fileName) (\($0.type))" }.joined(separator: ", ")),
            ]
        }
        return zip(values(before), values(after)).map { ($0.0, $0.1, $1.1) }
    }

    private static func json(_ fields: [(String, String)]) -> JSON {
        .object(fields.filter { !$0.1.isEmpty }.map { ($0.0, .string($0.1)) })
    }
}
