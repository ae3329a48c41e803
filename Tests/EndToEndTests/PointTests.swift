// PointTests: extension points from files, in a daemon: what they say of timers, processes and notifications is done.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct PointTests {
    private static let point = "org.exthost.tests.point"

    /// A folder with one point's file, and perhaps others.
    private func withPoint(
        _ elements: String, interface: Bool = true, _ body: (TemporaryDirectory) async throws -> Void
    )
        async throws
    {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let text =
            "<key>Identifier</key><string>\(Self.point)</string><key>Interface</key>\(interface ? "<true/>" : "<false/>")"
            + elements
        try write("<plist><dict>\(text)</dict></plist>", to: folder.path + "/point.plist")
        try await body(folder)
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private func timers(_ values: String) -> String { "<key>Timers</key><dict>\(values)</dict>" }

    private func isOpen(_ request: ExtensionRequest, in daemon: TestDaemon) async throws -> Bool {
        try await daemon.control.requests().contains { $0.request == request.identifier }
    }

    // spec: P-413, P-028
    @Test func aPointsOwnTimersAct() async throws {
        try await withPoint(timers("<key>request</key><string>2s</string><key>idle</key><integer>7</integer>")) {
            folder in
            let bundles = try TestBundles.withPuppet(point: Self.point)
            try await withTestDaemon(
                applications: [bundles.path], clock: .virtual, arguments: ["--extension-points", folder.path]
            ) { daemon in
                let host = try await daemon.host("notes")
                let hanging = try await host.begin(puppet, items: [order("hang")])
                try await daemon.clock.advance(by: .milliseconds(1900))
                #expect(try await isOpen(hanging, in: daemon))
                try await daemon.clock.advance(by: .milliseconds(100))
                try #require(try await !isOpen(hanging, in: daemon))
                #expect(await hanging.outcome.cause == .requestTimeout)
                // Another process, idle for as long as the point says: past the common three seconds.
                let returning = try await host.begin(puppet, items: [order("return")])
                #expect(await returning.outcome.cause == .completed)
                try await daemon.clock.advance(by: .milliseconds(6900))
                #expect(try await daemon.control.processes().map(\.pid) == [returning.processIdentifier])
                try await daemon.clock.advance(by: .milliseconds(100))
                try await daemon.event { $0.event == "process.exited" && $0.pid == returning.processIdentifier }
                #expect(await returning.exit?.record.cause == .idle)
            }
        }
    }

    // spec: P-413, P-028
    @Test func theNearestSettingOfATimerCounts() async throws {
        try await withPoint(timers("<key>request</key><string>2s</string>")) { folder in
            let bundles = try TestBundles.withPuppet(point: Self.point)
            let configuration = folder.path + "/settings"
            try write(
                "<plist><dict><key>Timers</key><dict><key>request</key><string>4s</string></dict></dict></plist>",
                to: configuration)
            let point = ["--extension-points", folder.path]
            for (arguments, limit) in [
                (point, 2), (point + ["--config", configuration], 4),
                (point + ["--config", configuration, "--timer", "request=6s"], 6),
            ] {
                try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: arguments) {
                    daemon in
                    let host = try await daemon.host("notes")
                    try await expect(
                        try await host.begin(puppet, items: [order("hang")]), toEndAfter: limit, in: daemon)
                }
            }
            try await withTestDaemon(
                applications: [bundles.path], clock: .virtual, arguments: point + ["--timer", "request=6s"]
            ) { daemon in
                // The same bundle in development, with a setting of its own; then the request's own.
                let bundle = bundles.path + "/Tests.app/PlugIns/puppet.appex"
                try setTimers(["request": "8s"], in: bundle)
                let author = try await HostApplication.connect(name: "author", to: daemon.address)
                let identifier = try await author.register(path: bundle)
                try await expect(try await author.begin(identifier, items: [order("hang")]), toEndAfter: 8, in: daemon)
                let quick = try await author.begin(identifier, items: [order("hang")], timeout: .seconds(1))
                try await expect(quick, toEndAfter: 1, in: daemon)
                author.disconnect()
            }
            // Installed, the bundle has no say.
            try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: point) { daemon in
                let host = try await daemon.host("notes")
                try await expect(try await host.begin(puppet, items: [order("hang")]), toEndAfter: 2, in: daemon)
            }
        }
    }

    private func expect(_ request: ExtensionRequest, toEndAfter seconds: Int, in daemon: TestDaemon) async throws {
        try await daemon.clock.advance(by: .seconds(seconds) - .milliseconds(1))
        #expect(try await isOpen(request, in: daemon), "before \(seconds) s")
        try await daemon.clock.advance(by: .milliseconds(1))
        try #require(try await !isOpen(request, in: daemon), "after \(seconds) s")
        #expect(await request.outcome.cause == .requestTimeout)
    }

    private func setTimers(_ timers: [String: Any], in bundle: String) throws {
        let file = URL(fileURLWithPath: bundle + "/Info.plist")
        var information =
            try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil) as? [String: Any]
            ?? [:]
        information["ExtensionHostTimers"] = timers
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0).write(to: file)
    }

    @Test func aBundleInDevelopmentWithATimerThatIsNoneIsDisabledAndSaysSo() async throws {
        let bundles = try TestBundles.withPuppet()
        let bundle = bundles.path + "/Tests.app/PlugIns/puppet.appex"
        try setTimers(["lunch": "1s"], in: bundle)
        try await withTestDaemon(applications: []) { daemon in
            let ending = try await control(["run", bundle, "--text", "x"], daemon)
            #expect(ending.status == 13)
            #expect((ending.output + ending.errors).contains("ExtensionHostTimers.lunch"), "\(ending)")
        }
    }

    // spec: P-023
    @Test(arguments: [
        ("com.apple.share-services", false), ("com.apple.services", true), ("org.exthost.tests.undeclared", true),
    ])
    func aRequestIsBoundedAt30SecondsWhereThereIsNoInterface(_ point: String, _ isBounded: Bool) async throws {
        let bundles = try TestBundles.withPuppet(point: point)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            try await daemon.clock.advance(by: .milliseconds(29_999))
            #expect(try await isOpen(request, in: daemon))
            try await daemon.clock.advance(by: .milliseconds(1))
            try #require(try await isOpen(request, in: daemon) == !isBounded)
            if isBounded { #expect(await request.outcome.cause == .requestTimeout) }
        }
    }

    // spec: P-101, P-411
    @Test(arguments: ["shared", "onePerRequest"])
    func aPointsProcessPolicyDecidesWhoServesTheNextRequest(_ policy: String) async throws {
        try await withPoint("<key>ProcessPolicy</key><string>\(policy)</string>") { folder in
            let bundles = try TestBundles.withPuppet(point: Self.point)
            let arguments = ["--extension-points", folder.path, "--timer", "idle=1min"]
            try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
                let host = try await daemon.host("notes")
                var pids: Set<Int?> = []
                for _ in 0..<2 {
                    let request = try await host.begin(puppet, items: [order("return")])
                    #expect(await request.outcome.cause == .completed)
                    pids.insert(request.processIdentifier)
                }
                #expect(pids.count == (policy == "shared" ? 1 : 2))
            }
        }
    }

    // spec: P-097
    @Test func somePointsExtensionsHearNothingOfTheirHost() async throws {
        let bundles = try TestBundles.withPuppet(point: "com.apple.authentication-services-credential-provider-ui")
        try bundles.add(
            "told", program: SampleApplications.buildFolder + "/Puppet", principalClass: "Puppet.Puppet")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let untold = try await host.begin(puppet, items: [order("notices", "1")])
            let told = try await host.begin("org.exthost.tests.told", items: [order("notices", "1")])
            // Both print once they listen.
            for identifier in [puppet, "org.exthost.tests.told"] {
                try await daemon.event { $0.event == "process.output" && $0.extensionIdentifier == identifier }
            }
            try await host.setState(.inactive)
            #expect(await told.outcome.cause == .completed)
            // Returns when every extension has dealt with what was sent to it.
            try await daemon.clock.advance(by: .milliseconds(1))
            #expect(try await isOpen(untold, in: daemon))
        }
    }

    // spec: P-410, P-412
    @Test func pointsAndFilesThatAreNoneAreShown() async throws {
        try await withPoint(timers("<key>request</key><string>2s</string>")) { folder in
            try write(
                "<plist><dict><key>Identifier</key><integer>1</integer></dict></plist>", to: folder.path + "/bad.plist")
            try await withTestDaemon(applications: [], arguments: ["--extension-points", folder.path]) { daemon in
                let table = try await control(["show", "--point"], daemon)
                #expect(table.status == 0)
                #expect(
                    table.output.contains("com.apple.share-services")
                        && table.output.contains(folder.path + "/point.plist"))
                #expect(table.output.contains("no point: \(folder.path)/bad.plist: Identifier is no text"))
                #expect(table.output.contains(" (120.0 MiB) ") && table.output.contains("applies only with a profile"))
                let one = try await json(["show", "--point", Self.point], daemon)
                #expect(one["interface"] as? Bool == true && one["policy"] as? String == "shared")
                #expect(one["path"] as? String == folder.path + "/point.plist" && one["problems"] as? [String] == [])
                let timers = one["timers"] as? [String: Any]
                #expect(timers?.count == 12 && timers?["request"] as? Double == 2 && timers?["idle"] as? Double == 3)
                let share = try await json(["show", "--point", "com.apple.share-services"], daemon)
                #expect((share["timers"] as? [String: Any])?["request"] is NSNull)
                #expect((share["memoryLimit"] as? [String: Any])?["provenance"] as? String == "observed")
                #expect(share["activationRules"] as? Bool == true && share["path"] is NSNull)
                let text = try await control(["show", "--point", "com.apple.keyboard-service"], daemon)
                #expect(text.output.contains("48.0 MiB, observed: iPhone 6"))
                #expect(text.output.contains("applies only with a profile"))
                let all = try await control(["show", "--point", "--json"], daemon)
                #expect((try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [Any])?.count == 42)
                let unknown = try await control(["show", "--point", "org.example.nothing"], daemon)
                #expect(unknown.status == 66 && unknown.errors.contains("exthostctl show --point"))
                #expect(try await control(["show"], daemon).status == 64)
            }
        }
    }

    @Test func pointsAreShownWithoutADaemonAndByTheNamesThatNewTakes() async throws {
        try await withPoint("<key>Name</key><string>Stamp it</string>") { folder in
            let variables = ["EXTHOST_EXTENSION_POINTS": folder.path]
            func show(_ name: [String], _ options: [String] = []) async throws -> Program.Ending {
                try await Program.control(
                    ["show", "--point"] + name + options, socket: "/nonexistent/host.sock", environment: variables
                )
                .ending()
            }
            let all = try await show([])
            #expect(
                all.status == 0 && all.output.contains(Self.point) && all.errors.contains("no daemon runs"), "\(all)")
            for (name, identifier) in [
                ("share-services", "com.apple.share-services"), ("keyboard", "com.apple.keyboard-service"),
                ("stamp it", Self.point),
                ("com.apple.ui-services", "com.apple.ui-services"),
            ] {
                let one = try await show([name], ["-q"])
                #expect(one.status == 0 && one.output.hasPrefix(identifier + "\n") && one.errors.isEmpty, "\(one)")
            }
            #expect(try await show(["nothing"]).status == 66)
            // Who names a daemon means that one.
            let named = try await show([], ["--socket", "/nonexistent/host.sock"])
            #expect(named.status == 69, "\(named)")
        }
    }

    @Test func theEnvironmentNamesFoldersAndAnEphemeralDaemonTakesNoOthers() async throws {
        try await withPoint("") { folder in
            let manager = FileManager.default
            let users = folder.path + "/config/exthost/ExtensionPoints"
            try manager.createDirectory(atPath: users, withIntermediateDirectories: true)
            let mine =
                "<plist><dict><key>Identifier</key><string>org.exthost.tests.mine</string><key>Interface</key><true/></dict></plist>"
            try write(mine, to: users + "/mine.plist")
            let variables = [
                "EXTHOST_EXTENSION_POINTS": "/nonexistent:" + folder.path, "XDG_CONFIG_HOME": folder.path + "/config",
                "EXTHOST_APPLICATIONS": "/nonexistent",
            ]
            let ending = try await Program.control(["--ephemeral", "show", "--point"], environment: variables).ending()
            #expect(ending.status == 0 && ending.output.contains(Self.point), "\(ending)")
            #expect(!ending.output.contains("org.exthost.tests.mine"))
        }
    }
}
