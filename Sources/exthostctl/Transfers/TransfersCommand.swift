// TransfersCommand: the verb for background transfers.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import TransferMessages

struct TransfersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfers",
        abstract: "List background transfers, cancel them, or decide when they run and who gets their events.",
        discussion: """
            A transfer belongs to a background session of an app. It goes on after the extension that began it has \
            ended. If several apps have a session of the same name, --app selects one.

            EXAMPLES
              exthostctl transfers list
              exthostctl transfers show org.example.photos
              exthostctl transfers cancel org.example.photos 2
              exthostctl transfers allow
              exthostctl transfers deliver org.example.photos --to app
            """,
        subcommands: [
            ListTransfersCommand.self, ShowTransfersCommand.self, CancelTransfersCommand.self,
            AllowTransfersCommand.self, DeliverTransfersCommand.self,
        ],
        defaultSubcommand: ListTransfersCommand.self)
}

/// A connection of this tool with the service of background transfers.
struct TransferTool {
    let host: HostApplication
    let connection: ServiceConnection

    init(_ address: DaemonAddress) async throws {
        host = try await HostApplication.connect(name: "exthostctl", to: address)
        connection = try await host.connect(toService: transferServiceName)
    }
}

extension GlobalOptions {
    /// Makes a call of the service of background transfers.
    fileprivate func call<Message: PointMessage>(_ message: Message) async throws -> Message.Reply {
        try await withDaemon { address in
            let tool = try await TransferTool(address)
            defer { tool.host.disconnect() }
            return try await tool.connection.call(message)
        }
    }
}

/// The session that a verb is about.
struct TransferSessionOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The identifier of the session.", valueName: "session"))
    var session: String

    @Option(help: ArgumentHelp("The identifier of the session's app.", valueName: "id"))
    var app: String?

    var name: TransferSessionName { TransferSessionName(app: app, identifier: session) }
}

struct ListTransfersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the background sessions.",
        discussion: """
            EXAMPLE
              exthostctl transfers list --json
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let sessions = try await global.call(ListTransferSessions()).sessions
        if global.json { return try StandardOutput.write(JSON.array(sessions.map(\.json)).document) }
        try StandardOutput.write(TransferTables.text(of: sessions))
    }
}

struct ShowTransfersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a background session with its tasks.",
        discussion: """
            EXAMPLE
              exthostctl transfers show org.example.photos
            """)

    @OptionGroup var session: TransferSessionOptions

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let reply = try await global.call(ShowTransferSession(session.name))
        if global.json {
            guard case .object(let members) = reply.session.json else { return }
            let tasks = JSON.array(reply.tasks.map(\.json))
            return try StandardOutput.write(JSON.object(members + [("tasks", tasks)]).document)
        }
        var table = Table(.number("TASK"), "KIND", "STATE", .number("BYTES"), "STATUS", "URL")
        for task in reply.tasks {
            let expected = task.expected.map { " of \(written(bytes: $0))" } ?? ""
            table.add(
                "\(task.number)", task.kind.rawValue, task.state.rawValue, written(bytes: task.bytes) + expected,
                task.response.map { "\($0.status)" } ?? "-", task.request.url)
        }
        try StandardOutput.write(
            TransferTables.text(of: [reply.session]) + "\n" + table.text(emptyNote: "The session has no task."))
    }
}

struct CancelTransfersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel a task of a background session, or all its tasks.",
        discussion: """
            EXAMPLE
              exthostctl transfers cancel org.example.photos 2
            """)

    @OptionGroup var session: TransferSessionOptions

    @Argument(help: ArgumentHelp("The number of the task; all tasks without it.", valueName: "task"))
    var task: Int?

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws { _ = try await global.call(StopTransfers(session.name, task: task)) }
}

struct AllowTransfersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow", abstract: "Let discretionary tasks begin now.",
        discussion: """
            Without this they begin 60 s after the author has resumed them.

            EXAMPLE
              exthostctl transfers allow
            """)

    @Argument(help: ArgumentHelp("The identifier of the session; all sessions without it.", valueName: "session"))
    var session: String?

    @Option(help: ArgumentHelp("The identifier of the session's app.", valueName: "id"))
    var app: String?

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let name = session.map { TransferSessionName(app: app, identifier: $0) }
        _ = try await global.call(AllowTransfers(name))
    }
}

struct DeliverTransfersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliver",
        abstract: "Reserve the events of a session for its app or for an extension. With --to app, wake the app.",
        discussion: """
            EXAMPLE
              exthostctl transfers deliver org.example.photos --to extension
            """)

    enum Receiver: String, ExpressibleByArgument, CaseIterable {
        case app, `extension`, any
    }

    @OptionGroup var session: TransferSessionOptions

    @Option(help: "app, extension, or any: the process that uses the session first.")
    var to: Receiver

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let receiver: TransferReceiver =
            switch to {
            case .app: .app
            case .extension: .extension
            case .any: .any
            }
        _ = try await global.call(DeliverTransferEvents(session.name, to: receiver))
    }
}

/// The records of transfers for people.
enum TransferTables {
    static func text(of sessions: [TransferSessionRecord]) -> String {
        var table = Table(
            "APP", "SESSION", "CONTAINER", "USED BY", .number("OPEN"), .number("ENDED"), .number("EVENTS"), "FOR")
        for session in sessions {
            table.add(
                session.app, session.identifier, session.container ?? "-", session.user ?? "-",
                "\(session.unfinished)", "\(session.finished)", "\(session.events)", session.receiver.rawValue)
        }
        return table.text(emptyNote: "There is no background session.")
    }
}

extension TransferSessionRecord {
    var json: JSON {
        [
            "app": .string(app), "session": .string(identifier), "container": .optional(container),
            "usedBy": .optional(user), "open": .integer(unfinished), "ended": .integer(finished),
            "events": .integer(events), "receiver": .string(receiver.rawValue),
        ]
    }
}

extension TransferTask {
    fileprivate var json: JSON {
        [
            "task": .integer(number), "kind": .string(kind.rawValue), "state": .string(state.rawValue),
            "bytes": .integer(bytes), "expected": .optional(expected), "status": .optional(response?.status),
            "method": .string(request.method), "url": .string(request.url), "description": .optional(label),
        ]
    }
}
