// TodayTests: Today widgets, from the launch to the picture that stays (spec TW-1 to TW-25).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import Testing

@Suite struct TodayTests {
    private static let widget = "org.exthost.tests.widget"

    /// The daemon, the host and the widget's output in one test.
    private struct Stage {
        let daemon: TestDaemon
        let host: FakeHost
        let today: TodayHost
        let output: Output

        /// The lines that the widget has printed so far.
        func lines() async throws -> [String] {
            try await host.application.fence()
            return output.text.split(separator: "\n").map(String.init)
        }
    }

    private static func withWidget(
        _ wish: String = "", principal: String = "TodayViewController", layout: TodayHost.Layout = .modes,
        store: String? = nil, clock: TestDaemon.ClockKind = .virtual, arguments: [String] = [],
        _ body: (Stage) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "widget", program: SampleApplications.buildFolder + "/Widget", point: "com.apple.widget-extension",
            principalClass: "Widget.\(principal)", rule: nil, information: ["TestWish": wish])
        try await withTestDaemon(applications: [bundles.path], clock: clock, arguments: arguments) { daemon in
            let output = Output()
            let host = try await daemon.host("springboard", onOutput: output.add)
            try await body(
                Stage(
                    daemon: daemon, host: host, today: TodayHost(host.application, layout: layout, store: store),
                    output: output))
        }
    }

    private static func text(_ shown: TodayHost.Shown) -> String? {
        guard case .snapshot(let snapshot) = shown else { return nil }
        return snapshot.view.first(.label)?.text
    }

    // spec: TW-1, TW-3
    @Test(
        arguments: [("", .newData, "update 1"), ("noData", .noData, nil), ("failed", .failed, nil)]
            as [(String, TodayUpdate.Result, String?)])
    func onlyNewDataBringsANewPicture(wish: String, result: TodayUpdate.Result, picture: String?) async throws {
        try await Self.withWidget(wish) { stage in
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
        try await Self.withWidget(store: folder.path) { stage in _ = try await stage.today.update(Self.widget) }
        try await Self.withWidget("failed", store: folder.path) { stage in
            #expect(try await Self.text(stage.today.shown(Self.widget)) == "update 1")
            let update = try await stage.today.update(Self.widget)
            #expect(update.snapshot?.isStale == true && update.snapshot?.view.first(.label)?.text == "update 1")
        }
        try await Self.withWidget("noData", store: folder.path) { stage in
            #expect(await stage.today.snapshot(Self.widget)?.isStale == true)
            let update = try await stage.today.update(Self.widget)
            #expect(update.result == .noData && update.snapshot?.view.first(.label)?.text == "update 1")
        }
    }

    // spec: TW-4
    @Test func anUpdateWithoutAnAnswerHasFailed() async throws {
        try await Self.withWidget("drop") { stage in
            let dropped = try await stage.today.update(Self.widget)
            #expect(dropped.result == .failed && dropped.error?.code == .handlerDropped)
            #expect(dropped.error?.message.contains("widgetPerformUpdate") == true)
        }
        try await Self.withWidget("hang") { stage in
            let late = Task { try await stage.today.update(Self.widget) }
            try await stage.daemon.event { $0.detail?.hasPrefix("today.performUpdate") == true }
            try await stage.daemon.clock.advance(by: .seconds(10))
            let update = try await late.value
            #expect(update.result == .failed && update.error?.code == .timedOut)
        }
        try await Self.withWidget("die") { stage in
            let dead = try await stage.today.update(Self.widget)
            #expect(dead.result == .failed && dead.error?.code == .interrupted)
        }
    }

    // spec: TW-4
    @Test func theFirstResultCounts() async throws {
        try await Self.withWidget("twice") { stage in
            #expect(try await stage.today.update(Self.widget).result == .newData)
            try await stage.daemon.event { $0.detail?.contains("E_HANDLER_TWICE") == true }
        }
    }

    // spec: TW-2
    @Test(arguments: [(0, .newData), (1, .noData), (2, .failed)] as [(Int, TodayUpdate.Result)])
    func theResultsHaveApplesRawValues(value: Int, result: TodayUpdate.Result) async throws {
        try await Self.withWidget("raw \(value)") { stage in
            let update = try await stage.today.update(Self.widget)
            #expect(update.result == result)
            #expect(try await stage.lines() == ["viewDidLoad", "update", "true 1"])
        }
    }

    // spec: TW-5
    @Test func aWidgetWithoutTheMethodHasThePictureOfItsFirstAppearanceAndOfEachDisappearance() async throws {
        try await Self.withWidget(principal: "BareViewController") { stage in
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
        try await Self.withWidget { stage in
            _ = try await stage.today.update(Self.widget)
            #expect(try await Self.text(stage.today.shown(Self.widget)) == "update 1")
            let updated = await stage.today.snapshot(Self.widget)?.digest
            try await stage.today.open(Self.widget)
            #expect(try await stage.today.shown(Self.widget) == .live)
            let request = try #require(await stage.today.request(Self.widget))
            try await eventually { request.view?.first(.label)?.text == "live" }
            try await stage.today.close(Self.widget)
            #expect(try await Self.text(stage.today.shown(Self.widget)) == "closed")
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
        try await Self.withWidget { stage in
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

    // spec: TW-12, TW-14
    @Test func theHostTogglesWhatTheWidgetOffers() async throws {
        try await Self.withWidget { stage in
            try await stage.today.open(Self.widget)
            await #expect(throws: ExtensionHostError.self) { try await stage.today.toggle(Self.widget) }
            let request = try #require(await stage.today.request(Self.widget))
            try await request.use(.tap("Expand"))
            try await eventually { await stage.today.modes(Self.widget).largest == .expanded }
            try await stage.today.toggle(Self.widget)
            #expect(await stage.today.modes(Self.widget).active == .expanded)
            // The widget takes it back: the active mode is compact again.
            try await request.use(.tap("Compact"))
            try await eventually { await stage.today.modes(Self.widget).active == .compact }
            try await stage.today.close(Self.widget)
            #expect(await stage.today.snapshot(Self.widget)?.height == 110)
            let modes = try await stage.lines().filter { $0.hasPrefix("mode") }
            #expect(modes == ["mode compact 110", "mode expanded 616", "mode compact 110"])
        }
    }

    // spec: TW-12, TW-13
    @Test(arguments: ["expanded", "late"])
    func aWidgetOpensInTheModeThatThePersonChoseInTheSameProcessAndInANewOne(wish: String) async throws {
        try await Self.withWidget(wish) { stage in
            try await stage.today.open(Self.widget)
            try await stage.today.toggle(Self.widget)
            let first = try #require(await stage.today.request(Self.widget)?.processIdentifier)
            try await stage.today.close(Self.widget)
            #expect(await stage.today.snapshot(Self.widget)?.height == 300)
            // An update changes nothing, even if the widget offers the mode only when it appears.
            _ = try await stage.today.update(Self.widget)
            try await stage.today.open(Self.widget)
            #expect(await stage.today.modes(Self.widget) == (.expanded, .expanded))
            let second = try #require(await stage.today.request(Self.widget))
            #expect(second.processIdentifier == first)
            kill(pid_t(first), SIGKILL)
            _ = await second.exit
            try await stage.today.open(Self.widget)
            #expect(await stage.today.request(Self.widget)?.processIdentifier != first)
            #expect(await stage.today.modes(Self.widget) == (.expanded, .expanded))
            try await stage.today.close(Self.widget)
            let modes = try await stage.lines().filter { $0.hasPrefix("mode") }
            #expect(modes == ["mode compact 110"] + Array(repeating: "mode expanded 616", count: 3))
        }
    }

    // spec: TW-12, TW-13
    @Test func aWidgetThatAppearsWithoutTheExpandedModeLosesTheChoice() async throws {
        try await Self.withWidget("odd") { stage in
            try await stage.today.open(Self.widget)
            try await stage.today.toggle(Self.widget)
            try await stage.today.close(Self.widget)
            #expect(await stage.today.modes(Self.widget) == (.expanded, .expanded))
            try await stage.today.open(Self.widget)
            #expect(await stage.today.modes(Self.widget) == (.compact, .compact))
            await #expect(throws: ExtensionHostError.self) { try await stage.today.toggle(Self.widget) }
            try await stage.today.close(Self.widget)
            #expect(await stage.today.snapshot(Self.widget)?.height == 110)
            try await stage.today.open(Self.widget)
            #expect(await stage.today.modes(Self.widget) == (.compact, .expanded))
            try await stage.today.close(Self.widget)
            let modes = try await stage.lines().filter { $0.hasPrefix("mode") }
            #expect(modes == ["mode compact 110", "mode expanded 616", "mode compact 110", "mode compact 110"])
        }
    }

    // spec: TW-16
    @Test(arguments: [
        (TodayHost.Layout.modes, "359x110 359x110 359x616"), (TodayHost.Layout.free, "327x60 327x540 327x540"),
    ])
    func theWidthIsTheHosts(layout: TodayHost.Layout, sizes: String) async throws {
        // The widget prefers a width of 900 points.
        try await Self.withWidget("sizes", layout: layout) { stage in
            try await stage.today.open(Self.widget)
            try await stage.today.close(Self.widget)
            #expect(try await stage.lines().contains(sizes))
        }
    }

    // spec: TW-19
    @Test(arguments: [("overflow", true), ("nested", true), ("scroll", true), ("hidden", false), ("", false)])
    func contentBelowTheWidgetIsToldInThePicture(wish: String, isClipped: Bool) async throws {
        try await Self.withWidget(wish) { stage in
            let update = try await stage.today.update(Self.widget)
            #expect(update.snapshot?.isClipped == isClipped)
        }
    }

    // spec: TW-19
    @Test func aWidgetDoesNotScroll() async throws {
        try await Self.withWidget("scroll") { stage in
            try await stage.today.open(Self.widget)
            let request = try #require(await stage.today.request(Self.widget))
            let refused = await #expect(throws: ExtensionHostError.self) {
                _ = try await request.useAction(UseView(request: request.identifier, action: "scroll"))
            }
            #expect(refused?.code == .notPermitted && refused?.message.contains("scroll") == true)
            try await stage.today.close(Self.widget)
        }
    }

    // spec: TW-15, TW-17
    @Test func withoutModesTheWidgetChoosesItsHeight() async throws {
        try await Self.withWidget(layout: .free) { stage in
            let update = try await stage.today.update(Self.widget)
            #expect(update.snapshot?.height == 60 && update.snapshot?.isClipped == false)
            #expect(await stage.today.margins(Self.widget)?.left == 0)
            #expect(try await stage.lines() == ["viewDidLoad", "margins 47", "update"])
        }
        try await Self.withWidget("tall", layout: .free) { stage in
            let update = try await stage.today.update(Self.widget)
            #expect(update.snapshot?.height == 540.5 && update.snapshot?.isClipped == true)
        }
    }

    // spec: TW-18
    @Test func aWidgetHasNoKeyboard() async throws {
        try await Self.withWidget { stage in
            try await stage.today.open(Self.widget)
            let request = try #require(await stage.today.request(Self.widget))
            let refused = await #expect(throws: ExtensionHostError.self) {
                try await request.use(.setText("hello", in: "field"))
            }
            #expect(refused?.code == .notPermitted)
            // Nor by the author's code.
            try await request.use(.tap("Type"))
            #expect(request.view?.first(.label)?.text == "false false")
            try await stage.today.close(Self.widget)
        }
    }

    // spec: TW-21
    @Test func aWidgetThatCompletesLeavesItsPicture() async throws {
        try await Self.withWidget { stage in
            _ = try await stage.today.update(Self.widget)
            try await stage.today.open(Self.widget)
            let request = try #require(await stage.today.request(Self.widget))
            try await request.use(.tap("Done"))
            #expect(await request.outcome.kind == .completed)
            try await eventually { try await Self.text(stage.today.shown(Self.widget)) == "update 1" }
        }
    }

    // spec: TW-22
    @Test func aKilledWidgetLeavesItsPictureAndIsLaunchedAnew() async throws {
        try await Self.withWidget { stage in
            _ = try await stage.today.update(Self.widget)
            try await stage.today.open(Self.widget)
            let request = try #require(await stage.today.request(Self.widget))
            kill(pid_t(try #require(request.processIdentifier)), SIGKILL)
            #expect(await request.outcome.kind == .interrupted)
            try await eventually { try await Self.text(stage.today.shown(Self.widget)) == "update 1" }
            try await stage.today.open(Self.widget)
            #expect(try await stage.today.shown(Self.widget) == .live)
            #expect(await stage.today.request(Self.widget)?.processIdentifier != request.processIdentifier)
            try await stage.today.close(Self.widget)
        }
    }

    // spec: TW-22
    @Test func aWidgetOverItsMemoryLimitIsKilled() async throws {
        let limit = ["--limits-by", "poll", "--limit", "memory=64MiB"]
        try await Self.withWidget(clock: .real, arguments: limit) { stage in
            _ = try await stage.today.update(Self.widget)
            try await stage.today.open(Self.widget)
            let request = try #require(await stage.today.request(Self.widget))
            // The process ends during the act.
            _ = try? await request.use(.tap("Fill"))
            #expect(await request.outcome.cause == .memoryLimit)
            try await eventually { try await Self.text(stage.today.shown(Self.widget)) == "update 1" }
            try await stage.today.open(Self.widget)
            #expect(try await stage.today.shown(Self.widget) == .live)
            try await stage.today.close(Self.widget)
        }
    }

    // spec: TW-22
    @Test func killsInARowHideTheWidgetUntilTheBreakerAllowsIt() async throws {
        try await Self.withWidget(arguments: ["--breaker", "3"]) { stage in
            _ = try await stage.today.update(Self.widget)
            for _ in 0..<3 {
                #expect(try await stage.today.widgets().map(\.identifier) == [Self.widget])
                try await stage.today.open(Self.widget)
                let request = try #require(await stage.today.request(Self.widget))
                kill(pid_t(try #require(request.processIdentifier)), SIGKILL)
                _ = await request.exit
                try await eventually { await stage.today.request(Self.widget) == nil }
            }
            #expect(try await stage.today.shown(Self.widget) == .hidden)
            #expect(try await stage.today.widgets().isEmpty)
            let refused = await #expect(throws: ExtensionHostError.self) { try await stage.today.open(Self.widget) }
            #expect(refused?.code == .breakerOpen && refused?.remedy?.contains("exthostctl reset") == true)
            await #expect(throws: ExtensionHostError.self) { try await stage.today.update(Self.widget) }
            try await stage.daemon.clock.advance(by: .seconds(1))
            #expect(try await Self.text(stage.today.shown(Self.widget)) == "update 1")
            try await stage.today.open(Self.widget)
            #expect(try await stage.today.shown(Self.widget) == .live)
            try await stage.today.close(Self.widget)
            #expect(try await stage.today.widgets().map(\.identifier) == [Self.widget])
        }
    }

    // spec: TW-23
    @Test func equalPicturesHaveEqualDigestsAndOutliveTheirHost() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        var digests: [String?] = []
        for _ in 0..<2 {
            try await Self.withWidget(principal: "BareViewController", store: folder.path) { stage in
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

    // spec: TW-24
    @Test func aPictureThatCannotBeStoredIsAnErrorWithItsFolder() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        try await Self.withWidget(store: folder.path + "/file/pictures") { stage in
            let failed = await #expect(throws: ExtensionHostError.self) { try await stage.today.update(Self.widget) }
            #expect(failed?.code == .stateUnavailable && failed?.message.contains("/file/pictures") == true)
            // The request has ended all the same.
            #expect(await stage.today.request(Self.widget) == nil)
        }
    }

    // spec: PC-26
    @Test func anExtensionWithoutTheFrameworkLivesAndEndsAsAtOtherPoints() async throws {
        let bundles = try TestBundles.withPuppet(point: TodayHost.point, rule: nil)
        try bundles.add(
            "hang", program: SampleApplications.buildFolder + "/Hang", point: TodayHost.point,
            principalClass: "Hang.Hang", rule: nil)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("springboard")
            let request = try await host.begin(puppet, items: [order("count")])
            #expect(await request.outcome.kind == .completed)
            // The Today view learns what is missing, and ends the request. The process lives on.
            let hang = "org.exthost.tests.hang"
            let today = TodayHost(host.application)
            let missing = await #expect(throws: ExtensionHostError.self) { try await today.open(hang) }
            #expect(missing?.code == .frameworkMissing && missing?.remedy?.contains("NotificationCenter") == true)
            #expect(try await daemon.control.requests().isEmpty)
            #expect(try await daemon.control.processes().count == 2)
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

    // spec: PC-10
    @Test func aControllerThatIsNoWidgetIsRefusedByName() async throws {
        try await Self.withWidget(principal: "PlainViewController") { stage in
            let request = try await stage.host.begin(Self.widget, items: [])
            guard case .cancelled(_, let error) = await request.outcome else {
                Issue.record("\(await request.outcome)")
                return
            }
            #expect((error as NSError).code == ExtensionHostError.Code.principalUnsuitable.rawValue)
            #expect("\(error)".contains("NCWidgetProviding"))
        }
    }
}
