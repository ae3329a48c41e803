// PointRunTests: `exthostctl run` at extension points with a session of their own.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import LinuxSystem
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
        for options in [["--text", "x"], ["--timeout", "3s"], ["--tap", "OK"]] {
            let idle = try await Self.run(bundles, ["org.exthost.tests.service"] + options)
            #expect(idle.status == 64 && idle.errors.contains("does not act at com.apple.usernotifications"), "\(idle)")
        }
        let missing = try await Self.run(bundles, ["org.exthost.tests.service", "--push", "/nonexistent"])
        #expect(missing.status == 66, "\(missing)")
    }
}
