// ScenarioTests: `exthostctl test` with a scenario file: every kind of line against real processes, and every form of
// the results.

import ExtensionHostTesting
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct ScenarioTests {
    private func passes(_ scenario: String, _ arguments: [String] = [], in run: TrialRun? = nil) async throws {
        let run = try run ?? TrialRun()
        let ending = try await run.run([try run.write(scenario)] + arguments)
        #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    }

    private static let good = "extension \(TrialExtension.goodLink.identifier)\n"
    private static let hanging = "extension \(TrialExtension.neverCompletes.identifier)\n"

    @Test func hostAndClockAreMovedAndTheLogIsInOrder() async throws {
        try await passes(
            Self.hanging + """
                test "the host goes away"
                  begin --url https://example.org --timeout 30s
                  host background
                  advance 10s
                  expect log request.delivered, process.suspended
                  host foreground
                  wait process.resumed
                  host active
                  advance 30s
                  expect outcome timedOut requestTimeout
                  expect log process.suspended, process.resumed, request.timedOut, process.exited(requestTimeout)
                  expect no process
                """)
    }

    @Test func aRequestIsCancelledAHostLeavesAndAProcessIsKilled() async throws {
        try await passes(
            Self.hanging + """
                test "cancelled"
                  begin as one --url https://example.org
                  begin as other --url https://example.org --host notes
                  cancel one
                  expect one outcome cancelled cancelledByHost
                  expect one error "cancelled by host"
                  expect other loads 1
                  disconnect notes
                  wait host.disconnected
                  expect log request.cancelled(cancelledByHost), request.cancelled(cancelledByHost)
                  advance 5s
                  expect no process
                test "killed"
                  begin --url https://example.org
                  kill
                  expect outcome interrupted crashed
                  expect exit crashed
                  begin --url https://example.org
                  kill SIGSEGV
                  expect outcome interrupted
                  expect processes 2
                """)
    }

    @Test func faultsBefallItWhereTheLinesSayAndAreMeant() async throws {
        try await passes(
            Self.hanging + """
                test "killed at its load"
                  fault kill at loadOpen
                  begin --url https://example.org
                  expect outcome interrupted crashed
                  expect log item.loadStarted, fault.injected, process.exited(crashed)
                  begin --url https://example.org
                  expect output shared
                test "slow, and then noisy"
                  fault slow at delivered for 20s
                  fault garbage at delivered after 1 seed 7
                  begin --url https://example.org
                  advance 19s
                  expect no log item.loadStarted
                  advance 1s
                  expect log fault.injected, item.loadStarted
                  begin --url https://example.org
                  expect outcome interrupted protocolViolation
                """)
    }

    @Test func outputItemsAndErrorsAreCompared() async throws {
        try await passes(
            Self.hanging + """
                test "output"
                  begin --url https://example.org/x
                  expect output "shared https://example.org/x"
                  expect no output "byte"
                """)
        try await passes(
            Self.good + """
                test "an answer"
                  begin --url https://example.org/x
                  expect outcome completed
                  expect items 1
                  expect item 1 userInfo.shared contains "/x"
                  expect item userInfo.shared != "y"
                  expect item userInfo.nothing = null
                  expect no log context.misused, process.exited
                test "refused"
                  begin --text hello
                  expect outcome refused ruleMismatch
                test "refused no more"
                  begin --text hello --force
                  expect item userInfo.shared = "hello"
                """)
    }

    @Test func aSheetIsUsedByLines() async throws {
        let bundles = try TestBundles.readingList()
        let file = bundles.path + "/sheet.scenario"
        try Data(
            """
            extension org.exthost.samples.reading.save
            test "a note is posted"
              begin --url https://example.org
              view text a note
              expect view "a note"
              view tap Public
              expect view Post enabled
              view post
              expect outcome completed
            test "cancelled by its user"
              begin --url https://example.org
              view cancel
              expect outcome cancelled cancelledByExtension
              expect error NSCocoaErrorDomain 3072
            """.replacing("  expect view Post enabled\n", with: "").utf8
        ).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(
            ["test", file], socket: "/nonexistent", environment: ["EXTHOST_APPLICATIONS": bundles.path]
        ).ending()
        #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    }

    @Test func anAppAnAppexAndAProgramAreNamedByTheirPaths() async throws {
        let run = try TrialRun()
        let text =
            "test t\n  begin --url https://example.org/x\n  expect item userInfo.shared = \"https://example.org/x\"\n"
        try await passes("extension Tests.app \(TrialExtension.goodLink.identifier)\n" + text, in: run)
        try await passes("extension Tests.app/PlugIns/goodLink.appex\n" + text, in: run)
        try await passes(text, ["--extension", "\(run.app)/PlugIns/goodLink.appex"], in: run)
        let several = try await run.run([try run.write("extension Tests.app\n" + text)])
        #expect(several.status == 64 && several.errors.contains("has several extensions"), "\(several)")
        let path = run.bundles.path + "/alone"
        let other = try TestBundles()
        try other.add("alone", script: "#!/bin/sh\nexit 3\n")
        let program = other.path + "/Tests.app/PlugIns/alone.appex/alone"
        let ending = try await run.run([
            try run.write(
                "extension \(program)\ntest t\n  begin --url https://example.org\n  expect outcome interrupted exitedEarly\n"
            )
        ])
        #expect(ending.status == 0, "\(ending) \(path)")
    }

    @Test func theClockMayBeReal() async throws {
        try await passes(
            Self.good + """
                clock real
                daemon --timer idle=50ms
                test t
                  begin --url https://example.org
                  expect outcome completed
                  wait process.exited(idle) within 30s
                  expect exit idle
                """)
    }

    // MARK: What is wrong

    @Test func faultsAreToldBeforeAnythingRuns() async throws {
        let run = try TrialRun()
        let file = try run.write(
            """
            extension nothing.there
            test "a"
              begin --url nonsense
              expect outcome completed
            test "b"
              begin --file missing.png
              expect outcome completed
            """)
        let payload = try await run.run([file])
        #expect(payload.status == 64 && payload.output.isEmpty, "\(payload)")
        let lines = payload.errors.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("\(file):3:9: “nonsense” is not a URL. Write it"), "\(lines)")
        #expect(lines.last?.hasPrefix("\(file):6:9: there is no file \(run.bundles.path)/missing.png. --file") == true)
        let syntax = try await run.run([try run.write("clock slow\n")])
        #expect(
            syntax.status == 64
                && syntax.errors.hasSuffix("t.scenario:1:7: “slow” is no clock. Write virtual or real\n"))
        for (text, arguments, status, words) in [
            ("extension nothing.there\ntest a\nexpect no process", [], 66, "there is no extension nothing.there"),
            (
                "extension ./Nothing.app\ntest a\nexpect no process", [], 66,
                "there is no \(run.bundles.path)/Nothing.app"
            ),
            ("test a\nexpect no process", [], 64, "names no extension"),
            (
                Self.good + "test a\nexpect no process", ["--filter", "b"], 64,
                "no test's name contains “b”. There are: “a”"
            ),
            (Self.good + "test a\nexpect no process", ["--socket", "x"], 64, "each test has a private daemon"),
            (Self.good + "test a\nexpect no process", ["--jobs", "0"], 64, "--jobs takes a number"),
            (Self.good + "test a\nexpect no process", ["--junit", "/nonexistent/x.xml"], 64, "cannot be written"),
            (Self.good + "daemon --nonsense\ntest a\nexpect no process", [], 64, "a line daemon of"),
        ] as [(String, [String], Int32, String)] {
            let ending = try await run.run([try run.write(text)] + arguments)
            #expect(ending.status == status && ending.errors.contains(words), "\(text): \(ending)")
        }
        let empty = run.bundles.path + "/empty"
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
        let folder = try await run.run([empty])
        #expect(folder.status == 66 && folder.errors.contains("has no scenario"), "\(folder)")
        let nowhere = try await run.run([
            try run.write(Self.good + "test a\nexpect no process"), "--applications", "/nonexistent/Apps",
        ])
        #expect(nowhere.status == 66 && nowhere.errors.contains("there is no folder /nonexistent/Apps"), "\(nowhere)")
        let missing = try await run.run(["/nonexistent/t.scenario"])
        #expect(missing.status == 66 && missing.errors.contains("there is no file"))
        let noDaemon = try await Program.control(
            ["test", try run.write(Self.good + "test a\nexpect no process")], environment: ["EXTHOSTD": "/nonexistent"]
        ).ending()
        #expect(noDaemon.status == 69, "\(noDaemon)")
    }

    /// Under a virtual clock, when everything has ended or waits for time that no line moves.
    @Test(.timeLimit(.minutes(5)))
    func whatCannotComeAnyMoreFailsAtOnce() async throws {
        let run = try TrialRun()
        let lines = [
            "expect log request.completed, item.loadStarted", "expect no process", "expect exit crashed",
            "expect output nonsense",
            "wait request.cancelled",
        ]
        let tests = lines.enumerated().map {
            "test t\($0.offset)\n  begin --url https://example.org\n  expect outcome completed\n  \($0.element)\n"
        }
        let file = try run.write(Self.good + "limit 1h\n" + tests.joined())
        let (status, results) = try await run.results([file])
        #expect(status == 1 && results.count == lines.count)
        for (number, line) in lines.enumerated() {
            #expect(results["t\(number)"]?["step"] as? String == line, "\(results)")
        }
    }

    /// Its request is open, and it sleeps for good: no line moves time.
    @Test(.timeLimit(.minutes(5)))
    func whatAnOpenRequestThatIsSilentDoesNotBringFailsAtOnce() async throws {
        let run = try TrialRun()
        let lines = [
            "expect outcome completed", "expect items 1", "expect exit crashed", "expect output nonsense",
            "expect no process",
            "expect log request.completed", "wait request.cancelled",
        ]
        let tests = lines.enumerated().map {
            "test t\($0.offset)\n  begin --url https://example.org\n  \($0.element)\n  expect no process\n"
        }
        let (status, results) = try await run.results([try run.write(Self.hanging + "limit 1h\n" + tests.joined())])
        #expect(status == 1 && results.count == lines.count)
        for (number, line) in lines.enumerated() {
            #expect(results["t\(number)"]?["step"] as? String == line, "\(results)")
        }
        #expect(results["t0"]?["found"] as? String == "the request is open, and no pending event can end it")
    }

    /// It waits for the system's time, and the clock has nothing to do with it: that is waited for.
    @Test(arguments: [
        "SleepsByTask", "SleepsByThread", "SleepsByTimer", "SleepsByPolling", "AsksAService", "SleepsInAChild",
    ])
    func whatAnExtensionDoesByRealTimeIsWaitedFor(principalClass: String) async throws {
        let run = try TrialRun()
        try run.bundles.add(
            "sleeper", program: SampleApplications.buildFolder + "/Trial", principalClass: "Trial." + principalClass)
        try await passes(
            """
            extension org.exthost.tests.sleeper
            limit 1min
            test t
              begin --url https://example.org
              expect item userInfo.shared = "https://example.org"
            """, in: run)
    }

    @Test func anExtensionIsLookedForInTheFoldersThatAreNamed() async throws {
        let run = try TrialRun()
        let file = try run.write(Self.good + "test a\n  begin --url https://example.org\n  expect outcome completed\n")
        let ending = try await Program.control(
            ["test", file, "--applications", run.bundles.path], socket: "/nonexistent",
            environment: ["EXTHOST_APPLICATIONS": "/nonexistent"]
        ).ending()
        #expect(ending.status == 0, "\(ending)")
    }

    @Test func aFailureNamesItsLineWhatCameInsteadAndWhatHappened() async throws {
        let run = try TrialRun()
        let file = try run.write(
            Self.good
                + "limit 1min\ntest one\n  begin --url https://example.org\n  expect outcome cancelled\ntest two\n  begin --url https://example.org\n  expect log request.completed, item.loadStarted\n"
        )
        let (status, tests) = try await run.results([file])
        #expect(status == 1)
        let one = try #require(tests["one"])
        #expect(one["at"] as? String == "\(file):5" && one["step"] as? String == "expect outcome cancelled")
        #expect(one["expected"] as? String == "cancelled" && one["found"] as? String == "completed")
        #expect((one["timeline"] as? [String])?.contains { $0.contains("request.completed") } == true)
        #expect(tests["two"]?["found"] as? String == "no item.loadStarted after request.completed")
    }

    /// By the system's time; `start` does not wait for the delivery, however long that takes here.
    @Test func whatDoesNotComeWithinItsLimitIsSaidWithIt() async throws {
        let run = try TrialRun()
        let file = try run.write(
            Self.hanging
                + "clock real\nlimit 1s\ntest one\n  start --url https://example.org\n  expect outcome completed\n")
        let (status, tests) = try await run.results([file])
        #expect(status == 1 && tests["one"]?["found"] as? String == "the request is open after 1.0 s", "\(tests)")
    }

    // MARK: Forms of the results

    @Test func resultsAreTAPJSONAndJUnit() async throws {
        let run = try TrialRun()
        let file = try run.write(
            Self.good + """
                limit 1min
                test "good"
                  begin --url https://example.org
                  expect outcome completed
                test "bad # <&>"
                  begin --url https://example.org
                  expect items 2
                """)
        let junit = run.bundles.path + "/results.xml"
        let tap = try await run.run([file, "--junit", junit])
        let lines = tap.output.split(separator: "\n").map(String.init)
        #expect(tap.status == 1 && lines.prefix(2) == ["TAP version 14", "1..2"])
        #expect(lines[2].hasPrefix("ok 1 - good # time=") && lines[3].hasPrefix(##"not ok 2 - bad \# <&> # time="##))
        #expect(lines.contains("  expected: \"2 items\"") && lines.contains("  found: \"1\"") && lines.last == "  ...")
        let xml = try String(contentsOfFile: junit, encoding: .utf8)
        #expect(xml.contains("tests=\"2\" failures=\"1\"") && xml.contains("name=\"bad # &lt;&amp;&gt;\""))
        let filtered = try await run.run([file, "--filter", "good", "--json"])
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(filtered.output.utf8)) as? [String: Any])
        #expect(filtered.status == 0 && document["passed"] as? Int == 1 && document["failed"] as? Int == 0)
    }

    @Test func ctrlCEndsAllInOrder() async throws {
        let run = try TrialRun()
        // By the system's clock an open request may stay so: by a virtual one it fails as soon as nothing can come any
        // more.
        let file = try run.write(
            Self.hanging
                + "clock real\nlimit 10min\ntest one\n  begin --url https://example.org\n  expect output shared\n  expect outcome completed\n"
                + "test two\n  begin --url https://example.org\n  expect outcome completed\n")
        let temporary = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? temporary.remove() }
        let program = try Program.control(
            ["test", file, "--jobs", "1"], socket: "/nonexistent",
            environment: ["EXTHOST_APPLICATIONS": run.bundles.path, "TMPDIR": temporary.path])
        try await program.shows("1..2")
        // Its daemon is there when its folder is.
        try await eventually { try !FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty }
        try program.interrupt()
        let ending = try await program.ending()
        #expect(ending.status == 130 && ending.output.contains("ok 1 - one # SKIP Ctrl-C"), "\(ending)")
        #expect(ending.output.contains("ok 2 - two # SKIP Ctrl-C"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
    }
}
