// ConfinementTests: extensions that a daemon confines: they serve as before, and the layers are told wherever one may
// ask.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

let refused = "org.exthost.tests.refused"

extension TestBundles {
    /// With an extension that tries what its order names, and the entitlements given.
    static func withRefused(_ entitlements: [String: Any] = [:]) throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.add(
            "refused", script: try source("Tests/Fixtures/Python/refused.py"),
            beside: ["exthost.py": try source("Sources/Samples/Python/exthost.py")])
        if !entitlements.isEmpty {
            try bundles.write(entitlements, to: bundles.path + "/Tests.app/PlugIns/refused.appex/Entitlements.plist")
        }
        return bundles
    }
}

@Suite(.disabled(if: isSanitized, "a sanitizer has threads and calls of its own")) struct ConfinementTests {
    @Test func extensionsAreConfinedUnlessToldOtherwiseAndServeAsBefore() async throws {
        try await withTestDaemon(applications: [try samples()], arguments: ["--timer", "idle=1h"]) { daemon in
            let status = try await daemon.control.status()
            #expect(status.sandbox != "none", "this machine has none of the layers")
            let host = try await daemon.host("notes")
            for sample in ["share", "python", "share"] {
                let request = try await host.begin(
                    "org.exthost.samples.\(sample)", items: [.url("https://example.org")])
                guard case .completed = await request.outcome else {
                    Issue.record("\(sample): \(await request.outcome)")
                    continue
                }
                #expect(await request.refusals.isEmpty)
            }
            #expect(try await daemon.events().allSatisfy { $0.event != "access.refused" })
            let running = try await daemon.control.processes().map(\.sandbox)
            #expect(running.allSatisfy { $0 == status.sandbox })
            _ = try await daemon.control.kill(.identifier("org.exthost.samples.share"))
            #expect(try await daemon.control.exits().last?.exit.sandbox == status.sandbox)
        }
    }

    @Test func theLayersStandInWhatTheVerbsShow() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=1h"]) { daemon in
            let layers = try await daemon.control.status().sandbox
            let status = try await json(["status"], daemon)
            #expect(status["sandbox"] as? String == layers)
            #expect((status["missingLayers"] as? [String])?.isEmpty == (layers.split(separator: ",").count == 3))
            let report = try await json(["run", puppet, "--title", "nothing"], daemon)
            #expect(report["outcome"] as? String == "completed" && report["refusals"] == nil)
            #expect(try await control(["ps"], daemon).output.contains(" \(layers) "))
            #expect(try await control(["kill", puppet], daemon).status == 0)
            let exits = try await control(["exits", "--json"], daemon).output
            #expect(exits.contains("\"sandbox\": \"\(layers)\""))
        }
    }

    @Test func anOperatorMayDoWithoutByOptionByVariableAndBySetting() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.write(["Sandbox": "none"], to: bundles.path + "/settings.plist")
        for arguments in [["--sandbox", "none"], ["--config", bundles.path + "/settings.plist"]] {
            try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
                #expect(try await daemon.control.status().sandbox == "none")
                #expect(try await daemon.control.status().missing.isEmpty)
                let report = try await json(["run", puppet, "--title", "exit", "--wait-exit"], daemon)
                #expect((report["exit"] as? [String: Any])?["sandbox"] as? String == "none")
            }
        }
        for (word, status) in [("none", Int32(0)), ("some", 64)] {
            let ending = try await Program.control(
                ["--ephemeral", "status", "--json"], environment: ["EXTHOST_SANDBOX": word]
            ).ending()
            #expect(ending.status == status, "\(ending)")
            #expect(
                (status == 0 ? ending.output : ending.errors).contains(
                    status == 0 ? #""sandbox": "none""# : "EXTHOST_SANDBOX"))
        }
    }

    /// A guardian has no namespace around what it guards, so there is no view.
    @Test func withoutALayerThatIsRequiredNothingIsLaunchedAndTheRequestSaysWhy() async throws {
        let bundles = try TestBundles.withPuppet()
        let arguments = ["--tree-kill", "guardian", "--sandbox", "required"]
        try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let host = try await daemon.host("notes")
            // More often than a breaker would wait for: it is not the extension's fault.
            for _ in 0..<6 {
                let request = try await host.begin(puppet, items: [order("nothing")])
                #expect(await request.outcome.cause == .launchFailed)
                let why = try #require(await request.explanation)
                #expect(
                    why.cause?.contains("namespaces") == true && why.remedy?.contains("--sandbox best") == true,
                    "\(why)")
            }
            #expect(try await daemon.events().allSatisfy { $0.event != "process.spawned" })
            let ending = try await control(["run", puppet, "--title", "nothing"], daemon)
            #expect(ending.status == 11 && ending.output.contains("(launchFailed)"), "\(ending)")
        }
    }

    @Test func fewerLayersThanTheBestAreSeenInTheStatusAndLoggedOnce() async throws {
        let bundles = try TestBundles.withPuppet()
        let daemon = try await Program.daemon(
            in: bundles.path, ["--applications", bundles.path, "--tree-kill", "guardian"])
        let socket = bundles.path + "/exthost/host.sock"
        let control = try await DaemonControl.connect(name: "test", to: DaemonAddress(path: socket))
        let status = try await control.status()
        #expect(!status.sandbox.contains("namespaces"))
        #expect(status.missing.contains { $0.hasPrefix("namespaces: ") })
        for _ in 0..<2 {
            let ending = try await Program.control(["run", puppet, "--title", "nothing"], socket: socket).ending()
            #expect(ending.status == 0, "\(ending)")
        }
        let shown = try await Program.control(["status"], socket: socket).ending().output
        #expect(shown.contains("Missing: namespaces: "), "\(shown)")
        try daemon.end()
        let log = try await daemon.ending().errors
        #expect(log.components(separatedBy: "namespaces: extensions run without a pid namespace").count == 2, "\(log)")
    }

    /// An app's libraries are its extensions' too; by a link in their place an app could open any folder.
    @Test(arguments: [false, true]) func theFrameworksOfItsAppAreAnExtensionsButNotBehindALink(isLink: Bool)
        async throws
    {
        let bundles = try TestBundles.withRefused()
        let (folder, other) = (bundles.path + "/Tests.app/Frameworks", bundles.path + "/elsewhere")
        try FileManager.default.createDirectory(atPath: isLink ? other : folder, withIntermediateDirectories: false)
        if isLink { try #require(symlink(other, folder) == 0) }
        try Data().write(to: URL(fileURLWithPath: folder + "/library"))
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            guard try await daemon.control.status().sandbox != "none" else { return }
            let host = try await daemon.host("notes")
            let request = try await host.begin(refused, items: [order("file", folder + "/library")])
            let found = try items(of: await request.outcome).first?.userInfo?["file"] as? String
            #expect(isLink ? found != "ok" : found == "ok", "\(found ?? "")")
        }
    }

    // MARK: The network

    @Test(
        arguments: [
            ([:], ["EPERM", "EPERM"]), (["com.apple.security.network.client": true], ["ok", "EACCES"]),
            (["com.apple.security.network.server": true], ["EACCES", "ok"]),
            (["com.apple.security.network.client": true, "com.apple.security.network.server": true], ["ok", "ok"]),
            (["com.apple.security.network.client": false], ["EPERM", "EPERM"]),
        ] as [([String: Bool], [String])])
    func theNetworkIsForThoseWhoseEntitlementsAskForIt(_ entitlements: [String: Bool], _ expected: [String])
        async throws
    {
        let bundles = try TestBundles.withRefused(entitlements)
        let listener = try Listener()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let sandbox = try await daemon.control.status().sandbox
            guard sandbox.contains("seccomp"), sandbox.contains("landlock:"), !sandbox.hasSuffix("landlock:3,seccomp")
            else {
                return
            }
            let asked = ["client", "server"].filter { entitlements["com.apple.security.network.\($0)"] == true }
            #expect(try await daemon.control.show(refused).network == asked)
            let host = try await daemon.host("notes")
            let request = try await host.begin(refused, items: [order("connect,listen", "\(listener.port)")])
            let answer = try items(of: await request.outcome).first?.userInfo as? [String: String]
            #expect([answer?["connect"], answer?["listen"]] == expected)
            let lines = Set(await request.refusals.map(\.allowance))
            let other: [String: [String?]] = [
                "EPERM EPERM": ["com.apple.security.network.client = true"],
                "ok EACCES": ["com.apple.security.network.server = true"],
                "EACCES ok": ["com.apple.security.network.client = true"], "ok ok": [],
            ]
            #expect(lines == Set(try #require(other[expected.joined(separator: " ")])))
            for refusal in await request.refusals where expected.contains("EACCES") {
                #expect(refusal.layer == "landlock" && refusal.kind == "network", "\(refusal)")
                #expect(refusal.call == (expected[0] == "EACCES" ? "connect" : "bind"), "\(refusal)")
                #expect(refusal.about.hasPrefix("AF_INET SOCK_STREAM, port "), "\(refusal)")
            }
        }
    }

    /// What an app may do is its own: its extension asks for itself.
    @Test func theEntitlementsOfAnAppGiveItsExtensionNoNetwork() async throws {
        let bundles = try TestBundles.withRefused()
        try bundles.write(
            ["com.apple.security.network.client": true], to: bundles.path + "/Tests.app/Entitlements.plist")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            guard try await daemon.control.status().sandbox.contains("seccomp") else { return }
            let host = try await daemon.host("notes")
            let request = try await host.begin(refused, items: [order("network")])
            #expect(try items(of: await request.outcome).first?.userInfo?["network"] as? String == "EPERM")
        }
    }
}

/// A port of this machine that somebody listens on.
private final class Listener: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let works = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try #require(works)
    }

    deinit { close(descriptor) }
}
