// TodayDriver: `run` for a Today widget: an update and its picture, or the live view.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPoints
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import Scenarios

struct TodayDriver: PointDriver {
    static let point = "com.apple.widget-extension"
    static let showsView = true

    /// The view is shown and removed once, and the widget is updated and enlarged at any time.
    static let exploredCalls: [ExplorationCall] = {
        let layout = TodayHost.Layout.modes
        return [
            ExplorationCall(
                TodaySettings(
                    width: layout.width, compactHeight: layout.compactHeight, largestHeight: layout.largestHeight,
                    mode: .compact, margins: nil)),
            ExplorationCall(TodayAppear(), after: [1]),
            ExplorationCall(TodayUpdate(), after: [1]),
            ExplorationCall(TodayModeChange(.expanded), after: [2]),
            ExplorationCall(TodayDisappear(), after: [2]),
            ExplorationCall(TodayEnd(), after: [1], isLast: true),
        ]
    }()

    static var exploredHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(TodayLargestMode.self) { _, _ in Nothing() }
        return handlers
    }

    private let opens: Bool
    private let isInteractive: Bool
    private let layout: TodayHost.Layout
    private let acts: [SheetAct]
    private let console: RunConsole

    /// The time that an act waits for its element.
    private static let patience = Duration.seconds(10)

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        opens = options.open || command.interactive || !command.view.tap.isEmpty || !command.view.act.isEmpty
        isInteractive = command.interactive
        let profile = options.profile ?? "ios-15"
        guard PlatformProfile.named(profile) != nil else {
            throw CommandError.usage(
                "there is no profile \(profile)", remedy: "exthostctl show --profile lists the profiles")
        }
        layout = .of(profile: profile)
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let today = TodayHost(host, layout: layout)
        let update = try await today.update(identifier)
        let result = update.result?.rawValue ?? "without content, not asked"
        var lines = ["\(result): \(printable(identifier))"]
        if let error = update.error { lines.append("  " + printable("\(error)")) }
        // A widget without the method for updates has a picture of its first appearance only.
        if opens || (update.result == .notWritten && update.snapshot == nil) {
            try await today.open(identifier)
            try await use(identifier, today)
            try await today.close(identifier)
        }
        let picture = await today.snapshot(identifier)
        if let picture {
            let note = (picture.isClipped ? ", clipped" : "") + (picture.isStale ? ", stale" : "")
            lines.append("picture, \(written(points: picture.height)) points high\(note), digest \(picture.digest)")
            lines.append(TerminalSheet.text(of: picture.view))
        } else {
            lines.append("no picture")
        }
        let json: [(name: String, value: JSON)] = [
            ("extension", .string(identifier)), ("result", .string(result)),
            ("error", .optional(update.error.map { "\($0)" })), ("height", .optional(picture?.height)),
            ("clipped", .boolean(picture?.isClipped ?? false)), ("stale", .boolean(picture?.isStale ?? false)),
            ("digest", .optional(picture?.digest)), ("view", picture.map { $0.view.json } ?? .null),
        ]
        var status: Int32 = 0
        if update.result == .failed {
            status =
                update.error?.code == .interrupted ? OutcomeKind.interrupted.exitStatus : ExitStatus.notExpected
        }
        return PointReport(text: lines.joined(separator: "\n") + "\n", json: json, status: status)
    }

    /// Lets a person, or the acts of the command line, use the live view.
    private func use(_ identifier: String, _ today: TodayHost) async throws {
        guard opens, let request = await today.request(identifier) else { return }
        let view = await request.view { _ in true }
        guard !isInteractive else {
            let talk = Task { await converse(identifier, today, request) }
            // The widget may end before the person does.
            Task {
                _ = await request.outcome
                talk.cancel()
            }
            return await withTaskCancellationHandler {
                await talk.value
            } onCancel: {
                talk.cancel()
            }
        }
        if let view { console.line(TerminalSheet.text(of: view)) }
        for act in acts { try await request.use(act.action, patience: Self.patience) }
    }

    /// Reads lines until `close` or the end of input: acts on the view, and `more` and `less` for the display mode.
    private func converse(_ identifier: String, _ today: TodayHost, _ request: ExtensionRequest) async {
        console.line("exthostctl: tap NAME · more · less · close")
        if let view = request.view { console.line(TerminalSheet.text(of: view)) }
        for await line in TerminalSheet.standardInput() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            do {
                switch words.first {
                case "close": return
                case "more", "less":
                    let mode: TodayMode = words[0] == "more" ? .expanded : .compact
                    if await today.modes(identifier).active != mode { try await today.toggle(identifier) }
                case let verb?:
                    guard let act = SheetAct(verb: verb, rest: words.count > 1 ? words[1] : "") else {
                        console.line("exthostctl: “\(printable(line))” is not an act: tap NAME · more · less · close")
                        continue
                    }
                    try await request.use(act.action)
                case nil: break
                }
                if let view = request.view { console.line(TerminalSheet.text(of: view)) }
            } catch {
                console.line("exthostctl: \(printable("\(error)"))")
            }
        }
    }

    private func written(points: Double) -> String {
        points == points.rounded() ? "\(Int(points))" : "\(points)"
    }
}

extension ViewElement {
    /// The element as JSON. Members with their usual value are left out.
    var json: JSON {
        var members: [(name: String, value: JSON)] = [("kind", .string(kind.rawValue))]
        for (name, value) in [("name", name), ("title", title), ("text", text), ("placeholder", placeholder)] {
            if let value { members.append((name, .string(value))) }
        }
        if !isEnabled { members.append(("enabled", .boolean(false))) }
        if isSelected { members.append(("selected", .boolean(true))) }
        if !children.isEmpty { members.append(("children", .array(children.map(\.json)))) }
        return .object(members)
    }
}
