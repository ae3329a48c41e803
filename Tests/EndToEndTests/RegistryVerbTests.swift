// The registry as people meet it: list, which, show, add, remove and elect over a real daemon, and what becomes of open
// requests.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite struct RegistryVerbTests {
    private static let share = "org.exthost.tests.share"

    /// Three copies of one extension in apps of their own: `One` and `Two` of version 2, `Old` of version 1.
    private func copies() throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.add("share", script: "#!/bin/sh\n")
        for (app, version) in [("One", "2"), ("Two", "2"), ("Old", "1")] {
            try FileManager.default.copyItem(atPath: bundles.path + "/Tests.app", toPath: bundles.path + "/\(app).app")
            let path = bundles.path + "/\(app).app/PlugIns/share.appex/Info.plist"
            var information = try #require(
                try PropertyListSerialization.propertyList(
                    from: Data(contentsOf: URL(fileURLWithPath: path)), format: nil)
                    as? [String: Any])
            information["CFBundleVersion"] = version
            information["Colour"] = app == "Old" ? "grey" : "green"
            try PropertyListSerialization.data(fromPropertyList: information, format: .binary, options: 0)
                .write(to: URL(fileURLWithPath: path))
        }
        try FileManager.default.removeItem(atPath: bundles.path + "/Tests.app")
        return bundles
    }

    private func appex(_ bundles: TestBundles, _ app: String) -> String {
        "\(bundles.path)/\(app).app/PlugIns/share.appex"
    }

    // spec: F1, F5, P-204, P-230, P-231, P-232, P-233, P-174
    @Test func listReducesWhatMatches() async throws {
        let bundles = try copies()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            func list(_ arguments: String...) async throws -> [String] {
                let output = try await control(["list", "--json"] + arguments, daemon).output
                let listed = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]] ?? []
                return listed.map {
                    "\($0["prefix"] ?? "")\(($0["path"] as? String)?.split(separator: "/").dropLast(2).last ?? "")"
                }
            }
            // Found together, the first folder's counts as the last registered.
            #expect(try await list() == [" One.app"])
            #expect(try await list("-A") == [" One.app", "=Old.app"])
            #expect(try await list("-D") == ["=Old.app", " One.app", "=Two.app"])
            #expect(try await list("-A", "-D") == ["=Old.app", " One.app", "=Two.app"])
            #expect(try await list("CFBundleVersion=1") == ["=Old.app"])
            #expect(try await list("-D", "Colour=green", "NSExtensionPrincipalClass") == [])
            #expect(try await list("-D", "Colour=green", "-p", "com.apple.share-services") == [" One.app", "=Two.app"])
            #expect(try await list("-i", "org.exthost.tests.other") == [])
            let wrong = try await control(["list", "=x"], daemon)
            #expect(wrong.status == 64 && wrong.errors.contains("KEY=VALUE"))
            let line = try await control(["list"], daemon).output
            #expect(line == "     \(Self.share)(2)\n")
            let verbose = try await control(["list", "-v"], daemon).output.split(separator: "\t")
            #expect(verbose.count == 4 && UUID(uuidString: String(verbose[1])) != nil && verbose[2].hasSuffix(" +0000"))
            let block = try await control(["list", "-vv"], daemon).output
            for key in [
                "Path", "UUID", "Timestamp", "SDK", "Parent Bundle", "Display Name", "Short Name", "Parent Name",
            ] {
                let padding = String(repeating: " ", count: 16 - key.count)
                #expect(key == "Parent Name" || block.contains("\n\t\(padding)\(key) = "), "\(key)")
            }
            #expect(block.hasSuffix("\n\n (1 plug-in)\n"))
        }
    }

    // spec: P-202, P-206
    @Test func whichNamesTheWinnerAndTheRuleAndShowTellsEverything() async throws {
        let bundles = try copies()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let which = try await json(["which", Self.share], daemon)
            #expect(which["winner"] as? String == appex(bundles, "One") && which["rule"] as? String == "lastRegistered")
            let copies = try #require(which["copies"] as? [[String: Any]])
            #expect(copies.map { $0["rule"] as? String } == ["lowerVersion", "lastRegistered", "registeredEarlier"])
            #expect(try await control(["which", Self.share], daemon).output.contains("registered last"))
            #expect(try await control(["which", "org.exthost.tests.none"], daemon).status == 66)

            let shown = try await json(["show", Self.share], daemon)
            #expect(shown["path"] as? String == appex(bundles, "One") && shown["copies"] as? Int == 3)
            #expect((shown["information"] as? [String: Any])?["Colour"] as? String == "green")
            #expect((shown["executable"] as? String)?.hasSuffix("/share") == true)
            #expect(try await json(["show", appex(bundles, "Old")], daemon)["version"] as? String == "1")
            let text = try await control(["show", Self.share], daemon).output
            #expect(text.contains("Rule = used:") && text.contains("Copies = 3"))
        }
    }

    // spec: F2, P-208, P-220
    @Test func anElectionShowsIsKeptForAllCopiesAndRefusesRequests() async throws {
        let bundles = try TestBundles.withPuppet()
        let puppet = "org.exthost.tests.puppet"
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await HostApplication.connect(name: "notes", to: daemon.address)
            #expect(try await host.extensions().map(\.identifier) == [puppet])
            for (election, prefix) in [("use", "+"), ("ignore", "-")] {
                #expect(try await control(["elect", election, puppet], daemon).output == "\(prefix)    \(puppet)(1)\n")
                #expect(try await control(["list"], daemon).output == "\(prefix)    \(puppet)(1)\n")
            }
            #expect(try await host.extensions().isEmpty)
            let run = try await control(["run", puppet, "--text", "x"], daemon)
            #expect(run.status == 13 && run.output.hasPrefix("refused (notElected)"))
            #expect(run.output.contains("exthostctl elect default \(puppet)"))
            #expect(try await control(["elect", "default", puppet], daemon).output == "     \(puppet)(1)\n")
            #expect(try await host.extensions().count == 1)
            #expect(try await control(["elect", "ignore", "org.exthost.tests.none"], daemon).status == 66)
            #expect(try await control(["elect", "perhaps", puppet], daemon).status == 64)
            let changes = try await daemon.events().filter { $0.event == "registry.changed" }.map(\.detail)
            #expect(changes == Array(repeating: "changed \(puppet)", count: 3))
        }
    }

    // spec: P-177, P-220
    @Test func whatIsAddedByItsPathCanBeRunAndGoesWhenItIsRemoved() async throws {
        let bundles = try TestBundles.withPuppet()
        let puppet = "org.exthost.tests.puppet"
        let app = bundles.path + "/Tests.app"
        try await withTestDaemon(applications: []) { daemon in
            #expect(try await control(["list"], daemon).output.isEmpty)
            let added = try await control(["add", app], daemon)
            #expect(added.status == 0 && added.output.hasPrefix("added \(puppet)(1)"))
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("return")])
            #expect(await request.outcome.kind == .completed)
            host.disconnect()
            #expect(try await control(["remove", app], daemon).output.hasPrefix("removed \(puppet)(1)"))
            #expect(try await control(["list", "-A", "-D"], daemon).output.isEmpty)
            #expect(try await control(["remove", app], daemon).status == 66)
            #expect(try await control(["add", "/nowhere.app"], daemon).status == 66)
            #expect(try await control(["add", "/etc"], daemon).status == 64)
        }
    }

    /// In the order in which they came, with the reason; then the processes are told to end.
    @Test func removingAnAppEndsItsOpenRequestsInOrder() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            var requests: [ExtensionRequest] = []
            for _ in 0..<3 {
                requests.append(
                    try await host.begin("org.exthost.tests.puppet", items: [order("hang")], timeout: .seconds(60)))
            }
            try removeTree(bundles.path + "/Tests.app")
            for request in requests {
                let outcome = await request.outcome
                #expect(outcome.cause == .terminatedByOperator && outcome.kind == .interrupted)
                #expect(await request.explanation?.message.contains("was removed") == true)
                #expect(await request.explanation?.remedy?.contains("its stored data remains") == true)
            }
            let exit = try await daemon.event { $0.event == "process.exited" }
            #expect(exit.cause == .terminatedByOperator)
            let ended = try await daemon.events().filter { $0.event == "request.interrupted" }.map(\.request)
            #expect(ended == requests.map(\.identifier))
            #expect(try await daemon.control.extensions(allCopies: true).isEmpty)
        }
    }

    /// A bundle that is changed while a process of it runs serves new requests anew.
    @Test func anUpdatedAppServesTheNextRequestFromItsNewBundle() async throws {
        let bundles = try TestBundles.withPuppet()
        let path = bundles.path + "/Tests.app/PlugIns/puppet.appex"
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let first = try await host.begin("org.exthost.tests.puppet", items: [order("return")])
            #expect(await first.outcome.kind == .completed)
            var information = try #require(
                try PropertyListSerialization.propertyList(
                    from: Data(contentsOf: URL(fileURLWithPath: path + "/Info.plist")), format: nil) as? [String: Any])
            information["CFBundleVersion"] = "2"
            try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
                .write(to: URL(fileURLWithPath: path + "/Info.plist"), options: .atomic)
            try await daemon.event { $0.event == "registry.changed" }
            let second = try await host.begin("org.exthost.tests.puppet", items: [order("return")])
            #expect(await second.outcome.kind == .completed)
            #expect(first.processIdentifier != nil && first.processIdentifier != second.processIdentifier)
        }
    }
}
