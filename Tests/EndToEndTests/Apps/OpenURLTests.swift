// OpenURLTests: NSExtensionContext.open(_:): which extensions may open which URLs, and what the app around them hears.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

@Suite struct OpenURLTests {
    private func bundles(point: String) throws -> TestBundles {
        try TestBundles.withNotebook(try TestBundles.withPuppet(point: point))
    }

    /// What each of these URLs came to.
    private func open(_ urls: String..., from host: FakeHost) async throws -> String {
        let request = try await host.begin(puppet, items: [order("openURLs", urls.joined(separator: " "))])
        return try #require(try items(of: await request.outcome).first?.userInfo?["opened"] as? String)
    }

    private func logged(_ daemon: TestDaemon) async throws -> String {
        try await control(["logs", notebook], daemon).output
    }

    // spec: P-005, TW-20
    @Test(arguments: ["com.apple.widget-extension", "com.apple.message-payload-provider"])
    func todayAndMessageExtensionsOpenTheURLsOfTheirAppWhichIsLaunchedOnce(_ point: String) async throws {
        let bundles = try bundles(point: point)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            #expect(try await open("notebook://one", "NOTEBOOK:two", "other:three", from: host) == "true true true")
            let running = try #require(try await daemon.control.processes().first { $0.kind == "app" })
            #expect(running.extensionIdentifier == notebook)
            // Its delegate had each before the extension heard of it; the words may be on their way.
            try await eventually { try await self.logged(daemon).contains("open other:three") }
            let lines = try await logged(daemon)
            #expect(lines.contains("launched inactive notebook://one \(puppet)"), "\(lines)")
            #expect(
                lines.contains("open notebook://one \(puppet) inactive")
                    && lines.contains("open NOTEBOOK:two \(puppet) active"))
            let events = try await daemon.events()
            #expect(events.filter { $0.event == "process.spawned" && $0.extensionIdentifier == notebook }.count == 1)
            let opened = events.filter { $0.event == "app.opened" }
            #expect(opened.count == 3 && opened.allSatisfy { $0.request != nil && $0.pid == running.pid })
            #expect(opened.last?.detail == "url, scheme other, by \(puppet)")
            try await daemon.control.closeApp(notebook)
        }
    }

    // spec: P-005
    // not simulated: N-006
    @Test(arguments: ["com.apple.share-services", "com.apple.ui-services"])
    func othersOpenNothingAndTheCallIsLogged(_ point: String) async throws {
        let bundles = try bundles(point: point)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            #expect(try await open("notebook://one", from: host) == "false")
            let refusal = try #require(try await daemon.events().first { $0.event == "url.refused" })
            #expect(refusal.extensionIdentifier == puppet && refusal.request != nil)
            #expect(refusal.detail == "scheme notebook: extensions of \(point) may not open URLs", "\(refusal)")
            #expect(try await daemon.control.processes().allSatisfy { $0.kind != "app" })
            let log = try await control(["logs", puppet], daemon).output
            #expect(log.contains("open(_:) opened nothing: extensions of \(point) may not open URLs"), "\(log)")
        }
    }

    // spec: P-005
    // not simulated: N-006
    @Test func whatTheAppDoesNotOpenNobodyDoes() async throws {
        let bundles = try bundles(point: "com.apple.widget-extension")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            #expect(
                try await open("https://example.org/secret", "/relative", "mailto:a@b", from: host)
                    == "false false false")
            let details = try await daemon.events().filter { $0.event == "url.refused" }.map { $0.detail ?? "" }
            #expect(
                details.count == 3 && details.allSatisfy { !$0.contains("secret") && !$0.contains("a@b") }, "\(details)"
            )
            #expect(
                details[0].contains("\(notebook) does not open https URLs") && details[1].contains("without a scheme"),
                "\(details)")
            // The app that is there by then cannot be run.
            try FileManager.default.removeItem(atPath: bundles.app + "/Notebook")
            #expect(try await open("notebook://one", from: host) == "false")
            #expect(
                try await daemon.events().last { $0.event == "url.refused" }?.detail?.contains("is missing") == true)
        }
    }

    @Test func anAppThatLeavesOrNeverAnswersHasNotTheURL() async throws {
        let bundles = try bundles(point: "com.apple.widget-extension")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            #expect(try await open("notebook://leave", from: host) == "false")
            // A program that says no hello ends before it is asked.
            try bundles.write(
                [
                    "CFBundleIdentifier": notebook, "CFBundleExecutable": "script",
                    "CFBundleURLTypes": [["CFBundleURLSchemes": ["notebook"]]],
                ], to: bundles.app + "/Info.plist")
            try Data("#!/bin/sh\nexit 0\n".utf8).write(to: URL(fileURLWithPath: bundles.app + "/script"))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bundles.app + "/script")
            try waitForWriters(of: bundles.app + "/script")
            #expect(try await open("notebook://one", from: host) == "false")
        }
    }

    @Test func anAppThatLeavesForEachURLIsNotLaunchedWithoutEnd() async throws {
        let bundles = try bundles(point: "com.apple.widget-extension")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: ["--breaker", "2"]) {
            daemon in
            let host = try await daemon.host("notes")
            let leave = "notebook://leave"
            #expect(try await open(leave, leave, leave, from: host) == "false false false")
            let events = try await daemon.events()
            #expect(events.filter { $0.event == "process.spawned" && $0.extensionIdentifier == notebook }.count == 2)
            let refusals = events.filter { $0.event == "url.refused" }.compactMap(\.detail)
            #expect(refusals.count == 3 && refusals.last?.contains("pauses its launches") == true, "\(refusals)")
            #expect(try await daemon.control.status().breakers.map(\.extensionIdentifier) == [notebook])
        }
    }

    /// Both hold the group: what the app writes for a URL the extension's side of it can read.
    @Test func theAppThatAnExtensionOpensSharesTheGroupWithIt() async throws {
        let bundles = try bundles(point: "com.apple.widget-extension")
        for bundle in ["Tests.app", "Tests.app/PlugIns/puppet.appex"] {
            try bundles.entitle(bundle, ["group.org.exthost.tests"])
        }
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            #expect(try await open("notebook://store/1", "notebook://store/2", from: host) == "true true")
            try await eventually { try await self.logged(daemon).contains("open notebook://store/2") }
            let group = try #require(daemon.groupContainers) + "/group.org.exthost.tests"
            let file = "\(group)/Library/Preferences/group.org.exthost.tests.plist"
            try await eventually {
                let stored = try? PropertyListSerialization.propertyList(
                    from: Data(contentsOf: URL(fileURLWithPath: file)), format: nil)
                return (stored as? [String: Any])?["path"] as? String == "/2"
            }
        }
    }
}
