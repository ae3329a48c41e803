// TodayFailureTests: Today widgets that fail, hang or are killed (spec TW-4, TW-22).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import Testing

@Suite struct TodayFailureTests {
    private static let widget = TodayStage.widget

    // spec: TW-4
    @Test func anUpdateWithoutAnAnswerHasFailed() async throws {
        try await TodayStage.run("drop") { stage in
            let dropped = try await stage.today.update(Self.widget)
            #expect(dropped.result == .failed && dropped.error?.code == .handlerDropped)
            #expect(dropped.error?.message.contains("widgetPerformUpdate") == true)
        }
        try await TodayStage.run("hang") { stage in
            let late = Task { try await stage.today.update(Self.widget) }
            try await stage.daemon.event { $0.detail?.hasPrefix("today.performUpdate") == true }
            try await stage.daemon.clock.advance(by: .seconds(10))
            let update = try await late.value
            #expect(update.result == .failed && update.error?.code == .timedOut)
        }
        try await TodayStage.run("die") { stage in
            let dead = try await stage.today.update(Self.widget)
            #expect(dead.result == .failed && dead.error?.code == .interrupted)
        }
    }

    // spec: TW-4
    @Test func theFirstResultCounts() async throws {
        try await TodayStage.run("twice") { stage in
            #expect(try await stage.today.update(Self.widget).result == .newData)
            try await stage.daemon.event { $0.detail?.contains("E_HANDLER_TWICE") == true }
        }
    }

    // MARK: Widgets that hang

    /// Whether a call of this name has been answered, or its time is over.
    private static func isFinished(_ call: String, _ stage: TodayStage) async throws -> Bool {
        try await stage.daemon.events().contains {
            $0.event == EventName.callFinished.rawValue && $0.detail?.hasPrefix(call) == true
        }
    }

    /// The seconds from the delivery of a request to its end.
    private static func time(of request: ExtensionRequest) async -> Double? {
        let timings = await request.timings
        return timings.finished.flatMap { end in timings.delivered.map { end - $0 } }
    }

    // spec: TW-7
    @Test("TW-7: a widget that hangs at its closing is waited for once, for 5 s, and leaves its last picture")
    func aWidgetThatHangsAtItsClosingIsCancelled() async throws {
        try await TodayStage.run("hangClose") { stage in
            try await stage.today.open(Self.widget)
            let request = try #require(await stage.today.request(Self.widget))
            let closing = Task { try await stage.today.close(Self.widget) }
            try await stage.daemon.event { $0.detail?.hasPrefix("today.disappear") == true }
            try await stage.daemon.clock.advance(by: .milliseconds(4900))
            #expect(try await !Self.isFinished("today.disappear", stage))
            try await stage.daemon.clock.advance(by: .milliseconds(100))
            try #require(try await Self.isFinished("today.disappear", stage))
            try await closing.value
            #expect(await request.outcome.cause == .cancelledByHost)
            #expect(await Self.time(of: request) == 5)
            // It gets no second call that it could hang in.
            #expect(try await stage.daemon.events().allSatisfy { $0.detail?.hasPrefix("today.end") != true })
            #expect(try await TodayStage.text(stage.today.shown(Self.widget)) == "live")
            #expect(try await stage.daemon.control.requests().isEmpty)
        }
    }

    // spec: TW-4, TW-7
    @Test("TW-4: a widget that blocks its main thread takes 10 s of an update, and 5 s of its closing")
    func aWidgetThatBlocksItsMainThreadIsBounded() async throws {
        try await TodayStage.run("block") { stage in
            let update = Task { try await stage.today.update(Self.widget) }
            let closed = try await Self.request(of: "today.performUpdate", stage)
            try await stage.daemon.clock.advance(by: .seconds(10))
            try #require(try await Self.isFinished("today.performUpdate", stage))
            #expect(try await update.value.error?.code == .timedOut)
            #expect(await closed.outcome.cause == .cancelledByHost)
            #expect(await Self.time(of: closed) == 10)
            #expect(try await stage.daemon.control.requests().isEmpty)
        }
        try await TodayStage.run("block") { stage in
            try await stage.today.open(Self.widget)
            let update = Task { try await stage.today.update(Self.widget) }
            let open = try await Self.request(of: "today.performUpdate", stage)
            // The closing waits for the update.
            let closing = Task { try await stage.today.close(Self.widget) }
            try await stage.daemon.clock.advance(by: .seconds(10))
            #expect(try await update.value.error?.code == .timedOut)
            try await stage.daemon.event { $0.detail?.hasPrefix("today.disappear") == true }
            try await stage.daemon.clock.advance(by: .seconds(5))
            try #require(try await Self.isFinished("today.disappear", stage))
            try await closing.value
            #expect(await open.outcome.cause == .cancelledByHost)
            #expect(await Self.time(of: open) == 15)
            #expect(try await stage.daemon.control.requests().isEmpty)
        }
    }

    /// Waits for a call of the widget, and returns its request.
    private static func request(of call: String, _ stage: TodayStage) async throws -> ExtensionRequest {
        try await stage.daemon.event { $0.detail?.hasPrefix(call) == true }
        return try #require(await stage.today.request(Self.widget))
    }

    // spec: PC-15
    @Test(
        "PC-15: a widget that does not answer its last call, or then does not complete, loses its request after 5 s",
        arguments: [("answersNoEnd", EventName.requestCancelled), ("answersAndStays", .requestTimedOut)])
    func aWidgetThatDoesNotEndIsEnded(act: String, end: EventName) async throws {
        let bundles = try TestBundles()
        try bundles.addHostile(act, point: TodayHost.point)
        let widget = "org.exthost.tests.\(act)"
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let today = TodayHost(try await daemon.host("springboard").application)
            let update = Task { try await today.update(widget) }
            try await daemon.event {
                $0.detail?.hasPrefix("today.end") == true
                    && (act == "answersNoEnd" || $0.event == EventName.callFinished.rawValue)
            }
            try await daemon.clock.advance(by: .seconds(5))
            // The host cancels in answer to the call's end, which no clock waits for.
            try await daemon.event { $0.event == end.rawValue }
            #expect(try await update.value.result == .noData)
            #expect(try await daemon.events().count { $0.event == end.rawValue } == 1)
            #expect(try await daemon.control.requests().isEmpty)
        }
    }

    // MARK: Widgets that are killed

    // spec: TW-22
    @Test func aKilledWidgetLeavesItsPictureAndIsLaunchedAnew() async throws {
        try await TodayStage.run { stage in
            _ = try await stage.today.update(Self.widget)
            try await stage.today.open(Self.widget)
            let request = try #require(await stage.today.request(Self.widget))
            kill(pid_t(try #require(request.processIdentifier)), SIGKILL)
            #expect(await request.outcome.kind == .interrupted)
            try await eventually { try await TodayStage.text(stage.today.shown(Self.widget)) == "update 1" }
            try await stage.today.open(Self.widget)
            #expect(try await stage.today.shown(Self.widget) == .live)
            #expect(await stage.today.request(Self.widget)?.processIdentifier != request.processIdentifier)
            try await stage.today.close(Self.widget)
        }
    }

    // spec: TW-22
    @Test func aWidgetOverItsMemoryLimitIsKilled() async throws {
        let limit = ["--limits-by", "poll", "--limit", "memory=64MiB"]
        try await TodayStage.run(clock: .real, arguments: limit) { stage in
            _ = try await stage.today.update(Self.widget)
            try await stage.today.open(Self.widget)
            let request = try #require(await stage.today.request(Self.widget))
            // The process ends during the act.
            _ = try? await request.use(.tap("Fill"))
            #expect(await request.outcome.cause == .memoryLimit)
            try await eventually { try await TodayStage.text(stage.today.shown(Self.widget)) == "update 1" }
            try await stage.today.open(Self.widget)
            #expect(try await stage.today.shown(Self.widget) == .live)
            try await stage.today.close(Self.widget)
        }
    }

    /// A test's daemon is private, and a private one has no breaker without an option. 5 is the default of the others
    /// (`fiveKillsInARowOpenTheBreakerOfAUsersDaemon`); the spec's statement names 3.
    // spec: TW-22
    @Test("TW-22: kills in a row hide the widget until the breaker allows it", arguments: [3, 5])
    func killsInARowHideTheWidgetUntilTheBreakerAllowsIt(count: Int) async throws {
        try await TodayStage.run(arguments: ["--breaker", "\(count)"]) { stage in
            _ = try await stage.today.update(Self.widget)
            for _ in 0..<count {
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
            #expect(try await TodayStage.text(stage.today.shown(Self.widget)) == "update 1")
            try await stage.today.open(Self.widget)
            #expect(try await stage.today.shown(Self.widget) == .live)
            try await stage.today.close(Self.widget)
            #expect(try await stage.today.widgets().map(\.identifier) == [Self.widget])
        }
    }

    // spec: TW-22
    @Test("TW-22: the breaker of a user's daemon opens by default after five kills in a row")
    func fiveKillsInARowOpenTheBreakerOfAUsersDaemon() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "widget", program: SampleApplications.buildFolder + "/Widget", point: TodayHost.point,
            principalClass: "Widget.TodayViewController", rule: nil)
        try await withUserDaemon(bundles) { address, control in
            func isHidden() async throws -> Bool {
                try await control.events().contains { $0.event == EventName.breakerOpened.rawValue }
            }
            let today = TodayHost(try await HostApplication.connect(name: "springboard", to: address))
            for _ in 0..<5 {
                #expect(try await !isHidden())
                try await today.open(Self.widget)
                let request = try #require(await today.request(Self.widget))
                kill(pid_t(try #require(request.processIdentifier)), SIGKILL)
                _ = await request.exit
            }
            #expect(try await isHidden())
            // The source is no option.
            let setting = try await control.configuration().settings.first { $0.name == "Breaker" }
            #expect(setting?.value == "5" && setting?.source == "built in", "\(String(describing: setting))")
        }
    }

    // spec: TW-24
    @Test func aPictureThatCannotBeStoredIsAnErrorWithItsFolder() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        try await TodayStage.run(store: folder.path + "/file/pictures") { stage in
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

    // spec: PC-10
    @Test func aControllerThatIsNoWidgetIsRefusedByName() async throws {
        try await TodayStage.run(principal: "PlainViewController") { stage in
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
