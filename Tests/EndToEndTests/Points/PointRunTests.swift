// PointRunTests: `exthostctl run` at extension points with a session of their own.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct PointRunTests {
    private static func bundles() throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.add(
            "widget", program: SampleApplications.buildFolder + "/Widget", point: "com.apple.widget-extension",
            principalClass: "Widget.TodayViewController", rule: nil)
        try bundles.add(
            "bare", program: SampleApplications.buildFolder + "/Widget", point: "com.apple.widget-extension",
            principalClass: "Widget.BareViewController", rule: nil)
        try bundles.add(
            "service", program: SampleApplications.buildFolder + "/Notifier",
            point: "com.apple.usernotifications.service", principalClass: "Notifier.NotificationService", rule: nil)
        return bundles
    }

    private static func run(
        _ bundles: TestBundles, _ arguments: [String], input: String = ""
    ) async throws -> Program.Ending {
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let lines = bundles.path + "/input"
            try Data(input.utf8).write(to: URL(fileURLWithPath: lines))
            let file = SharedDescriptor(try openForReading(lines))
            return try await Program.run(
                SampleApplications.buildFolder + "/exthostctl", ["run"] + arguments, socket: daemon.address.path,
                input: file
            ).ending()
        }
    }

    // spec: TW-25
    @Test func aWidgetIsUpdatedAndItsPicturePrinted() async throws {
        let bundles = try Self.bundles()
        let update = try await Self.run(bundles, ["org.exthost.tests.widget"])
        #expect(update.status == 0 && update.output.hasPrefix("newData: org.exthost.tests.widget"), "\(update)")
        #expect(update.output.contains("picture, 110 points high") && update.output.contains("│ update 1"), "\(update)")
        let old = try await Self.run(bundles, ["org.exthost.tests.widget", "--profile", "ios-8", "--json"])
        #expect(old.status == 0 && old.output.contains(#""height": 60"#), "\(old)")
        let opened = try await Self.run(bundles, ["org.exthost.tests.widget", "--open", "--tap", "Expand"])
        #expect(opened.status == 0 && opened.output.contains("│ closed"), "\(opened)")
    }

    // spec: TW-5, TW-25
    @Test func aWidgetWithoutUpdatesIsOpenedForItsPicture() async throws {
        let bare = try await Self.run(try Self.bundles(), ["org.exthost.tests.bare"])
        #expect(bare.status == 0 && bare.output.hasPrefix("notWritten: org.exthost.tests.bare"), "\(bare)")
        #expect(bare.output.contains("│ gone"), "\(bare)")
    }

    // spec: TW-25
    @Test func aPersonUsesTheLiveView() async throws {
        let bundles = try Self.bundles()
        let ending = try await Self.run(
            bundles, ["org.exthost.tests.widget", "--open", "--interactive"],
            input: "tap Expand\nmore\nless\nfly\nclose\n")
        #expect(ending.status == 0 && ending.output.contains("│ closed"), "\(ending)")
        #expect(ending.errors.contains("│ live") && ending.errors.contains("“fly” is not an act"), "\(ending)")
    }

    // spec: NS-8
    @Test func aNotificationsChangesArePrinted() async throws {
        let bundles = try Self.bundles()
        let sample = try await Self.run(bundles, ["org.exthost.tests.service"])
        #expect(sample.status == 0 && sample.output.hasPrefix("changed: org.exthost.tests.service"), "\(sample)")
        #expect(sample.output.contains("  - title: Title\n  + title: Title [changed]\n    body: Body\n"), "\(sample)")
        let payload = bundles.path + "/payload.json"
        try Data(#"{"aps": {"alert": "hello", "mutable-content": 1}, "act": "drop"}"#.utf8)
            .write(to: URL(fileURLWithPath: payload))
        let dropped = try await Self.run(bundles, ["org.exthost.tests.service", "--push", payload, "--json"])
        #expect(dropped.status == 1 && dropped.output.contains("released contentHandler without a call"), "\(dropped)")
    }

    @Test func anOptionOfAnotherPointIsRefusedByName() async throws {
        let bundles = try Self.bundles()
        let wrong = try await Self.run(bundles, ["org.exthost.tests.widget", "--push", "x.json"])
        #expect(wrong.status == 64 && wrong.errors.contains("--push is for extensions of"), "\(wrong)")
        for options in [["--text", "x"], ["--force"], ["--tap", "OK"]] {
            let idle = try await Self.run(bundles, ["org.exthost.tests.service"] + options)
            #expect(idle.status == 64 && idle.errors.contains("does not act at com.apple.usernotifications"), "\(idle)")
        }
        let missing = try await Self.run(bundles, ["org.exthost.tests.service", "--push", "/nonexistent"])
        #expect(missing.status == 66, "\(missing)")
    }

    // MARK: Sessions, as those of other extension points

    /// Starts `run` with a daemon of the test's own, and lets the test go on while it runs.
    private static func start(
        _ bundles: TestBundles, _ arguments: [String], _ body: (TestDaemon, Program) async throws -> Void
    ) async throws {
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let ends = try Program.pipe()
            try await body(
                daemon,
                try Program.run(
                    SampleApplications.buildFolder + "/exthostctl", ["run"] + arguments, socket: daemon.address.path,
                    input: ends.reading))
            // Standard input stays open until here, as that of a terminal does.
            withExtendedLifetime(ends.writing) {}
        }
    }

    private static func payload(_ act: String, in bundles: TestBundles) throws -> String {
        let path = bundles.path + "/payload.json"
        try Data(#"{"aps": {"alert": "hello", "mutable-content": 1}, "act": "\#(act)"}"#.utf8)
            .write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("PC-23: Ctrl-C and SIGTERM end the session of a driver as any other", arguments: [SIGINT, SIGTERM])
    func aSignalCancelsTheRequest(signal: Int32) async throws {
        let bundles = try Self.bundles()
        let payload = try Self.payload("hangForEver", in: bundles)
        try await Self.start(bundles, ["org.exthost.tests.service", "--push", payload]) { daemon, program in
            try await daemon.event { $0.event == "call.started" }
            try program.signal(signal)
            let ending = try await program.ending()
            #expect(ending.status == 130 && ending.output.hasPrefix("cancelled (cancelledByHost)"), "\(ending)")
            #expect(try await daemon.control.requests().isEmpty)
        }
        try await Self.start(bundles, ["org.exthost.tests.widget", "--open", "--interactive"]) { daemon, program in
            try await program.shows("tap NAME")
            try await program.shows("│ live")
            try program.signal(signal)
            let ending = try await program.ending()
            #expect(ending.status == 130 && ending.output.hasPrefix("cancelled (cancelledByHost)"), "\(ending)")
            #expect(try await daemon.control.requests().isEmpty)
        }
    }

    @Test("PC-23: a private daemon of a driver's session leaves nothing after Ctrl-C")
    func aPrivateDaemonEndsWithItsSession() async throws {
        let bundles = try Self.bundles()
        let folder = try TemporaryDirectory(prefix: "exthost-run-tests")
        defer { try? folder.remove() }
        let program = try Program.control(
            [
                "--ephemeral", "run", "org.exthost.tests.service", "--push",
                try Self.payload("hangForEver", in: bundles),
            ],
            environment: ["EXTHOST_APPLICATIONS": bundles.path, "TMPDIR": folder.path])
        // The report of a wait comes by itself.
        try await program.shows("org.exthost.tests.service, pid")
        try program.interrupt()
        let ending = try await program.ending()
        #expect(ending.status == 130 && ending.errors.contains("has not answered after 3 s"), "\(ending)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("PC-23: limits, expectations, the process's end and denials are those of other sessions")
    func theOptionsOfRequestsAct() async throws {
        let bundles = try Self.bundles()
        let service = "org.exthost.tests.service"
        let hang = try Self.payload("hangForEver", in: bundles)
        let late = try await Self.run(bundles, [service, "--push", hang, "--timeout", "500ms"])
        #expect(late.status == 12 && late.output.hasPrefix("original, the request ended (requestTimeout)"), "\(late)")
        #expect(late.output.contains("the extension did not answer within 0.5 seconds"), "\(late)")
        let expected = try await Self.run(
            bundles, [service, "--push", hang, "--timeout", "500ms", "--expect", "timedOut", "--json"])
        #expect(expected.status == 0 && expected.output.contains(#""outcome": "timedOut""#), "\(expected)")
        let wrong = try await Self.run(bundles, [service, "--expect", "cancelled"])
        #expect(wrong.status == 1 && wrong.errors.contains("the request was completed"), "\(wrong)")

        let exit = try await Self.run(
            bundles, [service, "--push", try Self.payload("exit", in: bundles), "--wait-exit"])
        #expect(exit.status == 11 && exit.output.contains("ended with status 1 (exitedEarly)"), "\(exit)")
        let output = try await Self.run(bundles, [service, "--push", try Self.payload("print", in: bundles)])
        #expect(output.errors.contains("]: printed by the service"), "\(output)")
    }

    @Test(
        "PC-23: what the confinement denied is printed after a driver's report",
        .disabled(if: isSanitized, "a sanitizer's tests run unconfined"))
    func denialsAreReported() async throws {
        let bundles = try Self.bundles()
        let payload = try Self.payload("useNetwork", in: bundles)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let ending = try await control(["run", "org.exthost.tests.service", "--push", payload], daemon)
            #expect(ending.status == 0 && ending.output.hasPrefix("changed: org.exthost.tests.service"), "\(ending)")
            #expect(ending.output.contains("  refused: seccomp refused socket (AF_INET SOCK_STREAM)"), "\(ending)")
        }
    }

    @Test("PC-23: the session of a widget that dies ends by itself, with the reason")
    func aWidgetThatDiesEndsItsSession() async throws {
        let bundles = try Self.bundles()
        try await Self.start(bundles, ["org.exthost.tests.widget", "--open", "--interactive"]) { daemon, program in
            try await program.shows("│ live")
            let pid = try #require(try await daemon.control.processes().first?.pid)
            _ = try await daemon.control.kill(.pid(pid))
            let ending = try await program.ending()
            #expect(ending.status != 0 && ending.output.contains("newData: org.exthost.tests.widget"), "\(ending)")
        }
    }
}
