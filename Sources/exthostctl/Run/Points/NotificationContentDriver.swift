// NotificationContentDriver: `run` for the view of a notification: the view, and a person's choice of a button.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import PointMessages
import Scenarios

struct NotificationContentDriver: PointDriver {
    static let point = NotificationContentHost.point
    static let showsView = true
    static let takesText = true
    static let sharedOptions: Set<String> = ["--push", "--action"]

    /// A notification is shown and closed once, and a person may choose its button at any time between.
    static let exploredCalls: [ExplorationCall] = {
        var content = NotificationContent()
        (content.title, content.body) = ("Title", "Body")
        let message = ShowNotification(
            identifier: "explored", content: content, date: 0,
            actions: [NotificationAction(identifier: "explored", title: "Explored")], width: 375, height: 375)
        return [
            ExplorationCall(message),
            ExplorationCall(RespondToNotification(action: "explored", notification: "explored"), after: [1]),
            ExplorationCall(LookAtNotification(), after: [1]),
            ExplorationCall(CloseNotification(), after: [1], isLast: true),
        ]
    }()

    static var exploredHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(ChangeNotificationActions.self) { _, _ in Nothing() }
        handlers.on(NotificationMediaState.self) { _, _ in Nothing() }
        handlers.on(LeaveNotification.self) { _, _ in Nothing() }
        return handlers
    }

    private let payload: Data?
    /// The app around an extension that is registered for this command.
    private let app: String?
    private let action: String?
    private let text: String?
    private let isInteractive: Bool
    private let acts: [SheetAct]
    private let console: RunConsole

    /// The time that an act waits for its element.
    private static let patience = Duration.seconds(10)

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        app = NotificationDriver.app(of: path)
        payload = try options.push.map { try InputFile($0).data() }
        action = options.action
        text = command.payload.text.first
        isInteractive = command.interactive
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
        guard text == nil || action != nil else {
            throw CommandError.usage("--text has the words for a button", remedy: "Name the button with --action")
        }
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let contents = NotificationContentHost(host)
        var (content, remarks) = (NotificationContent(), [String]())
        if let payload {
            (content, remarks) = try await NotificationHost(host, app: app).content(of: payload, for: identifier)
        } else {
            (content.title, content.body) = ("Title", "Body")
            content.category = try await contents.declaration(of: identifier).categories.first ?? ""
        }
        // The app would have registered this button with the category.
        let offered = action.map { action in
            NotificationAction(identifier: action, title: action, textButton: text == nil ? nil : "Send")
        }
        let session = try await contents.show(content, with: identifier, actions: offered.map { [$0] } ?? [])
        let pid = session.request.processIdentifier
        console.line("shown: \(printable(identifier))" + (pid.map { ", pid \($0)" } ?? ""))
        var answer: RespondToNotification.Answer?
        var failure: ExtensionHostError?
        do { answer = try await use(session) } catch let error as ExtensionHostError { failure = error }
        // A view that has ended by itself keeps its last height.
        if failure == nil { _ = try? await session.refresh() }
        let (actions, shown, view) = (session.actions, session.shown, session.view)
        if answer == nil || answer == .stay { await session.dismiss() }
        let ending = await session.ending
        var (word, why, status) = (ending.result.word, ending.result.why, ending.status)
        if let failure, status == 0 { (word, why, status) = (.failed, "\(failure)", ExitStatus.notExpected) }
        var lines = ["\(word.rawValue): \(printable(identifier))"]
        if let why { lines.append("  " + printable(why)) }
        if let answer { lines.append("  answer to \(printable(action ?? "")): \(answer.rawValue)") }
        let height = shown.height == shown.height.rounded() ? "\(Int(shown.height))" : "\(shown.height)"
        lines.append("  \(height) points high, media button: \(shown.media.rawValue)")
        if !actions.isEmpty {
            lines.append("  buttons: " + actions.map { printable($0.title) }.joined(separator: " · "))
        }
        for remark in remarks { lines.append("  remark: \(printable(remark))") }
        return PointReport(
            text: lines.joined(separator: "\n") + "\n",
            json: [
                ("extension", .string(identifier)), ("result", .string(word.rawValue)),
                ("answer", .optional(answer?.rawValue)), ("pid", .optional(pid)), ("height", .real(shown.height)),
                ("media", .string(shown.media.rawValue)),
                (
                    "actions",
                    .array(actions.map { ["identifier": .string($0.identifier), "title": .string($0.title)] })
                ),
                ("view", view.map(\.json) ?? .null), ("remarks", .array(remarks.map { .string($0) })),
            ] + ending.members, status: status)
    }

    /// Lets a person, or the acts and the button of the command line, use the notification.
    private func use(_ session: NotificationContentSession) async throws -> RespondToNotification.Answer? {
        if let view = await session.request.view(where: { _ in true }) { console.line(TerminalSheet.text(of: view)) }
        if !session.declaration.takesActions, let act = acts.first {
            // The extension refuses it, and says why.
            try await session.use(act.action)
        }
        for act in acts { try await session.request.use(act.action, patience: Self.patience) }
        if let action { return try await session.respond(action, text: text) }
        guard isInteractive else { return nil }
        let talk = Task { await converse(session) }
        // The notification may go before the person does.
        Task {
            _ = await session.ending
            talk.cancel()
        }
        await withTaskCancellationHandler {
            await talk.value
        } onCancel: {
            talk.cancel()
        }
        return nil
    }

    /// Reads lines until `close` or the end of input: acts on the view, buttons of the notification, and `media`.
    private func converse(_ session: NotificationContentSession) async {
        let help = "tap NAME · respond ID [WORDS] · media · close"
        console.line("exthostctl: \(help)")
        for await line in TerminalSheet.standardInput() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let rest = words.count > 1 ? words[1] : ""
            do {
                switch words.first {
                case "close": return
                case "media": try await session.pressMediaButton()
                case "respond":
                    let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
                    let answer = try await session.respond(parts.first ?? "", text: parts.count > 1 ? parts[1] : nil)
                    console.line("answer: \(answer.rawValue)")
                    if answer != .stay { return }
                case let verb?:
                    guard let act = SheetAct(verb: verb, rest: rest) else {
                        console.line("exthostctl: “\(printable(line))” is not an act: \(help)")
                        continue
                    }
                    try await session.use(act.action)
                case nil: break
                }
                if let view = session.view { console.line(TerminalSheet.text(of: view)) }
            } catch {
                console.line("exthostctl: \(printable("\(error)"))")
            }
        }
    }
}

extension NotificationContentSession.Ending {
    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch self {
        case .dismissed: (.dismissed, nil)
        case .forwarded(let action, let text):
            (.forwarded, action == NotificationContentSession.defaultAction ? "the app opens" : text ?? action)
        case .ended(let error): (.ended, "\(error)")
        }
    }

    /// The exit status of `run`.
    var status: Int32 { if case .ended = self { OutcomeKind.interrupted.exitStatus } else { 0 } }

    /// The members of the JSON document.
    var members: [(name: String, value: JSON)] {
        switch self {
        case .dismissed: []
        case .forwarded(let action, let text): [("action", .string(action)), ("text", .optional(text))]
        case .ended(let error): [("reason", .string("\(error.code)")), ("error", .string("\(error)"))]
        }
    }
}
