// ReplayCommand: the verb that replays one side of a recorded session, and reports the first divergence of the other
// side.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import PropertyListCoding
import Transcripts

struct ReplayCommand: AsyncParsableCommand {
    enum Side: String, ExpressibleByArgument, CaseIterable { case host, `extension` }

    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replay a recorded session against a current extension or host.",
        discussion: """
            As host, the command repeats the actions of the recorded hosts and tools, in their order, with the
            extensions in --applications. As extension, it runs a host's command with extensions that send the recorded
            messages. Both use a private daemon with the recorded clock and time limits. Extension points of your own
            are in the folders of --extension-points, as for the recording.

            The command compares the messages of the other side with the recording, except for identifiers, dates and
            serials. It shows the first divergence by its path in the message, and exits with status 1, or with 0 if
            there is none. The recording must have been made with --contents.

            EXAMPLES
              exthostctl replay session.jsonl --applications ./Apps
              exthostctl replay session.jsonl --applications ./Apps --ignore 'payload[0].userInfo.version'
              exthostctl replay session.jsonl --as extension -- ./MyHost
              exthostctl replay session.jsonl --applications ./Apps --extension-points ./ExtensionPoints
            """)

    @Argument(help: "A transcript from exthostctl record --contents.", completion: .file())
    var file: String

    @Option(name: .customLong("as"), help: "The side that the command plays.")
    var side = Side.host

    @Option(
        help: ArgumentHelp(
            "A path in messages to exclude from the comparison; * is any key or place; repeatable.", valueName: "path"))
    var ignore: [String] = []

    @Option(
        help: ArgumentHelp("The extra time allowed for each step, beyond the recorded time.", valueName: "duration"),
        transform: duration)
    var patience = Duration.seconds(10)

    @Option(help: ArgumentHelp("A folder of extensions; repeatable.", valueName: "dir"), completion: .directory)
    var applications: [String] = []

    @OptionGroup
    var points: ExtensionPointOptions

    @Option(help: ArgumentHelp("The demanded confinement: required, best or none.", valueName: "demand"))
    var sandbox: String?

    @Argument(parsing: .postTerminator, help: "As extension: the host's command.")
    var command: [String] = []

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        switch side {
        case .host:
            if !command.isEmpty {
                throw ValidationError("A command is the host, and --as host plays the host: omit one of them.")
            }
        case .extension:
            if command.isEmpty { throw ValidationError("Put -- and the host's command at the end.") }
            if !applications.isEmpty {
                throw ValidationError("The command plays the recorded extensions: omit --applications.")
            }
        }
        if global.ephemeral || global.socket != nil || global.scope != nil {
            throw ValidationError("A replay has a private daemon: omit --socket, --user, --system and --ephemeral.")
        }
    }

    func run() async throws {
        let transcript = try Transcript(named: file)
        let options = points.arguments + (sandbox.map { ["--sandbox", $0] } ?? [])
        let divergence: TranscriptDivergence?
        switch side {
        case .host:
            divergence = try await transcript.replayAsHost(
                applications: applications, ignoring: ignore, patience: patience, arguments: options)
        case .extension:
            let command = command
            divergence = try await transcript.replayAsExtension(
                ignoring: ignore, patience: patience, arguments: options
            ) {
                daemon in
                let environment = WithCommand.environment(of: daemon)
                let status = try await withTaskCancellationHandler {
                    try await ForegroundCommand.run(command, environment: environment)
                } onCancel: {
                    ForegroundCommand.end()
                }
                if status == 126 || status == 127 { throw ExitCode(status) }
            }
        }
        try show(divergence, of: transcript)
        if divergence != nil { throw ExitCode(ExitStatus.notExpected) }
    }

    private func show(_ divergence: TranscriptDivergence?, of transcript: Transcript) throws {
        if global.json {
            var members: [(name: String, value: JSON)] = [("agrees", .boolean(divergence == nil))]
            if let divergence {
                members += [
                    ("packet", .string(divergence.packet)), ("path", .string(divergence.difference.path)),
                    ("expected", divergence.difference.expected.map(JSON.init(_:)) ?? .null),
                    ("found", divergence.difference.found.map(JSON.init(_:)) ?? .null),
                    ("note", .optional(divergence.note)),
                ]
            }
            try StandardOutput.write(JSON.object(members).document)
        } else if let divergence {
            let lines = "\(divergence)".split(separator: "\n", omittingEmptySubsequences: false).map {
                printable(String($0))
            }
            for line in lines {
                try StandardOutput.line(
                    line.hasPrefix("- ") ? Colour.red(line) : line.hasPrefix("+ ") ? Colour.green(line) : line)
            }
        } else if !global.quiet {
            try StandardOutput.line("as recorded\(transcript.isWhole ? "" : ", as far as the recording goes")")
        }
    }
}
