// WithTests: a command with a private daemon of its own, and what shells complete.

import ExtensionHostTesting
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct WithTests {
    private let program = SampleApplications.buildFolder + "/exthostctl"

    private func run(_ arguments: [String]) async throws -> Program.Ending {
        try await Program.control(arguments, socket: "/nonexistent/host.sock").ending()
    }

    @Test func aCommandFindsItsDaemonGivesTheStatusAndTheDaemonIsGoneWithIt() async throws {
        let script = "\"$0\" list; echo \"$EXTHOST_SOCKET\"; exit 7"
        let ending = try await run(["with", "--applications", try samples(), "--", "sh", "-c", script, program])
        #expect(ending.status == 7)
        let lines = ending.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("     org.exthost.samples.brightness(") == true)
        let socket = try #require(lines.last.map(String.init))
        #expect(socket.hasSuffix("/host.sock"))
        #expect(!FileManager.default.fileExists(atPath: URL(fileURLWithPath: socket).deletingLastPathComponent().path))
        #expect(ending.errors.isEmpty)
    }

    @Test func aFolderThatIsNotThereIsSaidByName() async throws {
        for option in [["--applications", "/nonexistent/Apps"], ["--applications=/nonexistent/Apps"]] {
            let ending = try await run(["with"] + option + ["--", "true"])
            #expect(
                ending.status == 0 && ending.errors.contains("the folder /nonexistent/Apps does not exist"), "\(ending)"
            )
            #expect(try await run(["with", "-q"] + option + ["--", "true"]).errors.isEmpty)
        }
    }

    /// The daemon's lease is its starter's end of a pipe, which the kernel closes with it.
    @Test func aStarterThatIsKilledTakesItsDaemonAndAllThatRunsAlong() async throws {
        let bundles = try TestBundles.withPuppet()
        let folder = try TemporaryDirectory(prefix: "exthost-with-tests")
        defer { try? folder.remove() }
        let starter = try Program.control(
            ["with", "--applications", bundles.path, "--", program, "run", puppet, "--title", "hang"],
            socket: "/nonexistent/host.sock", environment: ["TMPDIR": folder.path])
        try await eventually { !running(bundles.path).isEmpty }
        try starter.kill()
        #expect(try await starter.ending().status == nil)
        try await eventually { running(bundles.path).isEmpty }
        try await eventually { try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty }
    }

    @Test func optionsGoToTheDaemon() async throws {
        let script = "\"$0\" clock advance 1 --json; \"$0\" status; echo \"$DBUS_SESSION_BUS_ADDRESS\""
        let ending = try await run([
            "-q", "with", "--bus", "private", "--clock=virtual", "--", "sh", "-c", script, program,
        ])
        #expect(ending.status == 0 && ending.output.hasPrefix(#"{"advanced": 1.0}"#), "\(ending)")
        let address = try #require(ending.output.split(separator: "\n").last)
        #expect(
            ending.output.contains("Bus: message bus at \(address)\n") && ending.output.contains("Clock: virtual\n"))
    }

    @Test func aBusThatIsNamedByItsAddressIsPassedOn() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-with-tests")
        defer { try? folder.remove() }
        let bus = try Program.run(
            "/usr/bin/dbus-daemon",
            ["--session", "--nofork", "--nopidfile", "--print-address=1", "--address=unix:path=\(folder.path)/bus"],
            socket: "")
        let address = try #require(await bus.lines.first { _ in true })
        let script = "echo \"$DBUS_SESSION_BUS_ADDRESS\"; \"$0\" status"
        let ending = try await run(["with", "--bus", address, "--", "sh", "-c", script, program])
        #expect(ending.status == 0 && ending.output.hasPrefix(address + "\n"), "\(ending)")
        #expect(ending.output.contains("Bus: message bus at \(address)\n"))
    }

    @Test(arguments: [
        (["with"], Int32(64), "Put -- before the command"), (["with", "--"], 64, "There is no command after --"),
        (["with", "--socket", "x", "--", "true"], 64, "--socket names another daemon"),
        (["with", "--no-such-option", "--", "true"], 64, "exthostd rejects these options"),
        (["with", "--", "/nonexistent/program"], 127, "cannot be executed"),
        (["with", "--", "/"], 126, "cannot be executed"),
        (["with", "--", "sh", "-c", "kill -KILL $$"], 137, ""), (["with", "--", "false"], 1, ""),
        (["with", "--", "sh", "-c", "echo --help; exit 0", "--help"], 0, ""),
    ])
    func theStatusIsTheCommandsOrSaysWhyThereWasNone(_ arguments: [String], _ status: Int32, _ words: String)
        async throws
    {
        let ending = try await run(arguments)
        #expect(ending.status == status && (words.isEmpty || ending.errors.contains(words)), "\(ending)")
    }

    @Test func aSignalPassesOnToTheCommandWhichDecides() async throws {
        let script = "trap 'echo caught; exit 3' INT; echo ready; while :; do sleep 0.01; done"
        let program = try Program.control(["with", "--", "sh", "-c", script], socket: "/nonexistent/host.sock")
        try await program.shows("ready")
        try program.interrupt()
        let ending = try await program.ending()
        #expect(ending.status == 3 && ending.output == "ready\ncaught\n", "\(ending)")
    }

    // MARK: Completion

    @Test(arguments: ["bash", "zsh", "fish"])
    func aShellsCompletionNamesEveryVerb(shell: String) async throws {
        let ending = try await run(["--generate-completion-script", shell])
        #expect(ending.status == 0 && ending.errors.isEmpty)
        for verb in ["status", "kill", "logs", "with", "run", "list", "cancel", "watch", "wait-exit"] {
            #expect(ending.output.contains(verb), "\(verb)")
        }
    }

    @Test func bashCompletesVerbsOptionsOutcomesAndIdentifiers() async throws {
        let script = """
            cd "$(mktemp -d)" && trap 'rm -r "$PWD"' EXIT
            PATH="$(dirname "$0"):$PATH"
            eval "$("$0" --generate-completion-script bash)"
            complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=()
                _exthostctl exthostctl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; echo "${COMPREPLY[@]}"; }
            complete_words exthostctl sta
            complete_words exthostctl run --wait-e
            complete_words exthostctl run x --expect tim
            complete_words exthostctl kill org.exthost.samples.ha
            """
        let ending = try await run(["with", "--applications", try samples(), "--", "bash", "-c", script, program])
        let lines = ending.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines == ["status stats", "--wait-exit", "timedOut", "org.exthost.samples.hang"], "\(ending)")
    }

    @Test func everyVerbAndGroupOfVerbsShowsAnExample() async throws {
        for verb in [["status"], ["kill"], ["logs"], ["with"], ["host"], ["clock"], []] {
            let ending = try await run(verb + ["--help"])
            #expect(ending.status == 0 && ending.output.contains("EXAMPLE"), "\(verb)")
        }
    }
}
