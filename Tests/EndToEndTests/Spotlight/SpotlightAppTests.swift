// SpotlightAppTests: an app with an index of its own, its delegate, and the opening of a found item.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import TestPrograms
import Testing

@Suite struct SpotlightAppTests {
    /// Opens a URL in the app, and waits for what it prints.
    private func order(
        _ url: String, _ answer: String, _ stage: SpotlightStage, _ output: Output
    ) async throws {
        let before = output.text.count
        _ = try await launch(stage.bundles, stage.daemon, for: .url(url))
        do {
            try await eventually { output.text.dropFirst(before).contains(answer) }
        } catch {
            Issue.record("\(url): \(output.text)")
            throw error
        }
    }

    // spec: SI-2, SI-3
    @Test("SI-2, SI-3: the app and its extension have one index, and a running app with a delegate is asked itself")
    func theAppIsAsked() async throws {
        try await SpotlightStage.with(TestBundles.withNotebook(), clock: .real) { stage in
            let (app, control, output) = try await launch(stage.bundles, stage.daemon)
            try await order("notebook://index/a/Apfel", "indexed\n", stage, output)
            try await stage.reindex("put a Orange", "put b Birne")
            #expect(try await stage.spotlight.search("orange").map(\.identifier) == ["a"])
            #expect(try await stage.spotlight.items.count == 2)
            // A running app without a delegate is not asked.
            #expect(!output.text.contains("asked for all"))
            try await order("notebook://find/bir", "found Birne\nsearch done\n", stage, output)

            try await order("notebook://delegate/on", "delegate set\n", stage, output)
            let report = try await stage.spotlight.reindexAll(SpotlightStage.identifier)
            #expect(report.asked == .app(pid: app.opened.pid) && report.ending == .acknowledged)
            #expect(report.effect.added == 1)
            try await eventually { output.text.contains("asked for all\n") }
            let some = try await stage.spotlight.reindex(["x", "y"], of: SpotlightStage.identifier)
            #expect(some.ending == .acknowledged)
            try await eventually { output.text.contains("asked for x,y\n") }
            let dropped = try await stage.spotlight.reindex(["drop"], of: SpotlightStage.identifier)
            guard case .failed(let error) = dropped.ending else {
                Issue.record("\(dropped.ending)")
                return
            }
            #expect(error.code == .handlerDropped)
            await stage.spotlight.throttle(true)
            await stage.spotlight.throttle(false)
            try await eventually { output.text.contains("throttled\nunthrottled\n") }

            try await order("notebook://delegate/off", "delegate set\n", stage, output)
            let later = try await stage.reindex("put c Kirsche")
            guard case .extension = later.asked else {
                Issue.record("\(later.asked)")
                return
            }
            // A delegate that the app has released is none.
            try await order("notebook://delegate/passing", "delegate set\n", stage, output)
            guard case .extension = try await stage.reindex("put c Kirsche").asked else {
                Issue.record("the app is asked")
                return
            }
            // An app that has ended is not asked any more.
            try await order("notebook://delegate/on", "delegate set\n", stage, output)
            try await control.closeApp(app.opened.identifier)
            _ = try await app.ending
            try await eventually {
                if case .extension = try await stage.reindex("put c Kirsche").asked { true } else { false }
            }
        }
    }

    // spec: SI-9, SI-10
    @Test("SI-9, SI-10: without a host that keeps an index, changes and queries fail") func thereIsNoIndex()
        async throws
    {
        let bundles = try TestBundles.withNotebook()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let (app, control, output) = try await launch(bundles, daemon)
            for (url, answer) in [
                ("notebook://index/a/Apfel", "error CSIndexErrorDomain -1000\n"),
                ("notebook://find/apf", "error CSSearchQueryErrorDomain -2001\n"),
            ] {
                _ = try await launch(bundles, daemon, for: .url(url))
                try await eventually { output.text.contains(answer) }
            }
            withExtendedLifetime((app, control)) {}
        }
    }

    // spec: SI-18
    @Test("SI-18: a found item is opened in its app by an activity") func aFoundItemIsOpened() async throws {
        try await SpotlightStage.with(TestBundles.withNotebook(), clock: .real) { stage in
            try await stage.reindex("put a Apfel", "put hang Hang")
            let item = try #require(try await stage.spotlight.search("apfel").first)
            let (app, control, output) = try await launch(
                stage.bundles, stage.daemon,
                for: .activity(
                    SpotlightHost.activityType,
                    userInfo: [
                        SpotlightHost.activityIdentifier: .string("first")
                    ]))
            try await eventually { output.text.contains("\nactive\n") }
            let launched = """
                will continue com.apple.corespotlightitem
                continue com.apple.corespotlightitem first inactive
                restore com.apple.corespotlightitem
                active

                """
            #expect(output.text.hasSuffix(launched), "\(output.text)")
            try await stage.spotlight.open(item)
            let opened = """
                continue com.apple.corespotlightitem a active
                restore com.apple.corespotlightitem

                """
            try await eventually { output.text.hasSuffix(opened) }
            withExtendedLifetime((app, control)) {}
        }
    }

    // spec: SI-18
    @Test("SI-18: an app that does not take the activity is reported") func anActivityTimesOut() async throws {
        try await SpotlightStage.with(TestBundles.withNotebook()) { stage in
            try await stage.reindex("put hang Hang")
            let item = try #require(try await stage.spotlight.search("hang").first)
            let (app, control, output) = try await launch(stage.bundles, stage.daemon)
            async let opening: Void = stage.spotlight.open(item)
            try await eventually { output.text.contains("continue com.apple.corespotlightitem hang") }
            try await stage.daemon.clock.advance(by: .seconds(11))
            do {
                try await opening
                Issue.record("it hangs, and has taken the activity")
            } catch let error as ExtensionHostError {
                #expect(error.code == .timedOut)
            }
            _ = try await stage.daemon.control.kill(.pid(app.opened.pid))
            withExtendedLifetime(control) {}
        }
    }

    // spec: SI-9
    @Test("SI-9: a change whose host goes meanwhile is reported") func theHostGoes() async throws {
        try await SpotlightStage.with(TestBundles.withNotebook(), clock: .real) { stage in
            let (app, control, output) = try await launch(stage.bundles, stage.daemon)
            await stage.spotlight.throttle(true)
            _ = try await launch(stage.bundles, stage.daemon, for: .url("notebook://index/a/Apfel"))
            try await eventually { await stage.spotlight.waitingChanges == 1 }
            stage.host.disconnect()
            try await eventually { output.text.contains("error CSIndexErrorDomain -1003\n") }
            withExtendedLifetime((app, control)) {}
        }
    }

    // spec: SI-3
    @Test("SI-3: the items of a removed app are deleted, and another app with its identifier has its own")
    func aRemovedAppHasNoItems() async throws {
        try await SpotlightStage.with(TestBundles.withNotebook(), clock: .real) { stage in
            try await stage.reindex("put a Apfel")
            let family = try #require(try await stage.item("a")?.family)
            #expect(family.identifier == notebook && family.owner.hasSuffix("/Tests.app"))
            // Another bundle has the identifier, in `Contents`, and finds nothing.
            let other = stage.bundles.path + "/Other.app"
            let program = other + "/Contents/MacOS/Notebook"
            try FileManager.default.createDirectory(
                atPath: other + "/Contents/MacOS", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: stage.bundles.app + "/Notebook", toPath: program)
            try waitForWriters(of: program)
            try FileManager.default.copyItem(
                atPath: stage.bundles.app + "/Info.plist", toPath: other + "/Contents/Info.plist")
            let control = try await DaemonControl.connect(name: "opener", to: stage.daemon.address)
            let output = Output()
            let app = try await control.launchApp(at: other) { output.add($0.bytes) }
            for (url, answer) in [("find/apf", "search done\n"), ("index/b/Birne", "indexed\n")] {
                _ = try await control.openApp(at: other, for: .url("notebook://" + url))
                try await eventually { output.text.contains(answer) }
            }
            #expect(!output.text.contains("found"))
            #expect(Set(try await stage.spotlight.items.map(\.identifier)) == ["a", "b"])

            try FileManager.default.removeItem(atPath: stage.bundles.app)
            try await eventually { try await stage.spotlight.items.map(\.identifier) == ["b"] }
            withExtendedLifetime((app, control)) {}
        }
    }

    // spec: SI-18
    @Test("SI-18: an activity needs its reason, a type and values, and is bounded") func activitiesAreChecked()
        async throws
    {
        let bundles = try TestBundles.withNotebook()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let control = try await DaemonControl.connect(name: "opener", to: daemon.address)
            for (reason, code): (AppReason, ExtensionHostError.Code) in [
                (.activity("", userInfo: [:]), .invalidArgument),
                (
                    .activity("type", userInfo: ["a": .string(String(repeating: "x", count: 16 << 10))]),
                    .payloadTooLarge
                ),
            ] {
                let error = await #expect(throws: ExtensionHostError.self) {
                    try await control.openApp(at: bundles.app, for: reason)
                }
                #expect(error?.code == code)
            }
            #expect(try await daemon.control.processes().isEmpty)
        }
    }
}
