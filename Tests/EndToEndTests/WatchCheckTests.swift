// WatchCheckTests: a log that is held against the state machines, live and from a file.

import ExtensionHostTesting
import Foundation
import TestPrograms
import Testing

@Suite struct WatchCheckTests {
    /// What one request with a load and completion work leaves in the log.
    private func log() async throws -> (bundles: TestBundles, path: String, lines: [Substring]) {
        let bundles = try TestBundles.withPuppet()
        let path = bundles.path + "/log.jsonl"
        let lines = try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=20ms"]) {
            daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("count")])
            #expect(await request.outcome.cause == .completed)
            _ = await request.exit
            let ending = try await control(["watch", "--since", "0", "--no-follow", "--json", "--check"], daemon)
            #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending)")
            return ending.output.split(separator: "\n")
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
        return (bundles, path, lines)
    }

    private func watch(_ arguments: [String]) async throws -> Program.Ending {
        try await Program.control(["watch"] + arguments, socket: "/nowhere").ending()
    }

    @Test func aLogThatWasKeptIsShownAndFoundSound() async throws {
        let log = try await log()
        let same = try await watch(["--file", log.path, "--json", "--check"])
        #expect(same.status == 0 && same.errors.isEmpty, "\(same)")
        #expect(same.output == log.lines.joined(separator: "\n") + "\n", "what is read is what was printed")
        let people = try await watch(["--file", log.path])
        #expect(people.status == 0 && people.output.contains("request.completed"))
    }

    @Test func anEventThatCannotBeIsNamed() async throws {
        let log = try await log()
        var lines = log.lines
        lines.removeAll { $0.contains("request.delivered") }
        // Its number, too: else the gap is what is told.
        let text = lines.enumerated().map { index, line in
            line.replacingOccurrences(
                of: #""seq": ?[0-9]+"#, with: #""seq":\#(index + 1)"#, options: .regularExpression)
        }
        try Data(text.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: log.path))
        let ending = try await watch(["--file", log.path, "--check"])
        #expect(ending.status == 1)
        #expect(ending.errors.contains("request.completed: request "), "\(ending.errors)")
        #expect(ending.errors.contains(" is created; allowed are request.held, request.delivered"), "\(ending.errors)")
    }

    @Test func anInterruptedCheckSaysByItsStatusThatNothingWasFound() async throws {
        try await withTestDaemon(applications: []) { daemon in
            let program = try Program.control(["watch", "--since", "0", "--check"], socket: daemon.address.path)
            try await program.shows("daemon.started")
            try program.interrupt()
            #expect(try await program.ending().status == 130)
        }
    }

    @Test(arguments: [
        ("no log", "not a JSON object"), (#"{"seq":1}"#, "seq, time and event are required"),
        (#"{"seq":1e300,"time":1,"event":"x"}"#, "seq is not a number"),
        (#"{"seq":1,"time":1,"event":"x","request":"y"}"#, "request is not an identifier"),
    ])
    func whatIsNoLogIsRefused(_ text: String, _ words: String) async throws {
        let folder = try TestBundles()
        let path = folder.path + "/log"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let ending = try await watch(["--file", path, "--check"])
        #expect(ending.status == 64 && ending.errors.contains(words), "\(ending)")
        let missing = try await watch(["--file", path + "x"])
        #expect(missing.status == 66 && missing.errors.contains("cannot be read"), "\(missing)")
    }
}
