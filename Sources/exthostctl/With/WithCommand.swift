// WithCommand: the verb that runs a command with a private daemon of its own.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation

struct WithCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "with",
        abstract: "Run a command with a private daemon, which ends with it.",
        usage: "exthostctl with [<exthostd options>] -- <command> [<argument> ...]",
        discussion: """
            The command finds the daemon by EXTHOST_SOCKET and, with --bus private, its bus by DBUS_SESSION_BUS_ADDRESS.
            App groups have their containers in EXTHOST_GROUP_CONTAINERS, which are deleted with the daemon. Options
            before -- are exthostd's.

            exthostctl forwards signals to the command. The exit status is the command's. It is 128 plus the number of a
            signal that ended the command, 127 if the command was not found, and 126 if it could not be executed.

            EXAMPLES
              exthostctl with -- swift test
              exthostctl with --applications ./Apps --timer idle=1s -- exthostctl list
              exthostctl with --clock virtual -- sh -c 'exthostctl clock advance 5min'
            """)

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var words: [String] = []

    func run() async throws {
        guard let separator = words.firstIndex(of: "--") else {
            if words.contains("--help") || words.contains("-h") { throw CleanExit.helpRequest(self) }
            throw ValidationError("Put -- before the command: exthostctl with -- COMMAND.")
        }
        let options = words[..<separator]
        if options.contains("--help") || options.contains("-h") { throw CleanExit.helpRequest(self) }
        let command = Array(words[words.index(after: separator)...])
        guard !command.isEmpty else { throw ValidationError("There is no command after --.") }
        if let other = options.first(where: { $0 == "--socket" || $0.hasPrefix("--socket=") || $0 == "--system" }) {
            throw ValidationError("\(other) names another daemon, and this command starts a private one: omit it.")
        }
        // These global options of the other verbs have no meaning here.
        let daemonOptions = options.filter { !["--json", "-q", "--quiet", "--ephemeral", "--user"].contains($0) }

        if !options.contains("-q"), !options.contains("--quiet") { Self.warn(ofFoldersIn: Array(daemonOptions)) }
        let daemon = try await TestDaemon.start(
            DaemonProgram.locate(), applications: [], arguments: Array(daemonOptions))
        let result: Result<Int32, any Error>
        do {
            result = .success(try await ForegroundCommand.run(command, environment: Self.environment(of: daemon)))
        } catch {
            result = .failure(error)
        }
        do {
            try await daemon.stop()
        } catch {
            StandardError.line("exthostctl: \(error)")
        }
        throw ExitCode(try result.get())
    }

    /// Warns of missing folders. A folder may come later, so a missing one is no error of the command line's; but
    /// mostly it is misspelt.
    private static func warn(ofFoldersIn options: [String]) {
        for (index, option) in options.enumerated() {
            var folder: String?
            if option == "--applications", index + 1 < options.count { folder = options[index + 1] }
            if option.hasPrefix("--applications=") { folder = String(option.dropFirst("--applications=".count)) }
            guard let folder, !FileManager.default.fileExists(atPath: folder) else { continue }
            StandardError.line(
                "exthostctl: the folder \(folder) does not exist: the daemon finds nothing there until it does")
        }
    }

    /// Returns the environment by which a command finds a private daemon.
    static func environment(of daemon: TestDaemon) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["EXTHOST_SOCKET"] = daemon.address.path
        environment[ContainerNames.groupFolderVariable] = daemon.groupContainers
        if let bus = daemon.bus { environment["DBUS_SESSION_BUS_ADDRESS"] = bus }
        return environment
    }
}
