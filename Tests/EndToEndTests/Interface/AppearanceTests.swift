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
        // It has said that it is gone before it is told to end by a signal.
        let timers = ["--timer", "idle=50ms", "--timer", "expire=30s"]
        try await withTestDaemon(applications: [bundles.path], arguments: timers) { daemon in
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

    // spec: P-432, P-434, P-436
    @Test func aSheetShowsItsPreviewAndRunsATapsHandlerOnTheMainQueue() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "appearance", program: SampleApplications.buildFolder + "/Appearance",
            principalClass: "Appearance.SheetController")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.appearance", items: [.text("x")])
            let sheet = try #require(await request.view { !$0.children.isEmpty && $0.isEnabled })
            #expect(sheet.kind == .sheet && sheet.remaining == nil, "nobody counts its characters: \(sheet)")
            #expect(sheet.children.contains { $0.kind == .label && $0.text == "its preview" }, "\(sheet)")
            #expect(sheet.children.contains { $0.title == "Where" && $0.text == "untouched" }, "\(sheet)")
            try await request.use(.tap("Where"))
            let tapped = await request.view { view in
                view.children.contains { $0.title == "Where" && $0.text != "untouched" }
            }
            #expect(tapped?["Where"]?.text == "on the main queue")
            try await request.use(.post)
            #expect(await request.outcome.kind == .completed)
        }
    }

    // not simulated: N-008
    @Test func anExtensionWhoseStoryboardWasNotCompiledIsRefusedByName() async throws {
        let bundles = try TestBundles()
        try bundles.add("appearance", program: SampleApplications.buildFolder + "/Appearance")
        let bundle = bundles.path + "/Tests.app/PlugIns/appearance.appex"
        try bundles.write(
            [
                "CFBundleIdentifier": "org.exthost.tests.appearance", "CFBundleExecutable": "appearance",
                "CFBundleVersion": "1",
                "NSExtension": [
                    "NSExtensionPointIdentifier": "com.apple.share-services",
                    "NSExtensionMainStoryboard": "MainInterface",
                    "NSExtensionAttributes": ["NSExtensionActivationRule": "TRUEPREDICATE"],
                ],
            ], to: bundle + "/Info.plist")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.appearance", items: [.text("x")])
            #expect(await request.outcome.cause == .bundleDisabled)
            let why = try #require(await request.explanation)
            #expect(why.code == .notSimulated && why.message.contains("MainInterface"), "\(why)")
            let remedy = try #require(why.remedy)
            #expect(remedy.contains("exthostctl bundle") && remedy.contains("NSExtensionPrincipalClass"))
        }
    }
}
