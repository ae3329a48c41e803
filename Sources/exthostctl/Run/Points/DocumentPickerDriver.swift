// DocumentPickerDriver: `run` for a document picker: a wish of a host, acts on the view, and the chosen document.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import Foundation
import LinuxDescriptors
import PointHosts
import PointMessages
import Scenarios

/// The folder of the group containers of a private daemon.
enum PrivateContainers {
    /// The folder; nil: the daemon is the user's.
    @TaskLocal static var groups: String?
}

struct DocumentPickerDriver: PointDriver {
    static let point = DocumentPickerHost.point
    static let sharedOptions: Set<String> = ["--out"]
    static let showsView = true
    static let takesFile = true

    /// The picker is prepared once, and its session ends with or without a document.
    static let exploredCalls: [ExplorationCall] = [
        ExplorationCall(
            PreparePicker(mode: .import, types: ["public.content"], original: nil, provider: nil, group: nil)),
        ExplorationCall(EndPicker(), after: [1], isLast: true),
    ]

    static var exploredHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(GrantAccess.self) { _, _ in Nothing() }
        return handlers
    }

    private let wish: DocumentPickerHost.Wish
    private let out: String?
    private let isInteractive: Bool
    private let acts: [SheetAct]
    private let containers = PrivateContainers.groups
    private let console: RunConsole

    /// The time that an act waits for its element.
    private static let patience = Duration.seconds(10)

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        let types = (options.type ?? "public.item,public.content").split(separator: ",").map(String.init)
        let file = command.payload.file.first
        wish = try Self.wish(options.mode ?? "import", types: types, hasTypes: options.type != nil, file: file)
        if let out = options.out, wish.mode == .exportToService {
            throw CommandError.usage(
                "--out \(out) is for a document that the host can read, and an exported one it cannot",
                remedy: "Omit --out")
        }
        out = options.out
        isInteractive = command.interactive
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
    }

    /// The names of the modes on the command line and in scenarios.
    static let modes: [String: PickerMode] = [
        "import": .import, "open": .open, "export": .exportToService, "move": .moveToService,
        "exportToService": .exportToService, "moveToService": .moveToService,
    ]

    private static func wish(
        _ mode: String, types: [String], hasTypes: Bool, file: String?
    ) throws(CommandError) -> DocumentPickerHost.Wish {
        switch (modes[mode], file) {
        case (.import, nil): return .import(types)
        case (.open, nil): return .open(types)
        case (.exportToService, let file?) where !hasTypes: return .exportToService(file)
        case (.moveToService, let file?) where !hasTypes: return .moveToService(file)
        case (.import, _), (.open, _):
            throw .usage("--mode \(mode) takes no file of the host", remedy: "Omit --file, or write --mode export")
        case (.exportToService, _), (.moveToService, _):
            throw .usage("--mode \(mode) needs one file, and no type", remedy: "Name it with --file, and omit --type")
        case (.unrecognized, _), (nil, _):
            throw .usage("there is no mode \(mode)", remedy: "Write import, open, export or move")
        }
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let session = try await DocumentPickerHost(host, groupContainers: containers).begin(identifier, wish)
        try await use(session, host)
        let ending = try await PickEnding(of: session)
        if case .picked(let document) = ending, let out { try Self.write(document, to: out) }
        let word = ending.result.word.rawValue
        let pid = session.request.processIdentifier
        let head = "\(word): \(printable(identifier))" + (pid.map { ", pid \($0)" } ?? "")
        return PointReport(
            text: ([head] + ending.lines.map { "  " + printable($0) }).joined(separator: "\n") + "\n",
            json: [
                ("extension", .string(identifier)), ("mode", .string(session.mode.rawValue)),
                ("result", .string(word)), ("pid", .optional(pid)),
            ] + ending.members, status: ending.status)
    }

    /// Lets a person, or the acts of the command line, use the view. Without either the session is cancelled, unless
    /// the picker chooses by itself.
    private func use(_ session: DocumentPickerSession, _ host: HostApplication) async throws {
        if isInteractive {
            return TerminalSheet(request: session.request, console: console).start()
        }
        if let view = await session.request.view(where: { _ in true }) { console.line(TerminalSheet.text(of: view)) }
        for act in acts { try await session.request.use(act.action, patience: Self.patience) }
        guard acts.isEmpty else { return }
        // A picker that needs no person has chosen by now.
        try await host.fence()
        await session.cancel()
    }

    private static func write(_ document: PickedDocument, to path: String) throws {
        guard let file = document.file else {
            throw CommandError.missing(
                "the document has no file yet", remedy: "Only its file provider can make it; omit --out")
        }
        try WrittenFile.write(file, to: path)
    }
}
