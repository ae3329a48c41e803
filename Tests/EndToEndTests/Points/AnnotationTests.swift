// AnnotationTests: values that the daemon stores for an extension, and `setHasContent` (spec PC-19, TW-10, TW-11).

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import TestPrograms
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
            // Each setting is in memory only, so it was done when the daemon read it.
            #expect(
                try await host.application.annotations(of: Self.widget)[TodayAnnotation.hasContent]?.plist == false)
        }
    }

    // spec: PC-19, TW-10
    @Test func anAnnotationOutlivesTheDaemonAndNotItsBundle() async throws {
        let bundles = try Self.bundles().own
        func content(_ address: DaemonAddress) async throws -> Bool? {
            let host = try await HostApplication.connect(name: "springboard", to: address)
            return try await host.annotations(of: Self.widget)[TodayAnnotation.hasContent]?.plist.boolean
        }
        try await withUserDaemon(bundles) { address, control in
            try await Self.set("off", of: Self.widget, bundles, address)
            try await eventually { try await content(address) == false }
        }
        try await withUserDaemon(bundles) { address, control in
            #expect(try await content(address) == false)
            _ = try await control.removal(path: bundles.app)
            #expect(try await content(address) == nil)
        }
        try await withUserDaemon(bundles) { address, control in
            _ = try await control.add(path: bundles.app)
            #expect(try await content(address) == nil)
        }
    }

    // spec: PC-19
    @Test("PC-19: a host that follows annotations hears of their removal with the bundle, as of an absent value")
    func aFollowerHearsOfTheRemovalOfTheBundle() async throws {
        let bundles = try Self.bundles().own
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("springboard").application
            try await Self.set("off", of: Self.widget, bundles, daemon.address)
            var changes = host.followAnnotations(of: Self.widget).makeAsyncIterator()
            #expect(try await changes.next()?[TodayAnnotation.hasContent]?.plist == false)
            _ = try await daemon.control.removal(path: bundles.app)
            // No process has changed it.
            try await daemon.event { $0.event == EventName.annotationChanged.rawValue && $0.pid == nil }
            #expect(try await changes.next()?.isEmpty == true)
        }
        // The same where the values are on disk.
        try await withUserDaemon(bundles) { address, control in
            _ = try await control.add(path: bundles.app)
            let host = try await HostApplication.connect(name: "springboard", to: address)
            try await Self.set("off", of: Self.widget, bundles, address)
            var changes = host.followAnnotations(of: Self.widget).makeAsyncIterator()
            #expect(try await changes.next()?[TodayAnnotation.hasContent]?.plist == false)
            _ = try await control.removal(path: bundles.app)
            try await eventually {
                try await control.events().contains {
                    $0.event == EventName.annotationChanged.rawValue && $0.pid == nil
                }
            }
            #expect(try await changes.next()?.isEmpty == true)
        }
    }

    /// Makes the database refuse an annotation that is true, as a full disk would.
    private static func refuseTrue(in bundles: TestBundles) async throws {
        let state = bundles.path + "/state"
        let files = FileManager.default.enumerator(atPath: state)?.compactMap { $0 as? String } ?? []
        let file = try #require(files.first { $0.hasSuffix("/registry.sqlite") })
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            # The ninth byte of such a property list is its only object.
            database.execute(\"\"\"CREATE TRIGGER refuses BEFORE INSERT ON value WHEN substr(NEW.value, 9, 1) = X'09'
                BEGIN SELECT RAISE(ABORT, 'no room'); END\"\"\")
            database.commit()
            """
        let made = try await Program.run(
            "/usr/bin/env", ["python3", "-c", script, "\(state)/\(file)"], socket: ""
        ).ending()
        try #require(made.status == 0, "\(made)")
    }

    // spec: PC-19
    @Test("PC-19: an annotation that cannot be stored is refused to its sender, and no host hears of it")
    func anAnnotationThatCannotBeStoredIsNotAnnounced() async throws {
        let bundles = try Self.bundles().own
        try await withUserDaemon(bundles) { _, _ in }
        try await Self.refuseTrue(in: bundles)
        try await withUserDaemon(bundles) { address, control in
            let host = try await HostApplication.connect(name: "springboard", to: address)
            var changes = host.followAnnotations(of: Self.widget).makeAsyncIterator()
            #expect(try await changes.next()?.isEmpty == true)
            // The second setting can be stored. It does not bring the first along.
            let (app, following, output) = try await launch(
                bundles, address, for: .url("notebook://content/on,off/\(Self.widget)"))
            #expect(try await changes.next()?[TodayAnnotation.hasContent]?.plist == false)
            try await eventually { output.text.contains("exthost: ") }
            #expect(output.text.contains("registry.sqlite cannot be used"), "\(output.text)")
            #expect(try await host.annotations(of: Self.widget)[TodayAnnotation.hasContent]?.plist == false)
            let events = try await control.events().filter { $0.event.hasPrefix("annotation.") }
            #expect(events.map(\.event) == ["annotation.refused", "annotation.changed"], "\(events)")
            #expect(events.first?.detail?.contains("registry.sqlite") == true)
            try await following.closeApp(notebook)
            #expect(try await app.ending?.cause == .closed)
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
