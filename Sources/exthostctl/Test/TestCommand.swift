// TestCommand: the verb that runs a scenario file against an extension.

import ArgumentParser
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Scenarios

struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Test an extension: with the tests of a scenario file, or with every form of one content.",
        discussion: """
            A scenario file has named tests. Their lines begin requests, move host and clock, inject faults, and state
            expectations; docs/scenarios.md explains them. Each test has a private daemon. Errors in the file are
            reported with line and column before the first test runs.

            With --matrix, an extension receives one content in each shape (a URL, data, a file, an object) under each
            reuse of its process: fresh; warm, after another content; concurrent, beside another. A cell is handled if
            every request is completed with the answer that most shapes got from a new process, and no other fault
            occurs. --tap and --json include the timeline of the cells that are not handled. Content that the
            extension's rule does not accept is no fault.

            On a terminal the results are for people, otherwise they are TAP 14. If GITHUB_ACTIONS is true, each failure
            is also an annotation on standard error. Exit status: 0 if all tests passed, 1 if one failed, 64 for a file
            with errors, 66 for a missing file or extension, 69 without exthostd, 130 after Ctrl-C.

            EXAMPLES
              exthostctl test share.scenario
              exthostctl test ./WordCount
              exthostctl test share.scenario --filter "goes away" --junit results.xml
              exthostctl test share.scenario --extension ./Other.app
              exthostctl test share.scenario --applications ./Apps
              exthostctl test --matrix ./Share.app
              exthostctl test --matrix ./Suite.app --extension org.example.suite.share
              exthostctl test --matrix org.example.app.share --text "hello world"
            """)

    @Argument(
        help: ArgumentHelp(
            "The scenario file or its folder of sources; with --matrix the extension, by its identifier or a path.",
            valueName: "file|folder|id"),
        completion: .file())
    var file: String

    @Flag(help: "Test every shape of one content under every reuse of the process.")
    var matrix = false

    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp(
            "Test this extension instead of the file's: an identifier, or the path of an app, an .appex, a program or a folder of sources. With --matrix: the one to test of an app or a folder.",
            valueName: "id|path"), completion: .extensions)
    var subject: String?

    @Option(
        help: ArgumentHelp("Also search this folder for applications; repeatable.", valueName: "dir"),
        completion: .directory)
    var applications: [String] = []

    @Option(help: ArgumentHelp("Run only tests whose name contains this text.", valueName: "name"))
    var filter: String?

    @Option(
        help: ArgumentHelp(
            "The number of tests at once; the default is two for each processor, because tests mostly wait.",
            valueName: "count")
    )
    var jobs: Int?

    @Flag(help: "Write TAP 14, even on a terminal.")
    var tap = false

    @Option(
        help: ArgumentHelp("Also write the results as JUnit XML into this file.", valueName: "file"),
        completion: .file())
    var junit: String?

    @Option(
        help: ArgumentHelp(
            "With --matrix: the wait for an answer, in real time, before the time limits act; default 3s.",
            valueName: "duration"), transform: duration)
    var limit: Duration?

    @Flag(help: "Run again after each change in the folder of the file and in a folder of sources, until Ctrl-C.")
    var watch = false

    @Flag(help: "With --matrix: skip the extension's activation rule.")
    var force = false

    @OptionGroup(title: "The content, with --matrix: one of --url, --text, --file, --data, --plist")
    var payload: PayloadOptions

    @OptionGroup(title: "For a folder of sources")
    var bundling: BundleOptions

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        if let jobs, !(1...64).contains(jobs) { throw ValidationError("--jobs takes a number from 1 to 64.") }
        if tap, global.json { throw ValidationError("--tap and --json are two forms of the same results: omit one.") }
        if let limit, limit <= .zero { throw ValidationError("--limit takes a duration above 0.") }
        if matrix, subject != nil, !file.contains("/"), !file.hasSuffix(".app"), ![".", ".."].contains(file) {
            throw ValidationError(
                "With --matrix, the argument is the extension, not a file; --extension selects one of an app or a folder of sources."
            )
        }
        if !matrix, limit != nil || force {
            throw ValidationError("--limit and --force work with --matrix; a scenario has lines for them.")
        }
    }

    func run() async throws {
        let parts = payload.parts(in: CommandLine.arguments.dropFirst())
        guard matrix || parts.isEmpty else {
            throw CommandError.usage(
                "a scenario's lines begin its requests", remedy: "Write the payload after begin, or use --matrix")
        }
        guard global.socket == nil, global.scope == nil else {
            throw CommandError.usage(
                "each test has a private daemon",
                remedy: "Omit --socket, --user and --system; a line daemon sets options of the daemon")
        }
        if watch { throw ExitCode(try await WatchLoop.run(try watched(), without: [junit])) }
        if matrix { throw ExitCode(try await MatrixRun(command: self).run(parts)) }
        // As for run, a folder of sources is an extension: its scenario need not name it.
        let isOfFolder = ProjectBundles.isProject(file)
        let file = isOfFolder ? try ScenarioFile.only(in: file) : file
        let scenario = try ScenarioFile(file).read()
        let folder = URL(fileURLWithPath: file).standardizedFileURL.deletingLastPathComponent().path
        let tests = scenario.tests.filter { filter.map($0.name.contains) ?? true }
        guard !tests.isEmpty else {
            throw CommandError.usage(
                "no test's name contains “\(filter ?? "")”",
                remedy: "There are: \(scenario.tests.map { "“\($0.name)”" }.joined(separator: ", "))")
        }
        let subject = try await chosenSubject(
            scenario, of: file, in: folder, orElse: isOfFolder ? .init(name: ".") : nil)
        try await checkOptions(of: scenario, file)

        let reporter = try ResultReporter(
            name: file, count: tests.count, form: form, junit: junit, isQuiet: global.quiet)
        try reporter.begin()
        let run = try await TestRun.run(
            tests.map { test in
                { await ScenarioTrial.run(test, of: scenario, subject, file: file, folder: folder) }
            }, jobs: jobs ?? Self.usualJobs, show: { try reporter.show($0) })
        try reporter.end(run.results)
        if run.isInterrupted { throw ExitCode(ExitStatus.interrupted) }
        throw ExitCode(run.results.contains { $0.failure != nil } ? ExitStatus.notExpected : 0)
    }

    /// Returns the folders whose changes run the tests again: that of the file, and those that it or the command line
    /// names.
    private func watched() throws(CommandError) -> [String] {
        var folders = folders(of: [file] + (subject.map { [$0] } ?? []) + applications)
        guard !folders.isEmpty else {
            throw .usage(
                "--watch needs files, and \(file) is not one", remedy: "Name a scenario file or a folder of sources")
        }
        // A file with faults names nothing until it is mended.
        let scenarioFile = ProjectBundles.isProject(file) ? try? ScenarioFile.only(in: file) : file
        if !matrix, let scenarioFile, let scenario = try? ScenarioFile(scenarioFile).read() {
            let base = URL(fileURLWithPath: scenarioFile).standardizedFileURL.deletingLastPathComponent().path
            let names = (scenario.subject.map { [$0.name] } ?? []) + scenario.applications
            folders += self.folders(of: names.map { $0.hasPrefix("/") ? $0 : "\(base)/\($0)" })
        }
        return Set(folders).sorted()
    }

    /// Returns a folder for each path that exists: a folder of sources itself, else the one around it.
    private func folders(of paths: [String]) -> [String] {
        paths.filter { FileManager.default.fileExists(atPath: $0) }.map { name in
            let path = URL(fileURLWithPath: name).standardizedFileURL
            return ProjectBundles.isProject(path.path) ? path.path : path.deletingLastPathComponent().path
        }
    }

    /// The number of parallel tests, unless the user sets it.
    static var usualJobs: Int { 2 * ProcessInfo.processInfo.activeProcessorCount }

    var form: ResultReporter.Form {
        if global.json { return .json }
        return tap || !StandardOutput.isTerminal ? .tap : .people
    }

    /// Checks the scenario's options of `exthostd`: an invalid one would fail every test alike.
    private func checkOptions(of scenario: Scenario, _ file: String) async throws {
        guard !scenario.daemonOptions.isEmpty else { return }
        do {
            try await TestDaemon.start(DaemonProgram.locate(), applications: [], arguments: scenario.daemonOptions)
                .stop()
        } catch let error as ExtensionHostError where error.code == .invalidArgument {
            throw CommandError.usage(
                "a line daemon of \(file) is invalid: \(error.message)", remedy: error.remedy ?? "")
        }
    }

    /// The folders of the command line, as absolute paths.
    var namedFolders: [String] {
        get throws {
            try applications.map { path in
                guard FileManager.default.fileExists(atPath: path) else {
                    throw CommandError.missing("there is no folder \(path)", remedy: "Correct --applications")
                }
                return URL(fileURLWithPath: path).standardizedFileURL.path
            }
        }
    }

    /// Returns the subject. A path of the command line is relative to the current folder, one of the scenario to its
    /// file.
    private func chosenSubject(
        _ scenario: Scenario, of file: String, in folder: String, orElse usual: Scenario.Subject?
    ) async throws -> TestSubject {
        var applications = scenario.applications.map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" }
        for path in applications where !FileManager.default.fileExists(atPath: path) {
            throw CommandError.missing("there is no folder \(path)", remedy: "Correct the line applications of \(file)")
        }
        applications += try namedFolders
        if let subject {
            return try await TestSubject(
                .init(name: subject), in: FileManager.default.currentDirectoryPath, applications: applications,
                choosing: "a line extension PATH ID instead of --extension", bundling, global)
        }
        guard let named = scenario.subject ?? usual else {
            throw CommandError.usage(
                "\(file) names no extension",
                remedy: "Write a line extension ID, or extension PATH, above the tests; or use --extension")
        }
        return try await TestSubject(
            named, in: folder, applications: applications, choosing: "its name after the path in the line extension",
            bundling,
            global)
    }
}
