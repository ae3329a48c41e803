// RecordCommand: the verb that records a session in a file, or shows such a file.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Locks
import Transcripts

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a session: packets both ways, events, time limits.",
        discussion: """
            With a COMMAND, exthostctl records a private daemon from start to end. The daemon stops with the command,
            and the exit status is the command's. Without one, exthostctl records the running daemon until Ctrl-C, with
            status 130, or until the daemon's end. The file always consists of whole lines.

            By default the transcript has only types and sizes of the content of requests. With --contents it has all
            data that hosts and extensions exchange, and can be replayed. See docs/transcripts.md.

            EXAMPLES
              exthostctl record session.jsonl
              exthostctl record session.jsonl --contents --applications ./Apps -- exthostctl run org.example.share --url https://example.org
              exthostctl record session.jsonl --show
            """)

    @Argument(help: "The transcript's file; an existing file is replaced.", completion: .file())
    var file: String

    @Flag(help: "Also record the contents of items, values and files.")
    var contents = false

    @Flag(help: "Record nothing: print the contents of the file.")
    var show = false

    @OptionGroup(title: "The private daemon of a COMMAND")
    var daemon: PrivateDaemonOptions

    @Argument(parsing: .postTerminator, help: "The command to run with a private daemon.")
    var command: [String] = []

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        if show, contents || !command.isEmpty || !daemon.isEmpty {
            throw ValidationError("--show prints a file: omit --contents, the command and its daemon's options.")
        }
        if command.isEmpty, !daemon.isEmpty {
            throw ValidationError("Options of a private daemon need a command: put -- COMMAND at the end.")
        }
        if !command.isEmpty, global.ephemeral || global.socket != nil || global.scope != nil {
            throw ValidationError(
                "The daemon of a command is a private one: omit --socket, --user, --system and --ephemeral.")
        }
    }

    func run() async throws {
        if show { return try showFile() }
        guard command.isEmpty else { return try await recordCommand() }
        try await global.withDaemon { address in
            // Signals are caught before the recording begins: one of them ends it as soon as it has begun; the second
            // one does not wait for that.
            let signals = try ClosingSignals()
            signals.begin { count in
                if count > 1 { Glibc.exit(ExitStatus.interrupted) }
            }
            let recorder = try await started(of: address)
            let isInterrupted = InterruptedFlag()
            signals.begin { _ in
                isInterrupted.set()
                Task.detached { try? await recorder.stop() }
            }
            try await ended(recorder)
            say(recorder)
            withExtendedLifetime(signals) {}
            if isInterrupted.isSet { throw ExitCode(ExitStatus.interrupted) }
        }
    }

    private func recordCommand() async throws {
        let own = try await TestDaemon.start(
            DaemonProgram.locate(), applications: daemon.applications, clock: daemon.clock, arguments: daemon.arguments)
        let status: Int32
        let recorder: TranscriptRecorder
        do {
            recorder = try await started(of: own.address)
            status = try await ForegroundCommand.run(command, environment: WithCommand.environment(of: own))
        } catch {
            try? await own.stop()
            throw error
        }
        // The daemon's packets at its end belong to the recording.
        do {
            try await own.stop()
        } catch {
            StandardError.line("exthostctl: \(error)")
        }
        try await ended(recorder)
        say(recorder)
        throw ExitCode(status)
    }

    private func ended(_ recorder: TranscriptRecorder) async throws {
        do {
            try await recorder.waitForEnd()
        } catch let error as TranscriptError {
            throw CommandError(error)
        }
    }

    private func started(of address: DaemonAddress) async throws -> TranscriptRecorder {
        do {
            return try await TranscriptRecorder.start(to: file, contents: contents, of: address)
        } catch let error as TranscriptError {
            throw CommandError(error)
        }
    }

    private func say(_ recorder: TranscriptRecorder) {
        let (recorded, missing) = recorder.figures
        guard !global.quiet || missing > 0 else { return }
        StandardError.line(
            "exthostctl: \(file) has \(recorded) entries, \(contents ? "with" : "without") contents"
                + (missing > 0 ? "; \(missing) more are missing: this disk was too slow for them" : ""))
    }

    private func showFile() throws {
        let transcript = try Transcript(named: file)
        guard !global.json else {
            // The file consists of JSON lines already; a cut-off one is left out.
            try StandardOutput.write(String(decoding: TranscriptLine.header(transcript.header).bytes, as: UTF8.self))
            for entry in transcript.entries {
                try StandardOutput.write(String(decoding: TranscriptLine.entry(entry).bytes, as: UTF8.self))
            }
            return
        }
        try StandardOutput.line(TranscriptTimeline.heading(transcript.header))
        var timeline = TranscriptTimeline(isColoured: StandardOutput.hasColour)
        for entry in transcript.entries { try StandardOutput.line(timeline.line(entry)) }
        if !transcript.isWhole { try StandardOutput.line("… the recording was cut off here") }
    }
}

/// The options of a private daemon, as `exthostd` has them.
struct PrivateDaemonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A folder of applications; repeatable.", valueName: "dir"), completion: .directory)
    var applications: [String] = []

    @OptionGroup
    var points: ExtensionPointOptions

    @Option(
        name: .customLong("clock"),
        help: ArgumentHelp("real, or virtual: exthostctl clock advance moves the time.", valueName: "kind"))
    var clockKind: String?

    @Option(help: ArgumentHelp("A time limit, as idle=1s; repeatable.", valueName: "name=duration"))
    var timer: [String] = []

    @Option(help: ArgumentHelp("The demanded confinement: required, best or none.", valueName: "demand"))
    var sandbox: String?

    var isEmpty: Bool {
        applications.isEmpty && points.arguments.isEmpty && clockKind == nil && timer.isEmpty && sandbox == nil
    }

    var clock: TestDaemon.ClockKind { clockKind == "virtual" ? .virtual : .real }

    var arguments: [String] {
        points.arguments + timer.flatMap { ["--timer", $0] } + (sandbox.map { ["--sandbox", $0] } ?? [])
    }

    func validate() throws {
        if let clockKind, TestDaemon.ClockKind(rawValue: clockKind) == nil {
            throw ValidationError("--clock is real or virtual.")
        }
    }
}

/// The folders of extension points of one's own, which a private daemon reads beside the built-in ones.
struct ExtensionPointOptions: ParsableArguments {
    @Option(
        name: .customLong("extension-points"),
        help: ArgumentHelp("A folder of extension points; repeatable.", valueName: "dir"), completion: .directory)
    var folders: [String] = []

    var arguments: [String] { folders.flatMap { ["--extension-points", $0] } }

    func validate() throws {
        for folder in folders {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
                throw ValidationError("--extension-points \(folder) is no folder: name one with property lists.")
            }
        }
    }
}

/// A flag that a signal sets.
private final class InterruptedFlag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}

extension Transcript {
    /// Reads the file that the command line names.
    init(named path: String) throws(CommandError) {
        do {
            try self.init(contentsOf: path)
        } catch {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    init(_ error: TranscriptError) {
        let place = error.path + (error.line.map { ", line \($0)" } ?? "")
        self =
            error.isMissing
            ? .missing("\(place): \(error.message)", remedy: error.remedy)
            : .usage("\(place): \(error.message)", remedy: error.remedy)
    }
}
