// AppearanceTests: a view controller as a principal class: what is called, where and in which order.

import ExtensionHostTesting
import Foundation
import Testing

@Suite struct AppearanceTests {
    // spec: P-042, P-043
    @Test func theObjectIsBegunAndThenItsViewAppears() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "appearance", program: SampleApplications.buildFolder + "/Appearance",
            principalClass: "Appearance.AppearanceController")
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=50ms"]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin("org.exthost.tests.appearance", items: [.text("x")])
            let steps = try items(of: await request.outcome).first?.userInfo?["steps"] as? [String]
            #expect(steps == ["begin unloaded joined", "load", "appear", "visible", "timer"])
            _ = await request.exit
            #expect(output.text == "gone\n")
        }
    }

    @Test func aClassThatIsNeitherIsRefusedByName() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "appearance", program: SampleApplications.buildFolder + "/Appearance", principalClass: "Appearance.Nobody")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.appearance", items: [.text("x")])
            #expect(await request.outcome.cause == .exitedEarly)
        }
    }
}
