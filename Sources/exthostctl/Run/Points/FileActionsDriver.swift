// FileActionsDriver: `run` for the actions of a file provider: the offer for items, and the end of an action.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import PointMessages
import PropertyListCoding
import Scenarios

struct FileActionsDriver: PointDriver {
    static let point = FileActionsHost.point
    static let showsView = true

    /// The extension is prepared once.
    static let exploredCalls: [ExplorationCall] = [
        ExplorationCall(PrepareAction(action: "explored", items: ["item"], domain: nil))
    ]

    private let action: String?
    private let items: [FileActionsHost.Item]
    private let isInteractive: Bool
    private let acts: [SheetAct]
    private let console: RunConsole

    /// The time that an act waits for its element.
    private static let patience = Duration.seconds(10)

    /// The item of a session without `--selection`.
    static let usual = FileActionsHost.Item(
        "item", ["filename": "item.txt", "typeIdentifier": "public.plain-text", "itemIdentifier": "item"])

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        action = options.action
        items = try options.selection.map { try Self.items($0) } ?? [Self.usual]
        isInteractive = command.interactive
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
        guard action != nil || (acts.isEmpty && !isInteractive) else {
            throw CommandError.usage("an act needs an action", remedy: "Name one with --action")
        }
    }

    /// Reads the items of a file: JSON, or a property list.
    static func items(_ path: String) throws(CommandError) -> [FileActionsHost.Item] {
        guard let entries = try InputFile(path).values().array else {
            throw .usage("\(path) is not a list of items", remedy: #"Write [{"itemIdentifier": "1", …}, …]"#)
        }
        var items: [FileActionsHost.Item] = []
        for entry in entries {
            guard let members = entry.dictionary, let identifier = members["itemIdentifier"]?.string else {
                throw .usage(
                    "an item of \(path) has no itemIdentifier", remedy: #"Write {"itemIdentifier": "1", …} for each"#)
            }
            items.append(
                FileActionsHost.Item(
                    identifier, Dictionary(members.map { ($0, $1) }, uniquingKeysWith: { $1 })))
        }
        return items
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let files = FileActionsHost(host)
        guard let action else { return try await offer(identifier, files) }
        let session = try await files.perform(action, of: identifier, on: items)
        if isInteractive {
            TerminalSheet(request: session.request, console: console).start()
        } else {
            if let view = await session.request.view(where: { _ in true }) {
                console.line(TerminalSheet.text(of: view))
            }
            for act in acts { try await session.request.use(act.action, patience: Self.patience) }
            if acts.isEmpty {
                // An action that needs no person has ended by now.
                try await host.fence()
                await session.cancel()
            }
        }
        let ending = await session.ending
        let word = ending.result.word.rawValue
        let pid = session.request.processIdentifier
        let head = "\(word): \(printable(identifier))" + (pid.map { ", pid \($0)" } ?? "")
        let lines = ending.result.why.map { ["  " + printable($0)] } ?? []
        return PointReport(
            text: ([head] + lines).joined(separator: "\n") + "\n",
            json: [
                ("extension", .string(identifier)), ("action", .string(action)), ("result", .string(word)),
                ("pid", .optional(pid)),
            ] + ending.members, status: ending.status)
    }

    /// Lists the actions that the extension offers for the items.
    private func offer(_ identifier: String, _ files: FileActionsHost) async throws -> PointReport {
        let actions = try await files.actions(for: items).filter { $0.provider == identifier }
        var table = Table(.init(heading: "ACTION"), .init(heading: "NAME"))
        for action in actions { table.add(action.identifier, action.name) }
        return PointReport(
            text: "offered: \(printable(identifier))\n" + table.text(emptyNote: "no action for these items"),
            json: [
                ("extension", .string(identifier)),
                (
                    "actions",
                    .array(actions.map { ["identifier": .string($0.identifier), "name": .string($0.name)] })
                ),
            ], status: 0)
    }
}

extension FileActionSession.Ending {
    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch self {
        case .completed: (.completed, nil)
        case .cancelled(let error): (.cancelled, "\(error.domain) \(error.code): \(error.localizedDescription)")
        case .ended(let error): (.ended, "\(error)")
        }
    }

    /// The exit status of `run`.
    var status: Int32 {
        switch self {
        case .completed: 0
        case .cancelled: OutcomeKind.cancelled.exitStatus
        case .ended: OutcomeKind.interrupted.exitStatus
        }
    }

    /// The members of the JSON document.
    var members: [(name: String, value: JSON)] {
        switch self {
        case .completed: []
        case .cancelled(let error):
            [
                ("domain", .string(error.domain)), ("code", .integer(error.code)),
                ("error", .string(error.localizedDescription)),
            ]
        case .ended(let error): [("reason", .string("\(error.code)")), ("error", .string("\(error)"))]
        }
    }
}
