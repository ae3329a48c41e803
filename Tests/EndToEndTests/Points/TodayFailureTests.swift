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

    // spec: TW-22
    @Test func killsInARowHideTheWidgetUntilTheBreakerAllowsIt() async throws {
        try await TodayStage.run(arguments: ["--breaker", "3"]) { stage in
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
            #expect(try await TodayStage.text(stage.today.shown(Self.widget)) == "update 1")
            try await stage.today.open(Self.widget)
            #expect(try await stage.today.shown(Self.widget) == .live)
            try await stage.today.close(Self.widget)
            #expect(try await stage.today.widgets().map(\.identifier) == [Self.widget])
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
