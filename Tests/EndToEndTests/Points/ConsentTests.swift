// ConsentTests: the keys of an extension point that decide on confinement, entitlements and consents (spec PC-15, PC-20).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct ConsentTests {
    /// The extension that tries what its order names, as a keyboard that asks for open access.
    private static func keyboard(asksForAccess: Bool = true) throws -> TestBundles {
        let rights: [String: Any] = [
            "com.apple.security.application-groups": [testGroup], "com.apple.security.network.client": true,
        ]
        let bundles = try TestBundles.withRefused(rights)
        try bundles.write(rights, to: bundles.path + "/Tests.app/Entitlements.plist")
        try bundles.write(
            [
                "CFBundleIdentifier": refused, "CFBundleExecutable": "refused", "CFBundleVersion": "1",
                "NSExtension": [
                    "NSExtensionPointIdentifier": "com.apple.keyboard-service",
                    "NSExtensionAttributes": ["RequestsOpenAccess": asksForAccess],
                ],
            ], to: bundles.path + "/Tests.app/PlugIns/refused.appex/Info.plist")
        return bundles
    }

    /// The extension's rights to use the network, and the container of its group.
    private static func rights(_ daemon: TestDaemon, _ host: FakeHost) async throws -> (
        network: Bool, reads: Bool, writes: Bool, pid: Int?
    ) {
        let group = try #require(daemon.groupContainers) + "/" + testGroup
        let request = try await host.begin(refused, items: [order("network,list,write", group)])
        let answers = try items(of: await request.outcome).first?.userInfo ?? [:]
        return (
            answers["network"] as? String == "ok", answers["list"] as? String == "ok",
            answers["write"] as? String == "ok", request.processIdentifier
        )
    }

    // spec: PC-20, KB-16, KB-17
    @Test(.disabled(if: isSanitized, "a confined process writes no report"))
    func aKeyboardHasTheNetworkAndItsGroupOnlyWithFullAccess() async throws {
        let bundles = try Self.keyboard()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=1h"]) { daemon in
            let host = try await daemon.host("notes")
            func consent(_ word: String) async throws -> Program.Ending {
                try await Program.control(["consent", refused, "fullAccess", word], socket: daemon.address.path)
                    .ending()
            }
            let without = try await Self.rights(daemon, host)
            #expect(!without.network && without.reads && !without.writes)
            #expect(try await consent("on").status == 0)
            let with = try await Self.rights(daemon, host)
            #expect(with.network && with.reads && with.writes)
            // The idle process has the old confinement, and gets no more requests.
            #expect(with.pid != without.pid)
            #expect(try await daemon.control.show(refused).consents == ["fullAccess"])
            let shown = try await Program.control(["show", refused], socket: daemon.address.path).ending()
            #expect(shown.output.contains("fullAccess"))
            #expect(try await consent("off").status == 0)
            let again = try await Self.rights(daemon, host)
            #expect(!again.network && again.reads && !again.writes && again.pid == without.pid)
            #expect(
                try await daemon.events().filter { $0.event == "consent.changed" }.map(\.detail)
                    == ["fullAccess on", "fullAccess off"])
        }
    }

    // spec: PC-20
    @Test(.disabled(if: isSanitized, "a confined process writes no report"))
    func aKeyboardThatDoesNotAskForAccessGetsNone() async throws {
        let bundles = try Self.keyboard(asksForAccess: false)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            try await daemon.control.setConsent("fullAccess", true, of: refused)
            let rights = try await Self.rights(daemon, try await daemon.host("notes"))
            #expect(!rights.network && rights.reads && !rights.writes)
        }
    }

    // spec: PC-20
    @Test func anUnknownConsentIsRefusedWithThoseThatThereAre() async throws {
        let bundles = try Self.keyboard()
        try bundles.add("share", program: SampleApplications.buildFolder + "/Puppet", principalClass: "Puppet.Puppet")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let ending = try await Program.control(["consent", refused, "enabled", "on"], socket: daemon.address.path)
                .ending()
            #expect(ending.status == 64 && ending.errors.contains("fullAccess"), "\(ending)")
            let error = await #expect(throws: ExtensionHostError.self) {
                try await daemon.control.setConsent("fullAccess", true, of: "org.exthost.tests.share")
            }
            #expect(error?.code == .invalidArgument)
            let unknown = await #expect(throws: ExtensionHostError.self) {
                try await daemon.control.setConsent("fullAccess", true, of: "org.exthost.tests.nobody")
            }
            #expect(unknown?.code == .noSuchExtension)
        }
    }

    // spec: PC-20
    @Test func aProcessKeepsTheConsentsOfItsLaunchOverARestart() async throws {
        let bundles = try TestBundles.withPuppet(point: "org.exthost.tests.point")
        let points = bundles.path + "/points"
        try FileManager.default.createDirectory(atPath: points, withIntermediateDirectories: false)
        let file = """
            <plist><dict><key>Identifier</key><string>org.exthost.tests.point</string><key>Interface</key><false/>
            <key>Consents</key><array><string>enabled</string></array></dict></plist>
            """
        try Data(file.utf8).write(to: URL(fileURLWithPath: points + "/point.plist"))
        try await withRestartingDaemon(bundles: bundles, ["--extension-points", points]) { manager in
            func pid() async throws -> Int? {
                let host = try await HostApplication.connect(name: "notes", to: manager.address)
                let request = try await host.begin(puppet, items: [order("return")])
                _ = try items(of: await request.outcome)
                return request.processIdentifier
            }
            let control = try await DaemonControl.connect(name: "test", to: manager.address)
            let first = try await pid()
            #expect(try await pid() == first)
            try await control.setConsent("enabled", true, of: puppet)
            manager.kill()
            try await eventually { manager.starts == 2 }
            let next = try await DaemonControl.connect(name: "test", to: manager.address)
            try await eventually { try await next.processes().contains { $0.pid == first } }
            let second = try await pid()
            #expect(second != first, "the process lacks a consent that the user has given")
            try await next.setConsent("enabled", false, of: puppet)
            #expect(try await pid() == first)
        }
    }

    @Test func aPointsEntitlementIsNeededForARequest() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = """
            <plist><dict><key>Identifier</key><string>org.exthost.tests.point</string><key>Interface</key><false/>
            <key>Entitlement</key><dict><key>Key</key><string>org.exthost.right</string>
            <key>Value</key><string>tunnel</string></dict></dict></plist>
            """
        try Data(file.utf8).write(to: URL(fileURLWithPath: folder.path + "/point.plist"))
        let bundles = try TestBundles.withPuppet(point: "org.exthost.tests.point")
        try await withTestDaemon(applications: [bundles.path], arguments: ["--extension-points", folder.path]) {
            daemon in
            let host = try await daemon.host("notes")
            let refused = try await host.begin(puppet, items: [order("return")])
            let outcome = await refused.outcome
            #expect(outcome.cause == .notPermitted)
            #expect(await refused.explanation?.message.contains("org.exthost.right=tunnel") == true)
            try bundles.write(
                ["org.exthost.right": ["proxy", "tunnel"]],
                to: bundles.path + "/Tests.app/PlugIns/puppet.appex/Entitlements.plist")
            let served = try await host.begin(puppet, items: [order("return")])
            #expect(await served.outcome.cause == .completed)
        }
    }
}
