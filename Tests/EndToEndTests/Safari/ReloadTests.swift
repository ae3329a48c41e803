// ReloadTests: `SFContentBlockerManager` in an app and in an extension, and the browser that answers it.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import Testing

@Suite struct ReloadTests {
    /// The app `Notebook` with a content blocker, and a blocker of a stranger's app.
    private static func bundles() throws -> (own: TestBundles, strange: TestBundles) {
        let own = try TestBundles.withNotebook()
        let strange = try TestBundles(application: "net.other.tests")
        for (bundles, identifier) in [(own, SafariStage.blocker), (strange, "net.other.tests.blocker")] {
            try bundles.add(
                "blocker", identifier: identifier, program: SampleApplications.buildFolder + "/Blocker",
                point: ContentBlockerHost.point, principalClass: "Blocker.ContentBlockerRequestHandler")
        }
        return (own, strange)
    }

    private static func write(_ text: String, to file: String, _ bundles: TestBundles) throws {
        let path = "\(bundles.path)/Tests.app/PlugIns/blocker.appex/\(file)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    // spec: CB-6, CB-7
    @Test("CB-6, CB-7: an app has its list compiled again, and reads whether its user has switched the blocker on")
    func anAppReloads() async throws {
        let bundles = try Self.bundles()
        try await withTestDaemon(applications: [bundles.own.path, bundles.strange.path]) { daemon in
            let host = try await daemon.host("safari").application
            let safari = ContentBlockerHost(host)
            let (app, control, output) = try await launch(bundles.own, daemon)
            func order(_ url: String, _ answer: String) async throws {
                let before = output.text
                _ = try await launch(bundles.own, daemon, for: .url(url))
                try await eventually { output.text.dropFirst(before.count).contains(answer) }
            }
            try await order("notebook://reload/\(SafariStage.blocker)", "error serviceUnavailable\n")
            try await safari.serve()
            try Self.write(SafariStage.rule("a"), to: "blockerList.json", bundles.own)
            try await order("notebook://reload/\(SafariStage.blocker)", "reloaded\n")
            // The answer comes after the compilation.
            let list = try #require(await safari.rules(of: SafariStage.blocker))
            #expect(list.statistics.rules == 1)
            try Self.write("[]]", to: "blockerList.json", bundles.own)
            try await order("notebook://reload/\(SafariStage.blocker)", "error WKErrorDomain 6\n")
            #expect(await safari.rules(of: SafariStage.blocker)?.statistics.rules == 1)
            for unknown in ["net.other.tests.blocker", "org.example.missing"] {
                try await order("notebook://reload/\(unknown)", "error SFErrorDomain 1\n")
                try await order("notebook://state/\(unknown)", "error SFErrorDomain 1\n")
            }
            try await order("notebook://state/\(SafariStage.blocker)", "enabled false\n")
            try await host.setConsent(ContentBlockerHost.consent, true, of: SafariStage.blocker)
            try await order("notebook://state/\(SafariStage.blocker)", "enabled true\n")
            // A browser that comes back is found again.
            host.disconnect()
            try await eventually { try await daemon.control.hosts().isEmpty }
            try await order("notebook://state/\(SafariStage.blocker)", "error serviceUnavailable\n")
            let again = try await daemon.host("safari").application
            let second = ContentBlockerHost(again)
            try await second.serve()
            try await order("notebook://state/\(SafariStage.blocker)", "enabled true\n")
            withExtendedLifetime((app, control, safari, second)) {}
        }
    }

    // spec: CB-7, PC-21
    @Test("CB-7, PC-21: an extension asks a service while it serves a request") func anExtensionAsks() async throws {
        try await SafariStage.with { stage in
            try stage.write("state \(SafariStage.blocker)", to: "act")
            let request = try await stage.host.begin(SafariStage.blocker, items: [])
            let outcome = await request.outcome
            #expect("\(outcome)".contains("nobody serves"), "\(outcome)")
            let safari = ContentBlockerHost(stage.host)
            try await safari.serve()
            let second = try await stage.host.begin(SafariStage.blocker, items: [])
            guard case .completed(let items) = await second.outcome else {
                Issue.record("\(await second.outcome)")
                return
            }
            #expect(items.first?.attributedTitle?.string == "false")
            withExtendedLifetime(safari) {}
        }
    }

    // spec: PC-21
    @Test("PC-21: an extension reaches its browser under each of four daemons") func anExtensionAsksUnderEachDaemon()
        async throws
    {
        let bundles = try Self.bundles().own
        try Self.write("state \(SafariStage.blocker)", to: "act", bundles)
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "safari", to: manager.address)
            let safari = ContentBlockerHost(host)
            try await safari.serve()
            for number in 1...4 {
                let request = try await host.begin(SafariStage.blocker, items: [])
                let outcome = await request.outcome
                guard case .completed(let items) = outcome else {
                    Issue.record("\(number): \(outcome), \(manager.words)")
                    return
                }
                #expect(items.first?.attributedTitle?.string == "false")
                manager.kill()
                try await eventually { manager.starts == number + 1 }
            }
            withExtendedLifetime((host, safari)) {}
        }
    }
}
