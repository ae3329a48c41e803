// LimitSettingTests: where a limit comes from, and what people are shown of it.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct LimitSettingTests {
    private static let point = "org.exthost.tests.point"

    /// The memory that the puppet's process was allowed, in MiB, by its certificate.
    private func allowed(_ host: HostApplication, _ identifier: String = puppet) async throws -> Int? {
        let request = try await host.begin(identifier, items: [order("exit", "3")])
        _ = await request.outcome
        return try #require(await request.exit?.record).memoryLimit.map { $0 >> 20 }
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    // not simulated: N-003
    @Test(arguments: ["disk", "network", "energy"])
    func limitsThatNothingCanEnforceAreRefusedByName(_ name: String) async throws {
        let program = SampleApplications.buildFolder + "/exthostd"
        let ending = try await Program.run(program, ["--ephemeral", "--limit", "\(name)=1GiB"], socket: "").ending()
        #expect(ending.status == 64 && ending.errors.contains("A limit of \(name) is not simulated"), "\(ending)")
        let other = try await Program.run(program, ["--ephemeral", "--limit", "luck=1"], socket: "").ending()
        #expect(other.status == 64 && other.errors.contains("memory=VALUE"), "\(other)")
    }

    // spec: P-531
    @Test func theNearestSettingCounts() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try write(
            """
            <plist><dict><key>Identifier</key><string>\(Self.point)</string><key>Interface</key><true/>
            <key>MemoryLimit</key><dict><key>Bytes</key><integer>314572800</integer><key>Provenance</key><string>guess</string>
            <key>Source</key><string>me</string></dict>
            <key>Limits</key><dict><key>tasks</key><integer>300</integer></dict></dict></plist>
            """, to: folder.path + "/point.plist")
        let configuration = folder.path + "/settings"
        try write(
            "<plist><dict><key>Limits</key><dict><key>memory</key><string>400M</string></dict></dict></plist>",
            to: configuration)
        let bundles = try TestBundles.withPuppet(point: Self.point)
        let point = ["--extension-points", folder.path]
        for (arguments, expected) in [
            (point, 300), (point + ["--profile", "ios-8"], 300), (point + ["--config", configuration], 400),
            (point + ["--config", configuration, "--limit", "memory=500M"], 500),
            (point + ["--config", configuration, "--limit", "memory=off"], nil), ([], nil),
        ] as [([String], Int?)] {
            try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
                let host = try await daemon.host("notes")
                #expect(try await allowed(host.application) == expected, "\(arguments)")
            }
        }
        try await withTestDaemon(applications: [], arguments: point) { daemon in
            let shown = try await control(["show", "--point", Self.point], daemon).output
            #expect(
                shown.contains("300.0 MiB, guess: me") && shown.contains("300 tasks") && !shown.contains("profile"),
                "\(shown)")
            #expect(
                (try await json(["show", "--point", Self.point], daemon)["limits"] as? [String: Int]) == ["tasks": 300])
        }
        // In development a bundle has a say, installed it has none.
        let bundle = bundles.path + "/Tests.app/PlugIns/puppet.appex"
        try setLimits(["memory": "600M"], in: bundle)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--limit", "memory=500M"]) { daemon in
            let author = try await HostApplication.connect(name: "author", to: daemon.address)
            #expect(try await allowed(author) == 500)
            let identifier = try await author.register(path: bundle)
            #expect(try await allowed(author, identifier) == 600)
            author.disconnect()
        }
        // Also where it is the first limit that the daemon hears of.
        try await withTestDaemon(applications: []) { daemon in
            let author = try await HostApplication.connect(name: "author", to: daemon.address)
            let identifier = try await author.register(path: bundle)
            #expect(try await daemon.control.status().limits == "none")
            #expect(try await allowed(author, identifier) == 600)
            #expect(try await daemon.control.status().limits != "none")
            author.disconnect()
        }
    }

    private func setLimits(_ limits: [String: Any], in bundle: String) throws {
        let file = URL(fileURLWithPath: bundle + "/Info.plist")
        var information =
            try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil) as? [String: Any]
            ?? [:]
        information["ExtensionHostLimits"] = limits
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0).write(to: file)
    }

    @Test(arguments: [["memory": "much"], ["memorry": "64M"]])
    func aBundleInDevelopmentWithALimitThatIsNoneIsDisabledAndSaysSo(_ limits: [String: String]) async throws {
        let bundles = try TestBundles.withPuppet()
        let bundle = bundles.path + "/Tests.app/PlugIns/puppet.appex"
        try setLimits(limits, in: bundle)
        try await withTestDaemon(applications: []) { daemon in
            let ending = try await control(["run", bundle, "--text", "x"], daemon)
            #expect(ending.status == 13)
            #expect(
                (ending.output + ending.errors).contains("ExtensionHostLimits.\(limits.keys.first ?? "")"), "\(ending)")
        }
    }

    // spec: P-530, P-531
    @Test func aProfileMakesAppleFiguresAct() async throws {
        let bundles = try TestBundles.withPuppet(point: "com.apple.keyboard-service")
        for (arguments, expected) in [([], nil), (["--profile", "ios-8"], 48), (["--profile", "ipados-26"], 90)]
            as [([String], Int?)]
        {
            try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
                let host = try await daemon.host("notes")
                #expect(try await allowed(host.application) == expected, "\(arguments)")
            }
        }
    }

    @Test func profilesAreShownWithoutADaemon() async throws {
        let table = try await Program.control(["show", "--profile"]).ending()
        #expect(table.status == 0 && table.output.contains("ios-12") && table.output.contains("iPadOS 26"), "\(table)")
        let one = try await Program.control(["show", "--profile", "ipados-26"]).ending()
        #expect(
            one.output.contains("90.0 MiB") && one.output.contains("observed") && one.output.contains("dictus-ios"),
            "\(one)")
        #expect(one.output.contains("a program may need more memory here"), "\(one)")
        let ending = try await Program.control(["show", "--profile", "ios-15", "--json"]).ending()
        let json = try #require(try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
        let figure = (json["memory"] as? [String: [String: Any]])?["com.apple.networkextension.filter-data"]
        #expect(figure?["bytes"] as? Int == 6 << 20 && figure?["provenance"] as? String == "observed")
        #expect((json["suspension"] as? [String: Any])?["value"] as? String == "background")
        let unknown = try await Program.control(["show", "--profile", "ios-9000"]).ending()
        #expect(unknown.status == 66 && unknown.errors.contains("exthostctl show --profile"))
        #expect(try await Program.control(["show", "--profile", "--point"]).ending().status == 64)
    }

    @Test(arguments: [
        ["--limit", "memory=x"], ["--limit", "mem=64M"], ["--profile", "ios-9000"], ["--limits-by", "magic"],
    ])
    func anOptionThatIsNoneIsRefused(_ arguments: [String]) async throws {
        await #expect(throws: ExtensionHostError.self) {
            try await TestDaemon.start(applications: [], arguments: arguments)
        }
    }
}
