// MessagesAppDriver: `run` for an iMessage app: its view, the input field and the transcript.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import PointMessages
import Scenarios

struct MessagesAppDriver: PointDriver {
    static let point = MessagesAppHost.point
    static let showsView = true

    /// An app is opened and closed once, and everything else happens between.
    static let exploredCalls: [ExplorationCall] = {
        let (local, remote) = (UUID().uuidString, UUID().uuidString)
        let view = PayloadView(style: .compact, width: 375, height: 260)
        var message = PayloadMessage(identifier: "explored", sender: remote, isPending: false)
        message.url = "https://example.org/"
        return [
            ExplorationCall(OpenPayloadApp(view: view, isMedia: false, local: local, remotes: [remote])),
            ExplorationCall(ReceivePayload(message), after: [0]),
            ExplorationCall(SelectPayload(message), after: [0]),
            ExplorationCall(
                TransitPayloadApp(PayloadView(style: .expanded, width: 375, height: 616)), after: [0]),
            ExplorationCall(ClosePayloadApp(), after: [0], isLast: true),
        ]
    }()

    static var exploredHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(InsertPayload.self) { _, _ in PayloadItemReply() }
        handlers.on(SendPayload.self) { _, _ in PayloadItemReply() }
        handlers.on(RequestPayloadStyle.self) { _, _ in Nothing() }
        handlers.on(DismissPayloadApp.self) { _, _ in Nothing() }
        return handlers
    }

    private let options: MessagesAppOptions
    private let style: PayloadStyle?
    private let isInteractive: Bool
    private let acts: [SheetAct]
    private let console: RunConsole

    /// The time that an act waits for its element.
    private static let patience = Duration.seconds(10)

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        self.options = command.conversations
        style = try command.conversations.style.map { word in
            guard let style = PayloadStyle(rawValue: word), style != .unrecognized else {
                throw CommandError.usage("“\(word)” is no style", remedy: "Write compact, expanded or transcript")
            }
            return style
        }
        guard [nil, "send", "cancel"].contains(command.conversations.field) else {
            throw CommandError.usage("--field sends or cancels", remedy: "Write --field send, or --field cancel")
        }
        isInteractive = command.interactive
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let conversation = MessagesConversation()
        let selected = options.select.map { url in
            conversation.receive(MessagesMessage(url: url, session: UUID(), isLive: style == .transcript))
        }
        let session = try await MessagesAppHost(host).open(
            identifier, in: conversation, style: style, selecting: selected?.number, isMedia: options.overMedia)
        let pid = session.request.processIdentifier
        console.line("shown: \(printable(identifier))" + (pid.map { ", pid \($0)" } ?? ""))
        var failure: ExtensionHostError?
        do { try await use(session) } catch let error as ExtensionHostError { failure = error }
        await session.settle()
        await session.close()
        let ending = await MessagesAppEnding(session, failure)
        var lines = ["\(ending.result.word.rawValue): \(printable(identifier))"]
        if let why = ending.result.why { lines.append("  " + printable(why)) }
        lines += ending.lines.map { "  \(printable($0))" }
        return PointReport(
            text: lines.joined(separator: "\n") + "\n",
            json: [("extension", .string(identifier)), ("pid", .optional(pid))] + ending.members,
            status: ending.status)
    }

    /// Lets a person, or the acts of the command line, use the app.
    private func use(_ session: MessagesAppSession) async throws {
        if let view = await session.request.view(where: { _ in true }) { console.line(TerminalSheet.text(of: view)) }
        for url in options.incoming { try await session.receive(MessagesMessage(url: url, session: UUID())) }
        for act in acts {
            try await session.request.use(act.action, patience: Self.patience)
            await session.settle()
        }
        switch options.field {
        case "send": try await session.send()
        case "cancel": try await session.cancelSending()
        default: break
        }
        guard isInteractive else { return }
        let talk = Task { await converse(session) }
        // The app may go before the person does.
        Task {
            _ = await session.ending
            talk.cancel()
        }
        await withTaskCancellationHandler {
            await talk.value
        } onCancel: {
            talk.cancel()
        }
    }

    /// Reads lines until `close` or the end of input.
    private func converse(_ session: MessagesAppSession) async {
        let help = "tap NAME · send · cancel · select NUMBER · incoming URL · compact · expanded · close"
        console.line("exthostctl: \(help)")
        for await line in TerminalSheet.standardInput() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let rest = words.count > 1 ? words[1] : ""
            do {
                switch words.first {
                case "close": return
                case "send": try await session.send()
                case "cancel": try await session.cancelSending()
                case "select": try await session.select(Int(rest) ?? 0)
                case "incoming": try await session.receive(MessagesMessage(url: rest, session: UUID()))
                case "compact": try await session.transition(to: .compact)
                case "expanded": try await session.transition(to: .expanded)
                case let verb?:
                    guard let act = SheetAct(verb: verb, rest: rest) else {
                        console.line("exthostctl: “\(printable(line))” is not an act: \(help)")
                        continue
                    }
                    try await session.use(act.action)
                case nil: break
                }
                if let view = session.view { console.line(TerminalSheet.text(of: view)) }
                for line in MessagesAppEnding.lines(of: session) { console.line(printable(line)) }
            } catch {
                console.line("exthostctl: \(printable("\(error)"))")
            }
        }
    }
}

/// The state or the end of an iMessage app, for people, for `--json` and for scenarios.
struct MessagesAppEnding: Sendable {
    let result: (word: PointResult, why: String?)
    let status: Int32
    private let session: MessagesAppSession?

    /// The state of an open app.
    init(_ session: MessagesAppSession) {
        (result, status, self.session) = ((.opened, nil), 0, session)
    }

    /// The failure of something that the person did, such as the opening, in which case there is no session.
    init(_ error: ExtensionHostError, _ session: MessagesAppSession?) {
        let word: PointResult = error.code == .timedOut ? .timedOut : Self.ends(error) ? .ended : .failed
        (result, status, self.session) = ((word, "\(error)"), ExitStatus.notExpected, session)
    }

    /// Whether an error is the end of a session.
    static func ends(_ error: ExtensionHostError) -> Bool {
        [.timedOut, .contextFinished, .noSuchRequest, .interrupted].contains(error.code)
    }

    /// Waits for the end.
    ///
    /// - Parameters:
    ///   - session: the session.
    ///   - failure: the failure of something that the person did.
    init(_ session: MessagesAppSession, _ failure: ExtensionHostError?) async {
        self.session = session
        switch await session.ending {
        case .ended(let error):
            result = (error.code == .timedOut ? .timedOut : .ended, "\(error)")
            status = OutcomeKind.interrupted.exitStatus
        case .closed, .dismissed:
            guard let failure else {
                (result, status) = ((await session.ending == .closed ? .opened : .dismissed, nil), 0)
                return
            }
            (result, status) = ((.failed, "\(failure)"), ExitStatus.notExpected)
        }
    }

    var lines: [String] { session.map(Self.lines) ?? [] }

    static func lines(of session: MessagesAppSession) -> [String] {
        let (shown, conversation) = (session.shown, session.conversation)
        var lines = ["\(shown.style.rawValue), \(number(shown.width)) × \(number(shown.height)) points"]
        if let style = session.requestedStyle { lines.append("asked for: \(style.rawValue)") }
        let field = conversation.field
        if let message = field.message { lines.append("input field: \(describe(.message(message)))") }
        lines += field.items.map { "input field: \(describe($0))" }
        if !field.text.isEmpty { lines.append("input field: “\(field.text)”") }
        lines += conversation.transcript.map { entry in
            let sender = entry.sender == conversation.local ? "me" : "other"
            return "\(entry.number). \(sender): \(describe(entry.content))"
        }
        return lines
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    private static func describe(_ content: MessagesContent) -> String {
        switch content {
        case .message(let message):
            let texts = MessagesLayout.names.compactMap { message.layout?.texts[$0] }.map { "“\($0)”" }
            let media = message.layout?.media.map { ["\($0.size) bytes"] } ?? []
            return (["message"] + texts + media + [message.url ?? "no URL"]).joined(separator: ", ")
        case .sticker(let media, let description): return "sticker “\(description)”, \(media.size) bytes"
        case .text(let text): return "“\(text)”"
        case .attachment(let media): return "file \(media.fileName), \(media.size) bytes"
        case .summary(let text): return "summary “\(text)”"
        }
    }

    var members: [(name: String, value: JSON)] {
        let outcome: [(name: String, value: JSON)] = [
            ("outcome", .string(result.word.rawValue)), ("reason", .optional(result.why)),
        ]
        guard let session else { return outcome }
        let (shown, conversation) = (session.shown, session.conversation)
        let field = conversation.field
        return outcome + [
            ("style", .string(shown.style.rawValue)), ("width", .real(shown.width)), ("height", .real(shown.height)),
            ("requestedStyle", .optional(session.requestedStyle?.rawValue)),
            (
                "field",
                [
                    "text": .string(field.text), "message": field.message.map { Self.json(.message($0)) } ?? .null,
                    "items": .array(field.items.map(Self.json)),
                ]
            ),
            (
                "transcript",
                .array(
                    conversation.transcript.map { entry in
                        [
                            "number": .integer(entry.number), "mine": .boolean(entry.sender == conversation.local),
                            "content": Self.json(entry.content),
                        ]
                    })
            ),
            ("view", session.view.map(\.json) ?? .null),
        ]
    }

    private static func json(_ content: MessagesContent) -> JSON {
        switch content {
        case .message(let message):
            return [
                "kind": "message", "url": .optional(message.url), "summary": .optional(message.summary),
                "session": .optional(message.session?.uuidString),
                "texts": .object(
                    MessagesLayout.names.compactMap { name in
                        message.layout?.texts[name].map { (name, .string($0)) }
                    }),
                "bytes": .optional(message.layout?.media?.size), "live": .boolean(message.layout?.isLive == true),
            ]
        case .sticker(let media, let description):
            return ["kind": "sticker", "description": .string(description), "bytes": .integer(media.size)]
        case .text(let text): return ["kind": "text", "text": .string(text)]
        case .attachment(let media):
            return ["kind": "attachment", "name": .string(media.fileName), "bytes": .integer(media.size)]
        case .summary(let text): return ["kind": "summary", "text": .string(text)]
        }
    }
}
