// RunCommand: the verb that acts as a host application for one request.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Act as a host: begin a request, serve its items, print how it ends.",
        discussion: """
            The order of the payload's options counts: each applies to the last item that was started. The command
            prints the extension's output on standard error. Ctrl-C cancels the request as its host would, and so does
            SIGTERM: exit status 130.

            A path has a slash or ends in .appex. It names an extension that is registered for this command only: an
            .appex without an app, or a program, with the identifier dev.NAME, without an interface and with one request
            for each process.

            A folder of sources, as from exthostctl new, or an Xcode project is built, bundled and linted first, as by
            exthostctl bundle. Its app then runs with a private daemon, and the command prints all events after the
            outcome. An app with faults does not run: exit status 1. A folder without a package and an Info.plist: exit
            status 64.

            If a request has no answer after 3 s, standard error shows the reason for the wait and the options that
            answer it. --tap and --act use the extension's view, in their order. A Today widget is asked for an update,
            a notification service gets a remote notification, and a keyboard a text field: their sessions need no
            payload. If neither standard
            input nor standard error is a terminal, and the extension point sets no limit, the request times out after
            60 s, or after --timeout. With a command in a network of its own, only --timeout limits it.

            After the outcome, the command prints what the extension's confinement denied, with the line of
            Entitlements.plist that would allow it, or with another remedy. For an extension named by its path, it also
            prints each file that the extension looked for and may not access.

            EXAMPLES
              exthostctl run org.example.app.share --url https://example.org
              exthostctl run org.example.app.share --title One --text hello --item --title Two --file photo.jpg
              exthostctl run org.example.app.share --items request.json --timeout 30s --json
              exthostctl run org.example.app.share --text hi --expect cancelled
              exthostctl run org.example.app.edit --file photo.jpg --save edited
              exthostctl run org.example.app.share --page https://example.org --page-title Example
              exthostctl run org.example.app.action --page https://example.org --page-html page.html
              exthostctl run org.example.app.share --data public.png=photo.png --force
              exthostctl run ./Share.appex --text hi --ephemeral
              exthostctl run .build/debug/Share --text hi --wait-exit
              exthostctl run . --url https://example.org
              exthostctl run Notes.xcodeproj --extension Share --text hi
              exthostctl run org.example.app.share --text hi --wait-for-debugger
              exthostctl run org.example.app.share --url https://example.org --interactive
              exthostctl run org.example.app.share --text hi --tap Public --act 'text hello' --act post
              echo '{"call": "stamp.apply", "arguments": {"text": "hi"}}' | exthostctl run com.example.desk.red --calls
              exthostctl run org.example.app.share --url https://example.org/file --wait-transfers
              exthostctl run Service.appex --push payload.json
              exthostctl run Widget.appex --open --interactive
              exthostctl run Keys.appex --text 'Hello ' --type world
              exthostctl run Index.appex --search coffee
              exthostctl run Picker.appex --mode open --type public.text --tap note.txt
              exthostctl run Picker.appex --mode export --file photo.jpg --tap Save
              exthostctl run Actions.appex --action rename --selection items.json --tap Done
            """)

    @Argument(
        help: ArgumentHelp(
            "The extension's identifier, or the path of an .appex, a program, an .xcodeproj or a folder of sources.",
            valueName: "id|path"),
        completion: .extensions)
    var identifier: String

    @OptionGroup(title: "Payload")
    var payload: PayloadOptions

    @Option(
        help: ArgumentHelp(
            "Time out the request after this time; the outcome is then timedOut. none: only the extension point limits it.",
            valueName: "duration|none"),
        transform: TimeLimit.init(written:))
    var timeout: TimeLimit?

    @Option(
        help: ArgumentHelp(
            "Exit with status 0 if this is the outcome, else with 1: completed, cancelled, interrupted, timedOut or refused.",
            valueName: "outcome"),
        completion: .list(OutcomeKind.allCases.map(\.rawValue)),
        transform: { text in
            guard let kind = OutcomeKind(rawValue: text) else {
                throw ValidationError(
                    "“\(text)” is not an outcome. Write one of: \(OutcomeKind.allCases.map(\.rawValue).joined(separator: ", "))."
                )
            }
            return kind
        })
    var expect: OutcomeKind?

    @Option(help: ArgumentHelp("Use this name as a host.", valueName: "name"))
    var host = "exthostctl"

    @Option(
        help: ArgumentHelp(
            "Write every returned attachment to a new file in this folder, under the name that the extension suggests.",
            valueName: "folder"), completion: .directory)
    var save: String?

    @Flag(
        help:
            "Skip the extension's activation rule: without this, the daemon refuses items that the rule does not accept."
    )
    var force = false

    @Flag(name: .customLong("wait-exit"), help: "Also wait until the process has exited.")
    var waitExit = false

    @Flag(
        name: .customLong("wait-transfers"),
        help: "Also wait until the background transfers of its app have ended, and the app has dealt with their events."
    )
    var waitTransfers = false

    @Flag(
        name: .customLong("wait-for-debugger"),
        help: "Print the pid of the process, and deliver the request when a debugger is attached to it.")
    var waitForDebugger = false

    @Flag(
        help:
            "Show the extension's view on standard error, and read acts from standard input: text WORDS, tap NAME, post, cancel."
    )
    var interactive = false

    @Flag(
        help: ArgumentHelp(
            "Call the extension: read calls from standard input, and write their answers to standard output, each a line of JSON.",
            discussion: "The extension point must list the calls. Files of answers go to the folder of --save."))
    var calls = false

    @OptionGroup(title: "The extension's view")
    var view: ViewOptions

    @OptionGroup(title: "A web page with the extension's script")
    var page: PageOptions

    @OptionGroup(title: "Single extension points")
    var points: PointOptions

    @OptionGroup(title: "Single extension points")
    var flows: FlowOptions

    @OptionGroup(title: "Single extension points")
    var messages: MessageOptions

    @OptionGroup(title: "Single extension points")
    var intents: IntentOptions

    @OptionGroup(title: "Single extension points")
    var credentials: CredentialOptions

    @OptionGroup(title: "Single extension points")
    var broadcasts: BroadcastOptions

    @OptionGroup(title: "Single extension points")
    var conversations: MessagesAppOptions

    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp(
            "The extension to run, if a folder has several: its identifier, or its target's name.", valueName: "name"))
    var chosen: String?

    @Flag(help: "For a folder of sources: build and run again after each change of its files, until Ctrl-C.")
    var watch = false

    @OptionGroup(title: "For a folder of sources")
    var bundling: BundleOptions

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        if interactive, !view.tap.isEmpty || !view.act.isEmpty {
            throw ValidationError("--interactive reads acts from standard input: omit --tap and --act.")
        }
        if interactive, calls {
            throw ValidationError("--calls and --interactive both read standard input: omit one of them.")
        }
    }

    func run() async throws {
        if let path, !FileManager.default.fileExists(atPath: path) {
            throw CommandError.missing(
                "there is no \(path)",
                remedy: NearestPath.question(identifier) + "Name a program, an .appex or a folder of sources")
        }
        if watch {
            throw ExitCode(
                try await WatchLoop.run([try WatchLoop.folder(of: path, named: identifier)], without: [save]))
        }
        let isProject = path.map(ProjectBundles.isProject) ?? false
        let ofProjects = bundling.given + (chosen == nil ? [] : ["--extension"])
        if !isProject, let option = ofProjects.first {
            throw CommandError.usage(
                "\(option) needs a folder of sources, and \(identifier) is not one",
                remedy: "Omit it, or name the folder of a package, as in: exthostctl run ./Notes")
        }
        let items = try Payload(payload.parts(in: CommandLine.arguments.dropFirst())).offered
        let status: Int32
        do {
            if let path, isProject {
                throw ExitCode(try await ProjectRun(command: self, folder: path).run(items))
            }
            if let path, path.hasSuffix(".appex") {
                // NAME.app/PlugIns/NAME.appex
                let app = URL(fileURLWithPath: path).deletingLastPathComponent().deletingLastPathComponent().path
                try StaleApps.warnings(of: [app])
            }
            status = try await global.withDaemon { address in
                try await begin(identifier, path, items, address, isPrivate: global.ephemeral)
            }
        } catch let error as ExtensionHostError {
            if error.code == .noSuchExtension, FileManager.default.fileExists(atPath: identifier), path == nil {
                throw CommandError.missing(error.message, remedy: "To name the file or folder, write ./\(identifier)")
            }
            throw CommandError.refused(error)
        }
        throw ExitCode(status)
    }

    /// The path; nil for an identifier, which has no slash.
    private var path: String? {
        guard
            identifier.contains("/") || identifier.hasSuffix(".appex") || identifier.hasSuffix(".xcodeproj")
                || [".", ".."].contains(identifier)
        else { return nil }
        return URL(fileURLWithPath: identifier).standardizedFileURL.path
    }

    private func limit(_ identifier: String, _ path: String?, _ address: DaemonAddress) async throws -> Duration? {
        switch timeout {
        case .after(let limit): return limit
        case TimeLimit.none?: return nil
        case nil:
            // A command of the session lasts as long as it wants, and its provider with it.
            guard !interactive, !waitForDebugger, flows.command.isEmpty, !TimeLimit.isAttended else {
                return nil
            }
            return try await TimeLimit.unattended(identifier, path, at: address)
        }
    }

    /// The options in use that only a request with items has.
    private func optionsOfItems(hasItems: Bool) -> [String] {
        [(hasItems, "A payload"), (save != nil, "--save"), (force, "--force")].filter(\.0).map(\.1)
    }

    /// The options in use that act on a view.
    private var optionsOfViews: [String] {
        [(interactive, "--interactive"), (!view.tap.isEmpty, "--tap"), (!view.act.isEmpty, "--act")]
            .filter(\.0).map(\.1)
    }

    /// Runs the session, prints its end, and returns the exit status for it.
    ///
    /// - Parameter isPrivate: whether the daemon is this command's own.
    func begin(
        _ identifier: String, _ path: String?, _ items: [OfferedItem], _ address: DaemonAddress, isPrivate: Bool
    ) async throws -> Int32 {
        // The calls replace the session of the extension point's driver.
        // --profile is the page's platform, too.
        var points = points
        if page.html != nil { points.profile = nil }
        let driver = try await PointDrivers.driver(identifier, path, self, at: address).flatMap { calls ? nil : $0 }
        let takesDocument = driver?.takesDocument ?? false
        let page = takesDocument ? nil : try PageRun(page, payload, items, profile: self.points.profile)
        if let driver {
            let isOwn =
                (driver.takesText && payload.isOneText) || (driver.takesPage && payload.isOnePage)
                || (driver.takesFile && payload.isOneFile)
            let hasItems = !items.isEmpty && !isOwn
            let others = optionsOfItems(hasItems: hasItems) + (driver.showsView ? [] : optionsOfViews)
            if let option = page == nil ? others.first : "--page-html" {
                throw CommandError.usage(
                    "\(option) does not act at \(driver.point), whose session has options of its own",
                    remedy: "Omit \(option); exthostctl run --help lists the options of single extension points")
            }
        }
        let console = RunConsole(showsProgress: !global.quiet)
        let session = RunSession(
            extensionIdentifier: identifier, path: path, timeout: try await limit(identifier, path, address),
            hostName: host, waitsForExit: waitExit, waitsForDebugger: waitForDebugger, showsOutput: !global.quiet,
            isOpenEnded: interactive || calls || !flows.command.isEmpty, console: console)
        if let driver {
            let driver = try driver.init(points, self, path, console)
            let ending = try await session.run(at: address) { host, name in try await driver.run(name, host) }
            let left = await transfers(ending.requests, address, console)
            return try await report(ending, left, isPrivate: isPrivate)
        }
        let work = RequestWork(
            items: items, acts: view.acts(in: CommandLine.arguments.dropFirst()), force: force,
            isInteractive: interactive, calls: calls ? CallLines(savingTo: save, console: console) : nil, page: page,
            console: console)
        let ending = try await session.run(at: address) { host, name in try await work.run(name, host) }
        let left = await transfers(ending.requests, address, console)
        return try await report(ending, left, hasItems: !items.isEmpty, isPrivate: isPrivate, page, console)
    }

    /// Returns the background transfers that the extension has left.
    private func transfers(
        _ requests: [ExtensionRequest], _ address: DaemonAddress, _ console: RunConsole
    ) async -> RunTransfers? {
        guard let identifier = requests.last?.extensionIdentifier else { return nil }
        // A daemon that is gone or stops has no transfers to tell of, and must not be started again by the question.
        let cause = await requests.last?.outcome.cause
        if cause == .connectionLost || cause == .daemonStopping { return nil }
        do {
            return try await RunTransfers.left(by: identifier, at: address, waits: waitTransfers, console)
        } catch {
            // The outcome is printed all the same.
            if waitTransfers { StandardError.line("exthostctl: the background transfers are not known: \(error)") }
            return nil
        }
    }

    /// Prints the end of a session with one request. Returns the exit status.
    private func report(
        _ ending: RunSession.Ending<Void>, _ transfers: RunTransfers?, hasItems: Bool, isPrivate: Bool,
        _ page: PageRun?, _ console: RunConsole
    ) async throws -> Int32 {
        guard let report = await reports(ending.requests, hasItems: hasItems, isPrivate: isPrivate).last else {
            if ending.isInterrupted { return ExitStatus.interrupted }
            throw CommandError.unexpected("the request has no outcome")
        }
        let shown = await page?.report
        if global.json {
            var json = await report.json
            if let shown, case .object(let members) = json { json = .object(members + [("page", await shown.json)]) }
            if let transfers, !transfers.sessions.isEmpty, case .object(let members) = json {
                json = .object(members + [("transfers", transfers.json)])
            }
            try StandardOutput.write(json.document)
        } else {
            try StandardOutput.write(await report.text + (await shown?.text ?? "") + (transfers?.text ?? ""))
        }
        var couldSave = true
        if let path = self.page.save { try page?.save(to: path) }
        if let save, case .completed(let items) = report.outcome {
            var files = SavedItems(folder: save, console: console)
            let ticker = console.startTicker { console.redraw() }
            defer { ticker?.cancel() }
            try await files.save(items)
            console.end()
            if !global.quiet { for path in files.saved { StandardError.line("exthostctl: saved \(printable(path))") } }
            for failure in files.failures { StandardError.line("exthostctl: not saved: \(printable(failure))") }
            couldSave = files.failures.isEmpty
        }
        if ending.isInterrupted { return ExitStatus.interrupted }
        let status = expectedStatus(report) ?? report.exitStatus
        let hasFailed = !couldSave || shown?.failures.isEmpty == false
        return status == 0 && hasFailed ? ExitStatus.notExpected : status
    }

    /// Prints the end of a driver's session. Returns the exit status.
    private func report(
        _ ending: RunSession.Ending<PointReport>, _ transfers: RunTransfers?, isPrivate: Bool
    ) async throws -> Int32 {
        let reports = await reports(ending.requests, hasItems: true, isPrivate: isPrivate)
        guard let result = ending.result, !ending.isInterrupted else {
            if let last = reports.last {
                try StandardOutput.write(global.json ? await last.json.document : await last.text)
            }
            return ExitStatus.interrupted
        }
        if global.json {
            var requests: [JSON] = []
            for report in reports { requests.append(await report.json) }
            try StandardOutput.write(JSON.object(result.json + [("requests", .array(requests))]).document)
        } else {
            try StandardOutput.write(result.text + reports.map(\.remarks).joined() + (transfers?.text ?? ""))
        }
        guard expect == nil else { return expectedStatus(reports.last) ?? 0 }
        // A request that ended by itself says more than the session's own result.
        let failed = reports.last { ![.completed, .cancelled].contains($0.outcome.kind) }
        return failed?.exitStatus ?? result.status
    }

    private func reports(
        _ requests: [ExtensionRequest], hasItems: Bool, isPrivate: Bool
    ) async -> [RunReport] {
        var reports: [RunReport] = []
        for request in requests {
            var report = await RunReport(request)
            report.explain(hasItems: hasItems, isPrivate: isPrivate)
            reports.append(report)
        }
        return reports
    }

    /// Returns the exit status of `--expect`; nil without it.
    private func expectedStatus(_ report: RunReport?) -> Int32? {
        guard let expect else { return nil }
        if expect == report?.outcome.kind { return 0 }
        let found = report.map { "the request was \($0.outcome.kind.rawValue) (\($0.outcome.cause.rawValue))" }
        StandardError.line("exthostctl: expected \(expect.rawValue), and \(found ?? "no request was begun")")
        return ExitStatus.notExpected
    }
}
