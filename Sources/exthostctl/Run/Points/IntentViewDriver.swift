// IntentViewDriver: `run` for an intents extension with interface: the views of an intent, and what each displays.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import PointMessages
import Scenarios

struct IntentViewDriver: PointDriver {
    static let point = IntentViewHost.point
    static let showsView = true
    static let sharedOptions: Set<String> = ["--intent", "--param", "--reply", "--locked"]

    /// A view is configured once, and closed.
    static let exploredCalls: [ExplorationCall] = {
        let intent = IntentDescription(
            "INSendMessageIntent", identifier: "explored", values: ["content": .text("Hello")])
        let interaction = IntentInteraction(identifier: "explored", intent, nil, start: 0, end: 0)
        return [
            ExplorationCall(DescribeInteraction("INSendMessageIntent")),
            ExplorationCall(
                ConfigureIntentView(
                    [], of: interaction, all: [], behavior: .none, place: .siri, least: .init(320, 44),
                    most: .init(375, 600))),
            ExplorationCall(EndIntentView(), after: [1, 2], isLast: true),
        ]
    }()

    private let step: IntentStep
    private let named: String?
    private let sizes: IntentViewHost.Sizes
    private let place: ConfigureIntentView.Place
    private let acts: [SheetAct]
    private let console: RunConsole

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        let options = command.intents
        named = options.intent
        var view = IntentStep.View()
        view.code = options.code ?? view.code
        view.results = try options.result.map { try IntentsDriver.pair($0, "--result") }
        view.handler = options.handler
        guard view.handler == nil || options.code == nil && options.result.isEmpty else {
            throw CommandError.usage(
                "--handler gives the response, so --code and --result have no effect", remedy: "Omit them")
        }
        var step = try IntentsDriver.step(options)
        step.view = view
        self.step = step
        sizes = try options.viewSize.map(Self.sizes) ?? .usual
        place = options.maps ? .maps : .siri
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
    }

    private static func sizes(_ text: String) throws -> IntentViewHost.Sizes {
        let sides = text.split(separator: "x").map { Double($0) ?? 0 }
        guard sides.count == 2, sides.allSatisfy({ $0 >= 1 && $0 <= 10_000 }) else {
            throw CommandError.usage("“\(text)” is no size", remedy: "Write --view-size 375x600")
        }
        let most = CGSize(width: sides[0], height: sides[1])
        let usual = IntentViewHost.Sizes.usual.least
        return IntentViewHost.Sizes(
            least: CGSize(width: min(usual.width, most.width), height: min(usual.height, most.height)), most: most)
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        var step = step
        if named == nil {
            guard let first = try await IntentViewHost(host).supportedIntents(of: identifier).first else {
                throw CommandError.usage(
                    "\(identifier) has views for no intents", remedy: "List their classes in IntentsSupported")
            }
            step.className = first
        }
        if let handler = step.view?.handler, handler.contains("/") || handler.hasSuffix(".appex") {
            step.view?.handler = try await host.register(path: handler)
        }
        let views = IntentViewHost(host, sizes: sizes, place: place)
        let ending = try await IntentViewEnding(step, views, host, identifier)
        for view in ending.sessions.flatMap(\.views) {
            if let shown = await view.request.view(where: { _ in true }) {
                console.line(TerminalSheet.text(of: shown))
            }
            // The extension refuses each act, and says why.
            if let act = acts.first { try await view.request.use(act.action) }
        }
        let (text, members) = (ending.text, ending.members)
        await ending.end()
        return PointReport(text: text, json: [("extension", .string(identifier))] + members, status: ending.status)
    }
}

/// The views of an intent, for people, for `--json` and for scenarios.
struct IntentViewEnding: Sendable {
    /// The interfaces of the confirmation and of the handling, or the one of values that a person gives.
    let sessions: [IntentViewSession]
    private let className: String
    private let identifier: String
    /// The conversation with the intents extension; nil: there was none.
    private let conversation: IntentEnding?

    /// Shows the views of an intent.
    ///
    /// - Throws: errors of `IntentViewHost.show` and `IntentsHost.perform`.
    init(_ step: IntentStep, _ views: IntentViewHost, _ host: HostApplication, _ identifier: String) async throws {
        (className, self.identifier) = (step.className, identifier)
        guard let handler = step.view?.handler else {
            conversation = nil
            let view = step.view ?? IntentStep.View()
            let subject = IntentViewHost.Subject(
                step.className, values: IntentEnding.inputs(step.parameters),
                code: view.code == "none" ? nil : view.code, response: IntentEnding.inputs(view.results))
            sessions = [try await views.show(subject, with: identifier)]
            return
        }
        let performed = try await IntentEnding(step, host, handler)
        conversation = performed
        var sessions: [IntentViewSession] = []
        for stage in IntentViewHost.Subject.Stage.allCases {
            guard let subject = IntentViewHost.Subject(performed.run, at: stage) else { continue }
            // The views of the confirmation make place for those of the handling.
            await sessions.last?.end()
            sessions.append(try await views.show(subject, with: identifier))
        }
        self.sessions = sessions
    }

    /// Takes all views down.
    func end() async { for session in sessions { await session.end() } }

    var status: Int32 {
        guard conversation?.run.ending ?? .handled == .handled else { return ExitStatus.notExpected }
        return sessions.allSatisfy { $0.failure == nil } ? 0 : ExitStatus.notExpected
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        if let conversation, conversation.run.ending != .handled { return conversation.result }
        guard let last = sessions.last else { return (.nothing, nil) }
        if let failure = last.failure { return (failure.word, "\(failure)") }
        if !last.views.isEmpty { return (.opened, nil) }
        return (last.standard.isEmpty && !last.parts.isEmpty ? .hidden : .nothing, nil)
    }

    // MARK: Text

    private static func words(_ paths: [IntentParameterPath]) -> String {
        paths.isEmpty
            ? "the whole intent"
            : paths.map { printable(($0.owner == .response ? "response " : "") + $0.path) }.joined(separator: ", ")
    }

    var text: String {
        var text = result.word.rawValue
        if let why = result.why { text += ", " + printable(why) }
        text += ": \(printable(className)) by \(printable(identifier))\n"
        if let conversation { text += conversation.text.split(separator: "\n").map { "  \($0)\n" }.joined() }
        for (session, stage) in zip(sessions, ["confirmation", "handling"]) {
            if conversation != nil { text += "  after the \(stage):\n" }
            for part in session.parts {
                switch part {
                case .view(let view):
                    let all = view.displayed.isEmpty ? view.parameters : view.displayed
                    text +=
                        "  view of \(Self.words(all)), \(Int(view.size.width)) × \(Int(view.size.height)) points\n"
                case .hidden(let paths): text += "  hidden: \(Self.words(paths))\n"
                case .standard(let path): text += "  shown by the system: \(Self.words([path]))\n"
                }
            }
            for remark in session.remarks { text += "  remark: \(printable(remark))\n" }
        }
        return text
    }

    // MARK: JSON

    private static func json(_ paths: [IntentParameterPath]) -> JSON {
        .array(paths.map { .string(($0.owner == .response ? "response." : "") + $0.path) })
    }

    var members: [(name: String, value: JSON)] {
        let last = sessions.last
        let views = (last?.views ?? []).map { view -> JSON in
            [
                "parameters": Self.json(view.parameters), "displays": Self.json(view.displayed),
                "width": .real(view.size.width), "height": .real(view.size.height),
                "texts": .array((view.request.view?.all ?? []).compactMap(\.text).map { .string($0) }),
                "view": view.request.view.map(\.json) ?? .null,
            ]
        }
        let hidden = (last?.parts ?? []).flatMap { part -> [IntentParameterPath] in
            if case .hidden(let paths) = part { paths } else { [] }
        }
        return [
            ("intent", .string(className)), ("outcome", .string(result.word.rawValue)),
            ("reason", .optional(result.why)), ("views", .array(views)), ("hidden", Self.json(hidden)),
            ("system", Self.json(last?.standard ?? [])),
            ("remarks", .array((last?.remarks ?? []).map { .string($0) })),
            ("conversation", conversation.map { .object($0.members) } ?? .null),
        ]
    }
}
