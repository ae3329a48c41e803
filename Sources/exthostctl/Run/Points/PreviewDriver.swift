// PreviewDriver: `run` for a preview extension: the view or the data that it shows of a file or item.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import LinuxDescriptors
import PointHosts
import PointMessages
import Scenarios

struct PreviewDriver: PointDriver {
    static let point = PreviewHost.point
    static let showsView = true
    static let takesFile = true
    static let sharedOptions: Set<String> = ["--out", "--type", "--identifier", "--search"]

    static var exploredCalls: [ExplorationCall] {
        get throws {
            [
                ExplorationCall(PreparePreview(fileName: "explored.txt", file: try ExploredFile.make())),
                ExplorationCall(EndPreview(), after: [1], isLast: true),
            ]
        }
    }

    private let subject: PreviewHost.Subject
    private let out: String?
    private let isInteractive: Bool
    private let acts: [SheetAct]
    private let console: RunConsole

    /// The time that an act waits for its element.
    private static let patience = Duration.seconds(10)

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        switch (command.payload.file.first, options.items.first) {
        case (let file?, nil): subject = .file(file, type: options.type)
        case (nil, let item?) where options.items.count == 1: subject = .item(item, query: options.search)
        default:
            throw CommandError.usage(
                "a preview is that of one file or item", remedy: "Name a file with --file, or an item with --identifier"
            )
        }
        out = options.out
        isInteractive = command.interactive
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let ending: PreviewEnding
        do {
            let session = try await PreviewHost(host).begin(subject, with: identifier)
            let pid = session.request.processIdentifier
            console.line("shown: \(printable(identifier))" + (pid.map { ", pid \($0)" } ?? ""))
            try await use(session)
            if let out, let content = session.content { try WrittenFile.write(content.main.data, to: out) }
            ending = await PreviewEnding(ending: session)
        } catch let fault as PreviewFault {
            ending = PreviewEnding(fault)
        }
        var lines = ["\(ending.result.word.rawValue): \(printable(identifier))"]
        if let why = ending.result.why { lines.append("  \(printable(why))") }
        lines += ending.lines.map { "  \(printable($0))" }
        return PointReport(
            text: lines.joined(separator: "\n") + "\n",
            json: [("extension", .string(identifier))] + ending.members, status: ending.status)
    }

    /// Lets a person, or the acts of the command line, use the view.
    private func use(_ session: PreviewSession) async throws {
        guard session.content == nil else { return }
        if let view = await session.request.view(where: { _ in true }) { console.line(TerminalSheet.text(of: view)) }
        for act in acts { try await session.request.use(act.action, patience: Self.patience) }
        guard isInteractive else { return }
        TerminalSheet(request: session.request, console: console).start()
        _ = await session.request.outcome
    }
}

/// The end of a preview, for people, for `--json` and for scenarios.
struct PreviewEnding: Sendable {
    let result: (word: PointResult, why: String?)
    private let type: String?
    private let content: PreviewHost.Content?
    private let view: ViewElement?
    private let request: ExtensionRequest?
    /// The outcome of a request that did not end as the host wanted.
    private let cause: Cause?

    /// The state of an open preview.
    init(_ session: PreviewSession) {
        (result, cause) = ((.opened, nil), nil)
        (type, content, view, request) = (session.type, session.content, session.view, session.request)
    }

    /// Ends a preview, and tells how it went.
    init(ending session: PreviewSession) async {
        (type, content, view, request) = (session.type, session.content, session.view, session.request)
        await session.end()
        let outcome = await session.request.outcome
        if case .completed = outcome {
            (result, cause) = ((.opened, nil), nil)
        } else {
            (result, cause) = ((.ended, "the request ended (\(outcome.cause.rawValue))"), outcome.cause)
        }
    }

    init(_ fault: PreviewFault) {
        (content, view) = (nil, nil)
        switch fault {
        case .typeNotSupported(let type):
            (result, self.type, request, cause) = ((.refused, "\(fault)"), type, nil, nil)
        case .noItems: (result, type, request, cause) = ((.refused, "\(fault)"), nil, nil, nil)
        case .failed(let failure, let request):
            (result, type, self.request) = ((failure.word, "\(failure)"), nil, request)
            if case .interrupted(let cause) = failure { self.cause = cause } else { cause = nil }
        }
    }

    var status: Int32 {
        if let cause { return cause.outcome.exitStatus }
        return result.word == .opened ? 0 : ExitStatus.notExpected
    }

    /// The longest text that is shown, in bytes.
    private static let shownBytes = 2000

    /// The beginning of a text.
    private var text: String? {
        guard let main = content?.main, main.type.hasSuffix("text") || main.type == "public.html",
            main.size > 0
        else { return nil }
        // The descriptor is read from its start, as often as it is shown.
        var bytes = [UInt8](repeating: 0, count: min(main.size, Self.shownBytes))
        let count = (try? bytes.withUnsafeMutableBytes { try readFile(main.data.raw, into: $0) }) ?? 0
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    var lines: [String] {
        guard let content else { return type.map { ["type: \($0)"] } ?? [] }
        var lines = ["\(content.main.size) bytes of \(content.main.type)"]
        if !content.title.isEmpty { lines.append("title: \(content.title)") }
        if let size = content.size { lines.append("size: \(size.width) × \(size.height) points") }
        for (name, piece) in content.attachments.sorted(by: { $0.key < $1.key }) {
            lines.append("attachment \(name): \(piece.size) bytes of \(piece.type)")
        }
        if let text { lines += text.split(separator: "\n").map(String.init) }
        return lines
    }

    var members: [(name: String, value: JSON)] {
        var shown: JSON = .null
        if let content {
            shown = [
                "type": .string(content.main.type), "bytes": .integer(content.main.size),
                "title": .string(content.title), "text": .optional(text),
                "width": .optional((content.size?.width).map { Double($0) }),
                "height": .optional((content.size?.height).map { Double($0) }),
                "attachments": .object(
                    content.attachments.sorted { $0.key < $1.key }.map {
                        ($0.key, ["type": .string($0.value.type), "bytes": .integer($0.value.size)])
                    }),
            ]
        }
        return [
            ("outcome", .string(result.word.rawValue)), ("reason", .optional(result.why)),
            ("pid", .optional(request?.processIdentifier)), ("type", .optional(type)), ("content", shown),
            ("view", view.map(\.json) ?? .null),
        ]
    }
}
