// AppCommand: the verb that lets the daemon run an app in its own container.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Foundation
import Glibc

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Run an app in its own container, or activate the running one.",
        usage:
            "exthostctl app [--url <url>] [--background] [--detach] [--environment] [--profile <name>] [<global options>] <path> [<argument> ...]",
        discussion: """
            The daemon launches the program of CFBundleExecutable in the app's Info.plist, with the same confinement as
            an extension. Its home is its own container, Data/Application/IDENTIFIER, and it has the containers of the
            groups in its Entitlements.plist. The command prints the app's output, and its exit status is the app's.
            Ctrl-C, SIGTERM and SIGHUP close the app: it receives SIGTERM and has about five seconds. A second signal
            kills it. The app's standard input is empty. Options of the app follow its path.

            Each app has one process. Opening a running app activates it, or passes the URL to its delegate. The command
            then ends at once.

            --profile shows how the app runs on an older system: UIDevice.current.systemVersion is the profile's, and
            below 8.0 there are no extensions. The daemon is then a private one, which ends with the app.

            EXAMPLES
              exthostctl app ./Notes.app
              exthostctl app --url notes://new ./Notes.app
              exthostctl with --applications . -- exthostctl app ./Notes.app --import
              exthostctl app --detach ./Notes.app
              exthostctl app --environment ./Notes.app
              exthostctl app --profile ios-7 ./Notes.app
            """)

    @Option(help: ArgumentHelp("Open this URL in the app.", valueName: "url"))
    var url: String?

    @Flag(help: "Start it for background work: it does not become active.")
    var background = false

    @Flag(help: "Return when the app runs, and do not stop it; with --url, when it has received the URL.")
    var detach = false

    @Flag(
        help:
            "Make the container, print the variables that name it, and run nothing; needs no daemon. --json: as an object."
    )
    var environment = false

    @Option(
        help: ArgumentHelp(
            "Run it in a private daemon with this platform's profile, such as ios-7; show --profile lists them.",
            valueName: "name"))
    var profile: String?

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    @Argument(help: ArgumentHelp("An .app.", valueName: "path"), completion: .directory)
    var path: String

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func validate() throws {
        if url != nil, background { throw ValidationError("--background opens no URL: omit --background or --url.") }
        if environment, url != nil || background || detach {
            throw ValidationError("--environment runs nothing: omit --url, --background and --detach.")
        }
        guard let profile else { return }
        if environment || detach || global.socket != nil || global.scope != nil {
            throw ValidationError(
                "--profile starts a private daemon: omit --environment, --detach, --socket, --user and --system.")
        }
        guard PlatformProfile.named(profile) != nil else {
            throw ValidationError("There is no profile “\(profile)”. exthostctl show --profile lists them.")
        }
    }

    func run() async throws {
        let place = URL(fileURLWithPath: path).standardizedFileURL.path
        if environment {
            return try AppEnvironment(of: place, isSystem: global.scope == .system).print(asJSON: global.json)
        }
        let status = try await global.withControl(profile.map { ["--profile", $0] } ?? []) { control in
            detach ? try await open(place, control) : try await follow(place, control)
        }
        throw ExitCode(status)
    }

    private var reason: AppReason { url.map(AppReason.url) ?? (background ? .woken : .opened) }

    private func open(_ place: String, _ control: DaemonControl) async throws -> Int32 {
        let opened = try await control.openApp(at: place, for: reason, arguments: arguments)
        if global.json {
            let answer: JSON = [
                "identifier": .string(opened.identifier), "pid": .integer(opened.pid),
                "launched": .boolean(opened.isLaunched),
            ]
            try StandardOutput.write(answer.document)
        } else if !global.quiet {
            try StandardOutput.line(
                "\(opened.isLaunched ? "launched" : "told") \(opened.identifier), pid \(opened.pid)")
        }
        return 0
    }

    private func follow(_ place: String, _ control: DaemonControl) async throws -> Int32 {
        let closing = try ClosingSignals()
        defer { withExtendedLifetime(closing) {} }
        // This applies until there is an app to close: the daemon closes an app whose command is gone.
        closing.begin { _ in Glibc.exit(ExitStatus.interrupted) }
        let app = try await control.launchApp(at: place, for: reason, arguments: arguments) { output in
            StandardStream.write(output.bytes, to: output.stream == .stdout ? 1 : 2)
        }
        guard app.opened.isLaunched else {
            if !global.quiet {
                StandardError.line(
                    "exthostctl: \(app.opened.identifier) already runs, with pid \(app.opened.pid): it was notified")
            }
            return 0
        }
        closing.begin { count in
            Task {
                if count == 1 {
                    try await control.closeApp(app.opened.identifier)
                } else {
                    _ = try await control.kill(.pid(app.opened.pid))
                }
            }
        }
        guard let exit = try await app.ending else { throw CommandError.unexpected("the app has no exit record") }
        if let status = exit.status { return Int32(truncatingIfNeeded: status) }
        if let signal = exit.signal { return 128 + Int32(truncatingIfNeeded: signal) }
        // A private daemon has ended with this command, so the user cannot ask it.
        let more =
            global.ephemeral || profile != nil
            ? "" : ". exthostctl exits and exthostctl logs \(app.opened.identifier) show the details"
        StandardError.line("exthostctl: \(app.opened.identifier) ended: \(exit.cause.rawValue)\(more)")
        return ExitStatus.internalError
    }
}
