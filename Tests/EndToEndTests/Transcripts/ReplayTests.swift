// ReplayTests: a recorded session replays clean against what it was recorded with, and diverges at the first thing that
// is otherwise.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing
import Transcripts

@Suite final class ReplayTests {
    private let folder: TemporaryDirectory
    private var file: String { folder.path + "/session.jsonl" }
    private let program = SampleApplications.buildFolder + "/exthostctl"
    private let share = "org.exthost.samples.share"

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-replay-tests") }

    deinit { try? folder.remove() }

    private func run(_ arguments: [String]) async throws -> Program.Ending {
        try await Program.control(arguments, socket: "/nonexistent/host.sock").ending()
    }

    /// Records a request of the sample that shares a link.
    private func record(
        _ link: String = "https://example.org/a", contents: Bool = true, options: [String] = []
    ) async throws {
        let ending = try await run(
            ["record", file] + (contents ? ["--contents"] : []) + [
                "--applications", try samples(), "--", program, "run", share, "--url", link,
            ] + options)
        #expect(ending.status == 0, "\(ending)")
    }

    /// Changes what the file says.
    private func edit(_ change: (inout String) -> Void) throws {
        var text = try String(contentsOfFile: file, encoding: .utf8)
        change(&text)
        try text.write(toFile: file, atomically: false, encoding: .utf8)
    }

    @Test func aRecordedSessionReplaysCleanBothWays() async throws {
        try await record()
        let asHost = try await run(["replay", file, "--applications", try samples()])
        #expect(asHost.status == 0 && asHost.output == "as recorded\n", "\(asHost)")
        let asExtension = try await run([
            "replay", file, "--as", "extension", "--", program, "run", share, "--url", "https://example.org/a",
        ])
        #expect(asExtension.status == 0 && asExtension.output.hasSuffix("as recorded\n"), "\(asExtension)")
        // The host got what the recorded extension had said.
        #expect(asExtension.output.contains("shared: https://example.org/a"), "\(asExtension)")
    }

    @Test func anExtensionThatAnswersOtherwiseDivergesAtThePathOfIt() async throws {
        try await record()
        // As if it had answered otherwise then.
        try edit {
            $0 = $0.replacing(#""shared": "https://example.org/a""#, with: #""shared": "https://example.org/b""#)
        }
        let ending = try await run(["replay", file, "--applications", try samples()])
        #expect(ending.status == 1 && ending.output.contains("complete of request"), "\(ending)")
        #expect(
            ending.output.hasSuffix(
                "payload[0].userInfo.shared\n- \"https://example.org/b\"\n+ \"https://example.org/a\"\n"),
            "\(ending)")
        let ignored = try await run([
            "replay", file, "--applications", try samples(), "--ignore", "payload[*].userInfo.shared",
        ])
        #expect(ignored.status == 0, "\(ignored)")
        let json = try await run(["replay", file, "--applications", try samples(), "--json"])
        #expect(json.status == 1 && json.output.contains(#""path": "payload[0].userInfo.shared""#), "\(json)")
    }

    @Test func anotherExtensionInItsPlaceDivergesAtTheFirstMessage() async throws {
        try await record()
        let bundles = try TestBundles(application: "org.exthost.samples")
        try bundles.add(
            "share", identifier: share, program: SampleApplications.buildFolder + "/CancelWithError",
            principalClass: "CancelWithError.CancelWithError")
        let ending = try await run(["replay", file, "--applications", bundles.path])
        #expect(
            ending.status == 1 && ending.output.hasSuffix("kind\n- \"loadItem\"\n+ \"cancelRequest\"\n"), "\(ending)")
    }

    @Test func anExtensionThatDiesDivergesByWhatItDoesNotSay() async throws {
        try await record()
        let bundles = try TestBundles(application: "org.exthost.samples")
        try bundles.add(
            "share", identifier: share, program: SampleApplications.buildFolder + "/Crash",
            principalClass: "Crash.Crash")
        let ending = try await run(["replay", file, "--applications", bundles.path])
        #expect(ending.status == 1 && ending.output.contains("the request has ended: crashed"), "\(ending)")
        #expect(ending.output.hasSuffix("kind\n- \"loadItem\"\n+ nothing\n"), "\(ending)")
    }

    @Test func aHostThatSharesSomethingElseDivergesAtThePathOfIt() async throws {
        try await record()
        let other = try await run([
            "replay", file, "--as", "extension", "--", program, "run", share, "--url", "https://example.org/b",
        ])
        #expect(other.status == 1 && other.output.contains("itemLoaded of request"), "\(other)")
        #expect(
            other.output.hasSuffix("payload.value.string\n- \"https://example.org/a\"\n+ \"https://example.org/b\"\n"),
            "\(other)"
        )
        let silent = try await run(["replay", file, "--as", "extension", "--", "true"])
        #expect(silent.status == 1 && silent.output.contains("the host has exited"), "\(silent)")
        #expect(silent.output.hasSuffix("kind\n- \"begin\"\n+ nothing\n"), "\(silent)")
    }

    @Test func aHostThatDoesMoreThanThenDiverges() async throws {
        try await record()
        let script =
            "\"$0\" run \(share) --url https://example.org/a && \"$0\" run \(share) --url https://example.org/a"
        let ending = try await run(["replay", file, "--as", "extension", "--", "sh", "-c", script, program])
        #expect(ending.status == 1 && ending.output.hasSuffix("kind\n- nothing\n+ \"begin\"\n"), "\(ending)")
    }

    @Test func withAVirtualClockTimeMovesAsItDid() async throws {
        try await withTestDaemon(applications: [try samples()], clock: .virtual) { daemon in
            let recorder = try await daemon.record(to: file, contents: true)
            let host = try await daemon.host("notes")
            let request = try await host.begin(
                "org.exthost.samples.hang", items: [.url("https://example.org")], timeout: .seconds(3600))
            try await host.setState(.inactive)
            try await daemon.clock.advance(by: .seconds(3600))
            #expect(await request.outcome.cause == .requestTimeout)
            try await recorder.stop()
        }
        let transcript = try Transcript(contentsOf: file)
        let agreed = try await transcript.replayAsHost(applications: [try samples()])
        #expect(agreed == nil, "\(agreed.map { "\($0)" } ?? "")")
        // The same with one that answers: its request does not end then.
        let bundles = try TestBundles(application: "org.exthost.samples")
        try bundles.add(
            "hang", identifier: "org.exthost.samples.hang",
            program: SampleApplications.buildFolder + "/CancelWithError",
            principalClass: "CancelWithError.CancelWithError")
        let divergence = try await transcript.replayAsHost(applications: [bundles.path])
        #expect(divergence != nil)
    }

    /// The daemon that was recorded ended before the extension's completion handler.
    @Test func aHandlerThatTheRecordingDoesNotHaveTheEndOfMayEnd() async throws {
        // Until the handler has ended: a daemon that is stopped at the outcome may end before it.
        try await record(options: ["--wait-exit"])
        try edit { text in
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let others = lines.filter { !$0.contains("\"handlerFinished\"") }
            #expect(others.count == lines.count - 1)
            // The last line counts those between it and the header.
            let count = lines.count { !$0.isEmpty } - 2
            #expect(text.contains("{\"end\": \(count)}"))
            text = others.joined(separator: "\n").replacing("{\"end\": \(count)}", with: "{\"end\": \(count - 1)}")
        }
        let replayed = try await run(["replay", file, "--applications", try samples()])
        #expect(replayed.status == 0 && replayed.output == "as recorded\n", "\(replayed)")
    }

    @Test func aTestsOwnHostMeetsTheRecordedExtension() async throws {
        // Without a terminal a run has a limit, which the test's host does not set.
        try await record(options: ["--timeout", "none"])
        let transcript = try Transcript(contentsOf: file)
        let divergence = try await transcript.replayAsExtension(ignoring: ["payload[0].userInfo"]) { [share] daemon in
            let host = try await daemon.host("exthostctl")
            let request = try await host.begin(share, items: [.url("https://example.org/a")])
            guard case .completed(let items) = await request.outcome,
                items.first?.userInfo?["shared"] as? String == "https://example.org/a"
            else {
                throw UnexpectedOutcome(outcome: "\(await request.outcome)")
            }
        }
        #expect(divergence == nil, "\(divergence.map { "\($0)" } ?? "")")
    }

    @Test func whatARecordingCannotReplayIsSaidWithWhatIsMissing() async throws {
        try await record(contents: false)
        let bare = try await run(["replay", file, "--applications", try samples()])
        #expect(bare.status == 64 || bare.status == 70, "\(bare)")
        #expect(
            bare.errors.contains("lacks the contents of begin 2 of host")
                && bare.errors.contains("Record again with --contents"),
            "\(bare)")
        let other = try await run(["replay", file, "--as", "extension", "--", "true"])
        #expect(other.errors.contains("lacks the contents of complete"), "\(other)")
        try await record()
        try edit { text in
            var lines = text.split(separator: "\n").map(String.init)
            lines.insert(#"{"time": 1, "gap": 3}"#, at: 1)
            lines.removeLast()
            text = lines.joined(separator: "\n") + "\n"
        }
        let gap = try await run(["replay", file, "--applications", try samples()])
        #expect(gap.errors.contains("lacks 3 entries"), "\(gap)")
    }

    @Test(arguments: [
        (["replay", "/nonexistent"], Int32(66), "cannot be read"), (["replay", "/dev/null"], 64, "line 1"),
        (["replay", "x", "--as", "extension"], 64, "Put -- and the host's command"),
        (["replay", "x", "--", "true"], 64, "omit one of them"),
        (["replay", "x", "--socket", "y"], 64, "A replay has a private daemon"),
    ])
    func whatCannotBeIsToldWithItsStatus(_ arguments: [String], _ status: Int32, _ words: String) async throws {
        let ending = try await run(arguments)
        #expect(ending.status == status && ending.errors.contains(words), "\(ending)")
    }
}
