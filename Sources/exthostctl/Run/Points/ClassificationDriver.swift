// ClassificationDriver: `run` for a reporting extension: the view, a person's choice, and the report.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import PointMessages
import Scenarios

struct ClassificationDriver: PointDriver {
    static let point = ClassificationHost.point
    static let showsView = true
    static let sharedOptions: Set<String> = ["--message", "--from"]

    static let exploredCalls: [ExplorationCall] = [
        ExplorationCall(
            PrepareClassification(.message, [ReportedCommunication(sender: usualSender, date: 0, body: usualText)])),
        ExplorationCall(ClassifyCommunications(), after: [1]),
        ExplorationCall(EndClassification(), after: [1], isLast: true),
    ]

    static var exploredHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(ChangeClassificationReadiness.self) { _, _ in Nothing() }
        return handlers
    }

    /// The message of a run without `--message`, and its sender.
    private static let (usualText, usualSender) = ("You have won a prize", "+15555550123")
    /// The time that an act waits for its element, and Done for its button.
    private static let patience = Duration.seconds(10)

    private let subject: ClassificationHost.Subject
    private let pressesDone: Bool
    private let isInteractive: Bool
    private let acts: [SheetAct]
    private let console: RunConsole

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        guard !command.messages.call || options.message.isEmpty else {
            throw CommandError.usage("a report is about messages or about calls", remedy: "Omit --message or --call")
        }
        let sender = command.messages.sender ?? Self.usualSender
        subject =
            command.messages.call
            ? .call(from: sender)
            : .messages(options.message.isEmpty ? [Self.usualText] : options.message, from: sender)
        pressesDone = command.messages.done
        isInteractive = command.interactive
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let session = try await ClassificationHost.pretending(host).begin(subject, with: identifier)
        let pid = session.request.processIdentifier
        console.line("shown: \(printable(identifier))" + (pid.map { ", pid \($0)" } ?? ""))
        var failure: ExtensionHostError?
        do { try await use(session) } catch let error as ExtensionHostError { failure = error }
        let (isReady, view) = (session.isReady, session.view)
        await session.cancel()
        let ending = await session.ending
        var (result, status) = (ending.result, ending.status)
        if let failure, status == 0 || ending.isCancelled {
            (result, status) = ((failure.reportEnd.word, "\(failure)"), failure.reportEnd.status)
        } else if ending.isCancelled {
            // A run without Done only looks at the view.
            status = 0
        }
        var lines = ["\(result.word.rawValue): \(printable(identifier))"]
        if let why = result.why { lines.append("  " + printable(why)) }
        lines += ending.lines.map { "  " + printable($0) }
        if case .cancelled = ending { lines.append("  Done is \(isReady ? "enabled" : "disabled")") }
        return PointReport(
            text: lines.joined(separator: "\n") + "\n",
            json: [
                ("extension", .string(identifier)), ("result", .string(result.word.rawValue)), ("pid", .optional(pid)),
                ("ready", .boolean(isReady)), ("view", view.map(\.json) ?? .null), ("why", .optional(result.why)),
            ] + ending.members, status: status)
    }

    /// Lets a person, or the acts of the command line, use the view.
    private func use(_ session: ClassificationSession) async throws {
        if let view = await session.request.view(where: { _ in true }) { console.line(TerminalSheet.text(of: view)) }
        for act in acts { try await session.request.use(act.action, patience: Self.patience) }
        if pressesDone {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = await session.waitUntilReady() }
                group.addTask { try? await Task.sleep(for: Self.patience) }
                await group.next()
                group.cancelAll()
            }
            try await session.done()
        } else if isInteractive {
            let talk = Task { await converse(session) }
            // The report may end before the person does.
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
    }

    /// Reads lines until `done`, `cancel` or the end of input.
    private func converse(_ session: ClassificationSession) async {
        let help = "tap NAME · done · cancel"
        console.line("exthostctl: \(help)")
        for await line in TerminalSheet.standardInput() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            do {
                switch words.first {
                case "cancel": return
                case "done":
                    try await session.done()
                    return
                case let verb?:
                    guard let act = SheetAct(verb: verb, rest: words.count > 1 ? words[1] : "") else {
                        console.line("exthostctl: “\(printable(line))” is not an act: \(help)")
                        continue
                    }
                    try await session.use(act.action)
                case nil: break
                }
                if let view = session.view { console.line(TerminalSheet.text(of: view)) }
            } catch {
                console.line("exthostctl: \(printable("\(error)"))")
                if !session.request.isOpen { return }
            }
        }
    }
}

extension ClassificationHost {
    /// A host whose server answers each report with the status 200, and whose person sends each message.
    static func pretending(_ host: HostApplication) -> ClassificationHost {
        ClassificationHost(host, server: MessageServer(body: Data()), composer: ReportComposer { _ in true })
    }
}

extension ClassificationHost.Subject {
    /// The date of a pretended communication, which is the same in each run.
    private static let date = 1_700_000_000.0

    static func messages(_ texts: [String], from sender: String?) -> Self {
        .messages(
            texts.enumerated().map {
                ReportedCommunication(sender: sender, date: date + Double($0), body: $1)
            })
    }

    static func call(from sender: String?) -> Self { .calls([ReportedCommunication(sender: sender, date: date)]) }
}

extension ExtensionHostError {
    /// The result of a report that ends so, in a scenario's word, and the exit status of `run`.
    var reportEnd: (word: PointResult, status: Int32) {
        switch code {
        case .interrupted: (.ended, OutcomeKind.interrupted.exitStatus)
        case .timedOut: (.timedOut, OutcomeKind.timedOut.exitStatus)
        case .notPermitted: (.refused, ExitStatus.notExpected)
        default: (.failed, ExitStatus.notExpected)
        }
    }
}

extension ClassificationSession.Ending {
    var isCancelled: Bool { if case .cancelled = self { true } else { false } }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch self {
        case .cancelled: (.cancelled, nil)
        case .ended(let error): (error.reportEnd.word, "\(error)")
        case .answered(let report):
            switch report.delivery {
            case .none: (.nothing, nil)
            case .sent: (.reported, nil)
            case .posted(let status):
                report.isDelivered ? (.reported, nil) : (.failed, "the server answers with the status \(status)")
            case .discarded: (.failed, "the person has not sent the message")
            case .failed(let words): (.failed, words)
            }
        }
    }

    /// The exit status of `run`.
    var status: Int32 {
        switch self {
        case .cancelled: OutcomeKind.cancelled.exitStatus
        case .ended(let error): error.reportEnd.status
        case .answered(let report): report.isDelivered ? 0 : ExitStatus.notExpected
        }
    }

    var lines: [String] {
        guard case .answered(let report) = self else { return [] }
        var lines = ["action: \(report.action.rawValue)"]
        if let question = report.question {
            lines.append("POST \(question.url.absoluteString): \(String(decoding: question.body, as: UTF8.self))")
        }
        if let message = report.message { lines.append("message to \(message.number): \(message.text)") }
        if !report.blockedSenders.isEmpty {
            lines.append("blocked: \(report.blockedSenders.joined(separator: ", "))")
        }
        return lines
    }

    /// The members of the JSON document.
    var members: [(name: String, value: JSON)] {
        switch self {
        case .cancelled: []
        case .ended(let error): [("reason", .string("\(error.code)")), ("error", .string("\(error)"))]
        case .answered(let report):
            [
                ("action", .string(report.action.rawValue)), ("userString", .optional(report.userString)),
                ("userInfo", .optional(report.userInfo.map { String(decoding: $0, as: UTF8.self) })),
                ("url", .optional(report.question?.url.absoluteString)),
                ("report", .optional(report.question.map { String(decoding: $0.body, as: UTF8.self) })),
                ("number", .optional(report.message?.number)), ("text", .optional(report.message?.text)),
                ("status", .optional(report.status)), ("delivered", .boolean(report.isDelivered)),
                ("blockedSenders", .array(report.blockedSenders.map { .string($0) })),
            ]
        }
    }
}

extension ClassificationReport {
    /// The status of the server's answer.
    fileprivate var status: Int? { if case .posted(let status) = delivery { status } else { nil } }
}
