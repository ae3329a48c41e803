// WidgetExplorerTests: the explorer puts the calls of a session into other orders, and finds a handler that is dropped or
// called twice in one of them only.

import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

@Suite(.serialized) struct WidgetExplorerTests {
    private static let program = SampleApplications.buildFolder + "/exthostctl"

    private func explore(
        _ controller: String, _ options: [String] = ["--schedules", "60"]
    ) async throws -> Program.Ending {
        let bundles = try TestBundles()
        try bundles.add(
            "widget", program: SampleApplications.buildFolder + "/Widget", point: "com.apple.widget-extension",
            principalClass: "Widget.\(controller)", rule: nil)
        let arguments = ["explore", "org.exthost.tests.widget", "--applications", bundles.path]
        return try await Program.run(Self.program, arguments + options, socket: "").ending()
    }

    struct Race: Sendable, CustomTestStringConvertible {
        let controller: String
        let order: String
        let words: String
        var testDescription: String { controller }
    }

    @Test(
        "PC-4, PC-5: the explorer finds a planted dropped handler and a planted double answer",
        arguments: [
            Race(
                controller: "DroppingViewController", order: "begin, call 1, call 2, call 3, call 5",
                words: "DroppingViewController.widgetPerformUpdate(completionHandler:) let go of its completion handler"
            ),
            Race(
                controller: "DoubleViewController", order: "begin, call 1, call 2, call 4",
                words:
                    "DoubleViewController.widgetPerformUpdate(completionHandler:) was called again (E_HANDLER_TWICE)"),
        ])
    func aPlantedRaceIsFound(_ race: Race) async throws {
        let found = try await explore(race.controller)
        #expect(found.status == 1, "\(found)")
        #expect(found.output.contains("misuse: ") && found.output.contains(race.words), "\(found)")
        #expect(found.output.contains("order: \(race.order)\n"), "\(found)")
        // The printed order brings it about again, and the usual order does not.
        let again = try await explore(race.controller, ["--order", race.order])
        #expect(again.status == 1 && again.output.contains(race.words), "\(again)")
        #expect(try await explore(race.controller, ["--order", "begin"]).status == 0)
    }

    @Test(
        "PC-4, PC-5: the explorer finds nothing in sound widgets",
        arguments: ["WaitingViewController", "TodayViewController", "BareViewController"])
    func nothingIsFoundInASoundWidget(_ controller: String) async throws {
        let found = try await explore(controller, ["--schedules", "25"])
        #expect(found.status == 0, "\(found)")
    }

    @Test("PC-7: a call whose answer is held can be cancelled, and one that is answered cannot")
    func aHeldCallCanBeCancelled() async throws {
        let held = try await explore("TodayViewController", ["--order", "begin, hold, call 1, cancel call 1"])
        #expect(held.status == 0, "\(held)")
        let answered = try await explore("TodayViewController", ["--order", "begin, call 1, cancel call 1"])
        #expect(answered.status != 0 && answered.errors.contains("cancel call 1"), "\(answered)")
    }

    @Test func aSoundNotificationServiceIsClean() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "service", program: SampleApplications.buildFolder + "/Notifier",
            point: "com.apple.usernotifications.service", principalClass: "Notifier.NotificationService")
        let arguments = ["explore", "org.exthost.tests.service", "--applications", bundles.path, "--schedules", "25"]
        let found = try await Program.run(Self.program, arguments, socket: "").ending()
        #expect(found.status == 0, "\(found)")
    }

    @Test func anUpdateWithoutAnAnswerHangs() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "widget", program: SampleApplications.buildFolder + "/Widget", point: "com.apple.widget-extension",
            principalClass: "Widget.TodayViewController", rule: nil, information: ["TestWish": "hang"])
        let arguments = ["explore", "org.exthost.tests.widget", "--applications", bundles.path, "--order", "begin"]
        let found = try await Program.run(Self.program, arguments, socket: "").ending()
        #expect(found.status == 1 && found.output.contains("hang: it did not answer the call today.performUpdate"))
    }
}
