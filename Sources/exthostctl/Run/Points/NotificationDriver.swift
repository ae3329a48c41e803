// NotificationDriver: `run` for a notification service: a remote notification, and what is shown of it.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import PointMessages

struct NotificationDriver: PointDriver {
    static let point = "com.apple.usernotifications.service"
    static let showsView = false

    static let exploredCalls: [ExplorationCall] = {
        var content = NotificationContent()
        (content.title, content.body) = ("Title", "Body")
        let message = ReceiveNotification(identifier: "explored", content: content)
        return [ExplorationCall(message, grace: NotificationHost.grace)]
    }()

    /// The notification of a run without `--push`.
    private static let sample = #"{"aps": {"alert": {"title": "Title", "body": "Body"}, "mutable-content": 1}}"#

    private let payload: Data
    /// The app around an extension that is registered for this command.
    private let app: String?

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        app = Self.app(of: path)
        guard let path = options.push else {
            payload = Data(Self.sample.utf8)
            return
        }
        guard let read = FileManager.default.contents(atPath: path) else {
            throw CommandError.missing("the payload \(path) cannot be read", remedy: "Name a file with JSON")
        }
        payload = read
    }

    /// Returns the app around an extension: NAME.app/PlugIns/NAME.appex.
    static func app(of path: String?) -> String? {
        let folder = path.map { URL(fileURLWithPath: $0).deletingLastPathComponent().deletingLastPathComponent().path }
        return folder.flatMap { $0.hasSuffix(".app") ? $0 : nil }
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let result = try await NotificationHost(host, app: app).push(payload, to: identifier)
        let duration = await result.duration
        let fields = Self.fields(result.original, result.shown ?? NotificationContent())
        var text = "\(Self.headline(result)): \(printable(identifier))"
        if let pid = result.request?.processIdentifier { text += ", pid \(pid)" }
        if let duration { text += ", after \(written(seconds: duration))" }
        text += "\n"
        for field in fields {
            if field.before == field.after {
                if !field.before.isEmpty { text += "    \(field.name): \(printable(field.before))\n" }
            } else {
                if !field.before.isEmpty { text += "  - \(field.name): \(printable(field.before))\n" }
                if !field.after.isEmpty { text += "  + \(field.name): \(printable(field.after))\n" }
            }
        }
        for remark in result.remarks { text += "  remark: \(printable(remark))\n" }
        let json: [(name: String, value: JSON)] = [
            ("extension", .string(identifier)), ("outcome", .string(Self.headline(result))),
            ("pid", .optional(result.request?.processIdentifier)), ("duration", .optional(duration)),
            ("original", JSON.content(result.original)),
            ("shown", result.shown.map(JSON.content) ?? .null),
            ("remarks", .array(result.remarks.map { .string($0) })),
        ]
        let isUsual = result.reason == nil || result.reason == .notMutable
        return PointReport(text: text, json: json, status: isUsual ? 0 : ExitStatus.notExpected)
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

    private static func fields(
        _ before: NotificationContent, _ after: NotificationContent
    ) -> [(name: String, before: String, after: String)] {
        zip(before.fields, after.fields).map { ($0.name, Self.words($0.value), Self.words($1.value)) }
    }

    private static func words(_ value: JSON) -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        default: value.line
        }
    }
}

extension NotificationContent {
    /// The properties, each under its name.
    fileprivate var fields: [(name: String, value: JSON)] {
        func text(_ text: String?) -> JSON { text.map { $0.isEmpty ? .null : .string($0) } ?? .null }
        let sound = sound.map {
            $0 + (soundIsCritical == true ? ", critical" : "") + (soundVolume.map { ", volume \($0)" } ?? "")
        }
        return [
            ("title", text(title)), ("subtitle", text(subtitle)), ("body", text(body)), ("badge", .optional(badge)),
            ("sound", text(sound)), ("category", text(category)), ("thread", text(thread)),
            ("launchImage", text(launchImage)), ("summaryArgument", text(summaryArgument)),
            ("summaryArgumentCount", .optional(summaryArgumentCount)), ("targetContent", text(targetContent)),
            ("interruptionLevel", text(interruption?.rawValue)), ("relevanceScore", .optional(relevance)),
            ("filterCriteria", text(filterCriteria)),
            ("attachments", text(attachments.map { "\($0.fileName) (\($0.type))" }.joined(separator: ", "))),
        ]
    }
}

extension JSON {
    /// The content of a notification. Properties without a value are left out.
    static func content(_ content: NotificationContent) -> JSON {
        .object(content.fields.filter { if case .null = $0.value { false } else { true } })
    }
}
