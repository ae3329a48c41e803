// AnnotationTests: values that the daemon stores for an extension, and `setHasContent` (spec PC-19, TW-10, TW-11).

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import Testing

@Suite struct AnnotationTests {
    private static let widget = "org.exthost.tests.widget"

    /// The app `Notebook` with a widget, and a widget of a stranger's app.
    private static func bundles() throws -> (own: TestBundles, strange: TestBundles) {
        let own = try TestBundles.withNotebook()
        let strange = try TestBundles(application: "net.other.tests")
        for (bundles, identifier) in [(own, widget), (strange, "net.other.tests.widget")] {
            try bundles.add(
                "widget", identifier: identifier, program: SampleApplications.buildFolder + "/Widget",
                point: "com.apple.widget-extension", principalClass: "Widget.TodayViewController", rule: nil)
        }
        return (own, strange)
    }

    /// Has the app set the content of a widget, in a process without any host.
    private static func set(
        _ word: String, of identifier: String, _ bundles: TestBundles, _ daemon: DaemonAddress
    ) async throws {
        let (app, control, _) = try await launch(
            bundles, daemon, for: .url("notebook://content/\(word)/\(identifier)"))
        try await control.closeApp(notebook)
        #expect(try await app.ending?.cause == .closed)
    }

    // spec: PC-19, TW-10, TW-11
    @Test func anAppSetsItsWidgetsContentWithoutAHostAndAStrangersIsRefused() async throws {
        let bundles = try Self.bundles()
        try await withTestDaemon(applications: [bundles.own.path, bundles.strange.path]) { daemon in
            let host = try await daemon.host("springboard")
            #expect(try await host.application.annotations(of: Self.widget).isEmpty)
            var changes = host.application.followAnnotations(of: Self.widget).makeAsyncIterator()
            #expect(try await changes.next()?.isEmpty == true)
            try await Self.set("off", of: Self.widget, bundles.own, daemon.address)
            #expect(try await changes.next()?[TodayAnnotation.hasContent]?.plist == false)
            #expect(
                try await host.application.annotations(of: Self.widget)[TodayAnnotation.hasContent]?.plist == false)
            try await Self.set("off", of: "net.other.tests.widget", bundles.own, daemon.address)
            let refusal = try await daemon.event { $0.event == "annotation.refused" }
            #expect(refusal.detail?.contains("net.other.tests.widget") == true, "\(refusal)")
            #expect(try await host.application.annotations(of: "net.other.tests.widget").isEmpty)
            try await Self.set("on", of: Self.widget, bundles.own, daemon.address)
            #expect(try await changes.next()?[TodayAnnotation.hasContent]?.plist == true)
        }
    }

    // spec: TW-10
    @Test func theLastOfManySettingsInARowCounts() async throws {
        let bundles = try Self.bundles().own
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let words = (0..<20).map { $0 % 2 == 0 ? "on" : "off" }.joined(separator: ",")
            try await Self.set(words, of: Self.widget, bundles, daemon.address)
            let host = try await daemon.host("springboard")
            let events = try await daemon.events().map(\.event)
            #expect(events.count { $0 == "annotation.changed" } == 20 && !events.contains("annotation.refused"))
            #expect(
                try await host.application.annotations(of: Self.widget)[TodayAnnotation.hasContent]?.plist == false)
        }
    }

    // spec: PC-19, TW-10
    @Test func anAnnotationOutlivesTheDaemonAndNotItsBundle() async throws {
        let bundles = try Self.bundles().own
        let state = bundles.path + "/state"
        for folder in [state, bundles.path + "/run"] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        }
        func life(_ body: (DaemonAddress, DaemonControl) async throws -> Void) async throws {
            let daemon = try await Program.daemon(
                in: bundles.path + "/run", state: state, ["--applications", bundles.path])
            let address = DaemonAddress(path: bundles.path + "/run/exthost/host.sock")
            var failure: (any Error)?
            do {
                try await body(address, try await DaemonControl.connect(name: "test", to: address))
            } catch {
                failure = error
            }
            try daemon.end()
            _ = try await daemon.ending()
            if let failure { throw failure }
        }
        func content(_ address: DaemonAddress) async throws -> Bool? {
            let host = try await HostApplication.connect(name: "springboard", to: address)
            return try await host.annotations(of: Self.widget)[TodayAnnotation.hasContent]?.plist.boolean
        }
        try await life { address, control in
            try await Self.set("off", of: Self.widget, bundles, address)
            try await eventually { try await content(address) == false }
        }
        try await life { address, control in
            #expect(try await content(address) == false)
            _ = try await control.removal(path: bundles.app)
            #expect(try await content(address) == nil)
        }
        try await life { address, control in
            _ = try await control.add(path: bundles.app)
            #expect(try await content(address) == nil)
        }
    }

    // spec: TW-9
    @Test func aWidgetWithoutContentIsNotShownAndNotUpdated() async throws {
        let bundles = try Self.bundles().own
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let today = TodayHost(try await daemon.host("springboard").application, store: bundles.path + "/pictures")
            #expect(try await today.update(Self.widget).snapshot != nil)
            try await Self.set("off", of: Self.widget, bundles, daemon.address)
            try await eventually { try await today.shown(Self.widget) == .withoutContent }
            let launches = try await daemon.events().count { $0.event == "process.spawned" }
            let update = try await today.update(Self.widget)
            #expect(update.result == nil && update.snapshot == nil)
            #expect(try await today.widgets().isEmpty)
            let error = await #expect(throws: ExtensionHostError.self) { try await today.open(Self.widget) }
            #expect(error?.code == .notPermitted)
            #expect(try await daemon.events().count { $0.event == "process.spawned" } == launches)
            #expect(await today.snapshots.isEmpty)
            try await Self.set("on", of: Self.widget, bundles, daemon.address)
            try await eventually { try await today.hasContent(Self.widget) }
            #expect(try await today.shown(Self.widget) == .nothing)
            #expect(try await today.update(Self.widget).result == .newData)
        }
    }

    // spec: TW-9, TW-10, PC-15
    @Test func anOpenWidgetThatHasNoContentAnyMoreIsClosed() async throws {
        let bundles = try Self.bundles().own
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let today = TodayHost(try await daemon.host("springboard").application)
            try await today.open(Self.widget)
            let request = try #require(await today.request(Self.widget))
            try await Self.set("off", of: Self.widget, bundles, daemon.address)
            #expect(await request.outcome.cause == .completed)
            try await eventually { try await today.shown(Self.widget) == .withoutContent }
        }
    }

    // spec: TW-10
    @Test func aWidgetSaysItselfThatItHasNoContent() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "widget", program: SampleApplications.buildFolder + "/Widget", point: "com.apple.widget-extension",
            principalClass: "Widget.TodayViewController", rule: nil, information: ["TestWish": "empty"])
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let today = TodayHost(try await daemon.host("springboard").application)
            let update = try await today.update(Self.widget)
            #expect(update.result == .newData && update.snapshot == nil)
            #expect(try await today.shown(Self.widget) == .withoutContent)
        }
    }
}
