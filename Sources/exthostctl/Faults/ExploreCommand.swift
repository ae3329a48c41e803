// ExploreCommand: the verb that searches for an order of events that breaks an extension.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation

struct ExploreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore", abstract: "Search for an order of events that breaks an extension.",
        discussion: """
            The command runs schedules against the extension. A schedule is an order of host actions: answering loads,
            cancelling the request, going to the background and back. It can also contain time limits that expire, a
            second request in the same process, a kill and a new begin. Each schedule has a private daemon with a
            virtual clock. At a Today widget, a notification service and a keyboard the host also makes the calls of its
            session, in other orders and at other times.

            An extension is broken if it crashes, violates the protocol, answers twice, drops a completion handler,
            hangs, continues after its time limit, or gives another answer than without the other events. The command
            prints the shortest such order, and exits with status 1 if there is one.

            EXAMPLES
              exthostctl explore org.example.app.share --applications ./Apps --text one --text two
              exthostctl explore ./Share.appex --url https://example.org --schedules 500 --seed 7
              exthostctl explore ./Share.appex --text one --text two --order "begin, answer 2, cancel"
            """)

    @Argument(
        help: ArgumentHelp("The extension's identifier, or the path of an .appex or a program.", valueName: "id|path"),
        completion: .extensions)
    var identifier: String

    @OptionGroup(title: "Payload")
    var payload: PayloadOptions

    @Option(
        help: ArgumentHelp("A folder of applications; repeatable; default $EXTHOST_APPLICATIONS.", valueName: "dir"))
    var applications: [String] = []

    @Option(help: ArgumentHelp("The seed that orders schedules of equal length.", valueName: "number"))
    var seed = 1

    @Option(help: ArgumentHelp("The most schedules to run.", valueName: "count"))
    var schedules = 200

    @Option(
        help: ArgumentHelp("Run only this schedule, in the printed form.", valueName: "schedule"),
        transform: { text in
            guard let schedule = Schedule(text) else {
                throw ValidationError(
                    "“\(text)” is not a schedule. Write begin, then answer N, cancel, background and others, as explore prints them."
                )
            }
            return schedule
        })
    var order: Schedule?

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        guard (1...100_000).contains(schedules) else {
            throw ValidationError("--schedules takes a number from 1 to 100000.")
        }
        if global.socket != nil || global.scope != nil {
            throw ValidationError("explore starts its own daemons: omit --socket, --user and --system.")
        }
    }

    func run() async throws {
        let items = try Payload(payload.parts(in: CommandLine.arguments.dropFirst())).offered.map(\.item)
        let explorer = ExtensionExplorer(try await subject(items))
        let found: Exploration
        do {
            found =
                if let order { try await explorer.play(order) } else {
                    try await explorer.explore(seed: seed, schedules: schedules)
                }
        } catch let error as ExtensionHostError {
            throw CommandError.refused(error)
        }
        try StandardOutput.write(global.json ? found.json.document : found.text)
        if found.finding != nil { throw ExitCode(ExitStatus.notExpected) }
    }

    private func subject(_ items: [NSExtensionItem]) async throws -> ExplorationSubject {
        var subject: ExplorationSubject
        let point: String?
        if identifier.contains("/") || identifier.hasSuffix(".appex") {
            let path = URL(fileURLWithPath: identifier).standardizedFileURL.path
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandError.missing("there is no \(path)", remedy: "Name a program or an .appex")
            }
            subject = ExplorationSubject(path: path, items: items)
            point = try await ExtensionPointLookup.point(of: identifier, path, at: .standard)
        } else {
            subject = ExplorationSubject(identifier, in: applications, items: items)
            let daemon = try await TestDaemon.start(DaemonProgram.locate(), applications: applications)
            point = try await ExtensionPointLookup.point(of: identifier, nil, at: daemon.address)
            try await daemon.stop()
        }
        if let driver = PointDrivers.all.first(where: { $0.point == point }) {
            (subject.calls, subject.handlers) = (try driver.exploredCalls, driver.exploredHandlers)
        }
        return subject
    }
}

extension Exploration {
    fileprivate var json: JSON {
        [
            "schedules": .integer(schedules), "shortening": .integer(shortening), "exhausted": .boolean(isExhausted),
            "seed": .integer(seed),
            "finding": finding.map { finding in
                [
                    "breakage": .string(finding.breakage.kind.rawValue), "detail": .string(finding.breakage.detail),
                    "order": .array(finding.schedule.description.split(separator: ", ").map { .string(String($0)) }),
                ]
            } ?? .null,
        ]
    }

    fileprivate var text: String {
        guard let finding else {
            return "no failure in \(schedules) schedules\(isExhausted ? ", which are all" : "") (seed \(seed))\n"
        }
        return """
            \(Colour.red("broken")) in schedule \(schedules) (seed \(seed)), \(printable("\(finding.breakage)"))
            order: \(finding.schedule)
            \(finding.timeline)

            """
    }
}
