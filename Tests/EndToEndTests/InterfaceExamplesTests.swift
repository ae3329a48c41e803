// InterfaceExamplesTests: the examples that the interface promises compile and run as they stand.

import ExtensionHostTesting
import Foundation
import TestPrograms
import Testing

@Suite struct InterfaceExamplesTests {
    @Test func aHangingExtensionTimesOut() async throws {
        let samples = try samples()
        try await withTestDaemon(applications: [samples], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(
                "org.exthost.samples.hang", items: [.url("https://example.org")], timeout: .seconds(30))
            try await daemon.clock.advance(by: .seconds(30))
            #expect(await request.outcome.cause == .requestTimeout)
        }
    }

    @Test func aLinkIsSharedAndItsResultComesBack() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.samples.share", items: [.url("https://example.org")])
            guard case .completed(let items) = await request.outcome else {
                Issue.record("the outcome was \(await request.outcome)")
                return
            }
            #expect(items.count == 1)
            #expect(items.first?.userInfo?["shared"] as? String == "https://example.org")
        }
    }

    @Test func theHostExampleRunsAsItStands() async throws {
        let bundles = try TestBundles(application: "org.example.app")
        try bundles.add(
            "share", identifier: "org.example.app.share", program: SampleApplications.buildFolder + "/ShareLink",
            principalClass: "ShareLink.ShareLink")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await Program.ending(
                of: SampleApplications.buildFolder + "/HostExample",
                environment: ["EXTHOST_SOCKET": daemon.address.path])
            #expect(host.status == 0, "\(host.errors)")
            #expect(host.output == "org.example.app.share org.example.app.share\n1\n")
        }
    }
}
