// TerminalSheetTests: a compose sheet used by lines of standard input.

import ExtensionHostTesting
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct TerminalSheetTests {
    private static let save = "org.exthost.samples.reading.save"

    private func run(_ options: [String], _ daemon: TestDaemon) throws -> Program {
        try Program.control(["run", Self.save, "--url", "https://example.org"] + options, socket: daemon.address.path)
    }

    @Test func aSheetThatNobodyUsesSaysWhatItWaitsForAndWhichOptionsAnswerIt() async throws {
        let bundles = try TestBundles.readingList()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let program = try run([], daemon)
            try await program.shows("--timeout sets another limit")
            let waiting = try #require(try await daemon.control.requests().first)
            #expect(waiting.extensionIdentifier == Self.save)
            let unlimited = try run(["--timeout", "none"], daemon)
            try await unlimited.shows("--timeout 10s sets a limit")
            try program.interrupt()
            try unlimited.interrupt()
            let ending = try await program.ending()
            for words in [
                "exthostctl: \(Self.save), pid \(waiting.pid ?? 0) has not answered after 3 s\n", "  view: Save link [",
                " [Post] [Cancel]\n",
                " done, 0 load handlers open\n", "  a user can answer it: --tap '",
                "--act post, --act cancel, --act 'text WORDS'",
                "  it times out after 60.0 s; --timeout sets another limit, or none\n",
            ] {
                #expect(ending.errors.contains(words), "\(words): \(ending.errors)")
            }
            #expect(
                try await unlimited.ending().errors.contains(
                    "  Ctrl-C cancels the request; --timeout 10s sets a limit\n"))
        }
    }

    @Test func tapAndActUseTheViewInTheirOrder() async throws {
        let bundles = try TestBundles.readingList()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let ending = try await run(["--act", "text a note", "--tap=Public", "--act=post"], daemon).ending()
            #expect(ending.status == 0 && ending.output.hasPrefix("completed"), "\(ending)")
            let cancelled = try await run(["--act", "cancel"], daemon).ending()
            #expect(cancelled.status == 10, "\(cancelled)")
            // As the view shows them.
            let tapped = try await run(["--act", "text a note", "--tap", "Post"], daemon).ending()
            #expect(tapped.status == 0, "\(tapped)")
            #expect(try await run(["--tap", "Cancel"], daemon).ending().status == 10)
            let nobody = try await run(["--tap", "Nobody", "--act", "post"], daemon).ending()
            #expect(nobody.status == 10 && nobody.output.hasPrefix("cancelled (cancelledByHost)"), "\(nobody)")
            #expect(
                nobody.errors.contains("“tap Nobody” failed: ") && nobody.errors.contains("nothing to tap named"),
                "\(nobody)")
            for (options, words) in [
                (["--act", "sing"], "“sing” is not an act"), (["--tap", "A", "--interactive"], "omit --tap and --act"),
                (["--timeout", "0"], "a duration above 0, or none"),
            ] {
                let refused = try await run(options, daemon).ending()
                #expect(refused.status == 64 && refused.errors.contains(words), "\(refused)")
            }
        }
    }

    @Test func linesOfInputEditTapAndPost() async throws {
        let bundles = try TestBundles.readingList()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let (input, writer) = try Program.pipe()
            let lines = "text a note\ntap Public\ntap Nobody\nsing\npost\n"
            #expect(lines.utf8CString.withUnsafeBytes { write(writer.raw, $0.baseAddress, $0.count - 1) } > 0)
            let arguments = [
                "run", "org.exthost.samples.reading.save", "--url", "https://example.org", "--interactive",
            ]
            let program = try Program.run(
                SampleApplications.buildFolder + "/exthostctl", arguments, socket: daemon.address.path, input: input)
            let ending = try await program.ending()
            #expect(ending.status == 0 && ending.output.hasPrefix("completed"))
            for line in [
                "│ Save link", "│   a note  34 left", "│   Public: Yes", "│   Readers: Everybody", "│ [Post] [Cancel]",
                "nothing to tap named “Nobody”", "“sing” is not an act",
            ] {
                #expect(ending.errors.contains(line), "\(line)")
            }
        }
    }
}
