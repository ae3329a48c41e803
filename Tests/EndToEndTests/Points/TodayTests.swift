// TodayTests: Today widgets: their updates, and the pictures that stay (spec TW-1 to TW-25).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import TestPrograms
import Testing

@Suite struct TodayTests {
    private static let widget = TodayStage.widget

    // spec: TW-1, TW-3
    @Test(
        arguments: [("", .newData, "update 1"), ("noData", .noData, nil), ("failed", .failed, nil)]
            as [(String, TodayUpdate.Result, String?)])
    func onlyNewDataBringsANewPicture(wish: String, result: TodayUpdate.Result, picture: String?) async throws {
        try await TodayStage.run(wish) { stage in
            let update = try await stage.today.update(Self.widget)
            #expect(update.result == result && update.error == nil)
            #expect(update.snapshot?.view.first(.label)?.text == picture)
            #expect(try await stage.lines() == ["viewDidLoad", "update"])
        }
    }

    // spec: TW-3
    @Test func aFailedUpdateLeavesTheLastPictureAndMarksItStale() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try await TodayStage.run(store: folder.path) { stage in _ = try await stage.today.update(Self.widget) }
        try await TodayStage.run("failed", store: folder.path) { stage in
            #expect(try await TodayStage.text(stage.today.shown(Self.widget)) == "update 1")
            let update = try await stage.today.update(Self.widget)
            #expect(update.snapshot?.isStale == true && update.snapshot?.view.first(.label)?.text == "update 1")
        }
        try await TodayStage.run("noData", store: folder.path) { stage in
            #expect(await stage.today.snapshot(Self.widget)?.isStale == true)
            let update = try await stage.today.update(Self.widget)
            #expect(update.result == .noData && update.snapshot?.view.first(.label)?.text == "update 1")
        }
    }

    // spec: TW-2
    @Test(arguments: [(0, .newData), (1, .noData), (2, .failed)] as [(Int, TodayUpdate.Result)])
    func theResultsHaveApplesRawValues(value: Int, result: TodayUpdate.Result) async throws {
        try await TodayStage.run("raw \(value)") { stage in
            let update = try await stage.today.update(Self.widget)
            #expect(update.result == result)
            #expect(try await stage.lines() == ["viewDidLoad", "update", "true 1"])
        }
    }

    // spec: TW-5
    @Test func aWidgetWithoutTheMethodHasThePictureOfItsFirstAppearanceAndOfEachDisappearance() async throws {
        try await TodayStage.run(principal: "BareViewController") { stage in
            func picture() async throws -> String? {
                await stage.today.snapshot(Self.widget)?.view.first(.label)?.text
            }
            let first = try await stage.today.update(Self.widget)
            #expect(first.result == .notWritten && first.error == nil && first.snapshot == nil)
            try await stage.today.open(Self.widget)
            #expect(try await picture() == "bare")
            try await stage.today.close(Self.widget)
            #expect(try await picture() == "gone")
            // The next appearance is not the first.
            try await stage.today.open(Self.widget)
            #expect(try await picture() == "gone")
            let update = try await stage.today.update(Self.widget)
            #expect(update.result == .notWritten && update.snapshot?.isStale == false)
            #expect(try await picture() == "gone")
            try await stage.today.close(Self.widget)
        }
    }

    // spec: TW-6, TW-7, TW-13
    @Test func thePictureIsShownUntilTheLiveViewAndAgainAfterIt() async throws {
        try await TodayStage.run { stage in
            _ = try await stage.today.update(Self.widget)
            #expect(try await TodayStage.text(stage.today.shown(Self.widget)) == "update 1")
            let updated = await stage.today.snapshot(Self.widget)?.digest
            try await stage.today.open(Self.widget)
            #expect(try await stage.today.shown(Self.widget) == .live)
            let request = try #require(await stage.today.request(Self.widget))
            try await eventually { request.view?.first(.label)?.text == "live" }
            try await stage.today.close(Self.widget)
            #expect(try await TodayStage.text(stage.today.shown(Self.widget)) == "closed")
            #expect(await stage.today.snapshot(Self.widget)?.digest != updated)
            #expect(
                try await stage.lines() == [
                    "viewDidLoad", "update", "viewDidLoad", "viewWillAppear", "mode compact 110", "viewWillDisappear",
                    "viewDidDisappear",
                ])
            #expect(await request.outcome.kind == .completed)
        }
    }

    @Test func stepsOfOneWidgetComeOneAfterTheOther() async throws {
        try await TodayStage.run { stage in
            async let first = stage.today.update(Self.widget)
            async let second = stage.today.update(Self.widget)
            async let opening: Void = stage.today.open(Self.widget)
            let results = try await [first.result, second.result]
            try await opening
            #expect(results == [.newData, .newData])
            #expect(try await stage.today.shown(Self.widget) == .live)
            try await stage.today.close(Self.widget)
            try await eventually { try await stage.daemon.control.requests().isEmpty }
        }
    }

    // spec: TW-21
    @Test func aWidgetThatCompletesLeavesItsPicture() async throws {
        try await TodayStage.run { stage in
            _ = try await stage.today.update(Self.widget)
            try await stage.today.open(Self.widget)
            let request = try #require(await stage.today.request(Self.widget))
            try await request.use(.tap("Done"))
            #expect(await request.outcome.kind == .completed)
            try await eventually { try await TodayStage.text(stage.today.shown(Self.widget)) == "update 1" }
        }
    }

    // spec: TW-23
    @Test func equalPicturesHaveEqualDigestsAndOutliveTheirHost() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        var digests: [String?] = []
        for _ in 0..<2 {
            try await TodayStage.run(principal: "BareViewController", store: folder.path) { stage in
                digests.append(await stage.today.snapshot(Self.widget)?.digest)
                try await stage.today.open(Self.widget)
                try await stage.today.close(Self.widget)
                digests.append(await stage.today.snapshot(Self.widget)?.digest)
            }
        }
        #expect(digests[0] == nil && digests[1] != nil && digests[2] == digests[1] && digests[3] == digests[1])
    }

    // spec: TW-24
    @Test func aTodayViewHasTheOfferedWidgetsAndItsPicturesOutliveIt() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let bundles = try TestBundles.withPuppet()
        for (name, principal) in [("clock", "TodayViewController"), ("plain", "PlainViewController")] {
            try bundles.add(
                name, program: SampleApplications.buildFolder + "/Widget", point: TodayHost.point,
                principalClass: "Widget.\(principal)", rule: nil)
        }
        let (clock, plain) = ("org.exthost.tests.clock", "org.exthost.tests.plain")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("springboard").application
            let today = TodayHost(host, store: folder.path)
            #expect(try await today.widgets().map(\.identifier) == [clock, plain])
            // One fails to open, and the others open.
            let errors = try await today.open()
            #expect(errors.map(\.key) == [plain] && "\(errors)".contains("NCWidgetProviding"))
            #expect(try await today.shown(clock) == .live)
            try await today.request(clock)?.use(.tap("Expand"))
            try await eventually { await today.modes(clock).largest == .expanded }
            try await today.toggle(clock)
            #expect(await today.modes(clock).active == .expanded)
            #expect(await today.close().isEmpty)
            #expect(await today.snapshots.map(\.key) == [clock])
            try await daemon.control.elect(.ignore, clock)
            #expect(try await today.widgets().map(\.identifier) == [plain])
            let closed = try #require(await today.snapshot(clock))
            let next = TodayHost(host, store: folder.path)
            #expect(await next.snapshots == [clock: closed])
            #expect(try await next.shown(clock) == .snapshot(closed))
            // A file of another program is no picture.
            try Data("no property list".utf8).write(to: URL(fileURLWithPath: folder.path + "/stray.plist"))
            #expect(await next.snapshots == [clock: closed])
        }
    }

    @Test func aWidgetOfAStoryboardHasItsOutletsAndActions() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        // The storyboard is compiled as an author's is.
        let made = try await Program.run(
            SampleApplications.buildFolder + "/exthostctl",
            [
                "bundle", SampleApplications.root + "/Tests/Fixtures/DrawnWidget", "--programs",
                SampleApplications.buildFolder, "--output", folder.path, "--quiet",
            ], socket: "/nonexistent"
        ).ending()
        try #require(made.status == 0, "\(made)")
        let drawn = "org.exthost.tests.drawn.today"
        try await withTestDaemon(applications: [folder.path], clock: .virtual) { daemon in
            let output = Output()
            let host = try await daemon.host("springboard", onOutput: output.add)
            let today = TodayHost(host.application)
            let update = try await today.update(drawn)
            #expect(update.snapshot?.view.first(.label)?.text == "updated")
            try await today.open(drawn)
            #expect(await today.modes(drawn) == (.compact, .expanded))
            let request = try #require(await today.request(drawn))
            try await request.use(.tap("Count"))
            #expect(request.view?.first(.label)?.text == "1 taps")
            try await today.close(drawn)
            try await host.application.fence()
            let unwritten =
                "exthost: DrawnViewController has not written widgetActiveDisplayModeDidChange(_:withMaximumSize:)\n"
            #expect(output.text == "viewDidLoad drawn\nviewDidLoad drawn\nwidth 359\n" + unwritten)
        }
    }

    @Test func theSampleShowsWhatItsAppsShareExtensionHasStored() async throws {
        let bundles = try TestBundles.readingList()
        let (save, last) = ("org.exthost.samples.reading.save", "org.exthost.samples.reading.last")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("springboard")
            let today = TodayHost(host.application)
            #expect(try await today.widgets().map(\.identifier) == [last])
            #expect(try await today.update(last).result == .noData)
            let item = NSExtensionItem.url("https://example.org/a")
            item.attributedContentText = NSAttributedString(string: "to read")
            let request = try await host.begin(save, items: [item])
            _ = await request.view { $0.isEnabled && !$0.children.isEmpty }
            try await request.use(.post)
            #expect(await request.outcome.kind == .completed)
            let update = try await today.update(last)
            func texts(_ snapshot: TodayHost.Snapshot?) -> [String] {
                snapshot?.view.all.compactMap { $0.kind == .label ? $0.text : nil } ?? []
            }
            #expect(update.result == .newData && texts(update.snapshot) == ["https://example.org/a"])
            #expect(update.snapshot?.isClipped == false)
            try await today.open(last)
            try await today.toggle(last)
            try await today.close(last)
            let closed = await today.snapshot(last)
            #expect(texts(closed) == ["https://example.org/a", "to read"])
            #expect(closed?.height == 136 && closed?.isClipped == false)
        }
    }
}
