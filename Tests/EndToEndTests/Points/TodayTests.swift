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
        store: String? = nil, _ body: (Stage) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "widget", program: SampleApplications.buildFolder + "/Widget", point: "com.apple.widget-extension",
            principalClass: "Widget.\(principal)", rule: nil, information: ["TestWish": wish])
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
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
            #expect(await Self.text(stage.today.shown(Self.widget)) == "update 1")
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

    @Test func aWidgetWithoutTheMethodHasOnePicture() async throws {
        try await Self.withWidget(principal: "BareViewController") { stage in
            let first = try await stage.today.update(Self.widget)
            #expect(first.result == .notWritten && first.snapshot?.view.first(.label)?.text == "bare")
            #expect(try await stage.today.update(Self.widget).snapshot == first.snapshot)
        }
    }

    // spec: TW-6, TW-7, TW-13
    @Test func thePictureIsShownUntilTheLiveViewAndAgainAfterIt() async throws {
        try await Self.withWidget { stage in
            _ = try await stage.today.update(Self.widget)
            #expect(await Self.text(stage.today.shown(Self.widget)) == "update 1")
            let updated = await stage.today.snapshot(Self.widget)?.digest
            try await stage.today.open(Self.widget)
            #expect(await stage.today.shown(Self.widget) == .live)
            let request = try #require(await stage.today.request(Self.widget))
            try await eventually { request.view?.first(.label)?.text == "live" }
            try await stage.today.close(Self.widget)
            #expect(await Self.text(stage.today.shown(Self.widget)) == "closed")
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
            #expect(await stage.today.shown(Self.widget) == .live)
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
            try await eventually { await Self.text(stage.today.shown(Self.widget)) == "update 1" }
        }
    }

    @Test func aKilledWidgetLeavesItsPictureAndIsLaunchedAnew() async throws {
        try await Self.withWidget { stage in
            _ = try await stage.today.update(Self.widget)
            try await stage.today.open(Self.widget)
            let request = try #require(await stage.today.request(Self.widget))
            kill(pid_t(try #require(request.processIdentifier)), SIGKILL)
            #expect(await request.outcome.kind == .interrupted)
            try await eventually { await Self.text(stage.today.shown(Self.widget)) == "update 1" }
            try await stage.today.open(Self.widget)
            #expect(await stage.today.shown(Self.widget) == .live)
            #expect(await stage.today.request(Self.widget)?.processIdentifier != request.processIdentifier)
            try await stage.today.close(Self.widget)
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
                digests.append(try await stage.today.update(Self.widget).snapshot?.digest)
            }
        }
        #expect(digests[0] == nil && digests[1] != nil && digests[2] == digests[1] && digests[3] == digests[1])
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
