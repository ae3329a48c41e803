// WidgetFormTests: the queue and the forms of a widget's methods, and sides of different versions.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import Foundation
import PointHosts
import PointMessages
import Testing

@Suite struct WidgetFormTests {
    private static let widget = "org.exthost.tests.widget"

    private static func withWidget(
        _ principal: String, program: String = "Widget", arguments: [String] = [],
        _ body: (FakeHost, _ lines: () async throws -> [String]) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "widget", program: SampleApplications.buildFolder + "/" + program, point: "com.apple.widget-extension",
            principalClass: "\(program).\(principal)", rule: nil)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: arguments) { daemon in
            let output = Output()
            let host = try await daemon.host("springboard", onOutput: output.add)
            try await body(host) {
                try await host.application.fence()
                return output.text.split(separator: "\n").map(String.init)
            }
        }
    }

    // spec: PC-3
    @Test("PC-3: at a point with an interface the author's code runs on the main queue")
    func allMethodsRunOnTheMainQueue() async throws {
        try await Self.withWidget("TodayViewController") { host, lines in
            let today = TodayHost(host.application)
            try await today.open(Self.widget)
            #expect(try await today.update(Self.widget).result == .newData)
            try await today.close(Self.widget)
            #expect(
                try await lines() == [
                    "viewDidLoad", "viewWillAppear", "mode compact 110", "update", "viewWillDisappear",
                    "viewDidDisappear",
                ])
        }
    }

    // spec: PC-12
    @Test("PC-12: a widget may write the async form of its update")
    func theAsyncFormIsCalled() async throws {
        try await Self.withWidget("AsyncViewController") { host, lines in
            let update = try await TodayHost(host.application).update(Self.widget)
            #expect(update.result == .newData && update.error == nil)
            #expect(update.snapshot?.view.first(.label)?.text == "async")
            #expect(try await lines() == ["async update", "async result"])
        }
    }

    // spec: PC-11
    @Test("PC-11: a widget without methods has no new data and the proposed margins, and the log names the methods")
    func unwrittenMethodsAreNamed() async throws {
        try await Self.withWidget("BareViewController") { host, lines in
            let free = TodayHost(host.application, layout: .free)
            #expect(try await free.update(Self.widget).result == .notWritten)
            #expect(await free.margins(Self.widget) == TodayHost.Layout.free.margins)
            let today = TodayHost(host.application)
            try await today.open(Self.widget)
            #expect(try await today.shown(Self.widget) == .live)
            let unwritten = [
                "widgetMarginInsets(forProposedMarginInsets:)", "widgetPerformUpdate(completionHandler:)",
                "widgetActiveDisplayModeDidChange(_:withMaximumSize:)",
            ]
            #expect(
                try await lines() == unwritten.map { "exthost: BareViewController has not written \($0)" })
        }
    }

    // MARK: Sides of different versions

    /// A call whose mode is a later version's.
    private struct LaterMode: PointMessage {
        static let name = TodayModeChange.name
        var mode = "gigantic"
    }

    @Test func aWidgetTakesAModeOfALaterVersionForTheCompactOne() async throws {
        try await Self.withWidget("TodayViewController") { host, lines in
            let request = try await host.begin(Self.widget, items: [])
            try await request.call(
                TodaySettings(
                    width: 300, compactHeight: 110, largestHeight: 600, mode: .unrecognized, margins: nil))
            try await request.call(TodayAppear())
            try await request.use(.tap("Expand"))
            try await request.call(LaterMode())
            try await request.call(TodayModeChange(.expanded))
            try await request.call(LaterMode())
            let modes = try await lines().filter { $0.hasPrefix("mode") }
            #expect(modes == ["mode compact 110", "mode expanded 600", "mode compact 110"])
        }
    }

    @Test func aHostCountsAnUpdateOfALaterVersionAsFailed() async throws {
        let folder = try TestBundles()
        let accepts = ["today.settings", "today.performUpdate"].map { "<string>\($0)</string>" }.joined()
        let point = """
            <plist><dict><key>Identifier</key><string>com.apple.widget-extension</string><key>Interface</key><false/>
            <key>Accepts</key><array>\(accepts)</array><key>Framework</key><string>Caller</string></dict></plist>
            """
        try Data(point.utf8).write(to: URL(fileURLWithPath: folder.path + "/widget.plist"))
        try await Self.withWidget("Caller", program: "Caller", arguments: ["--extension-points", folder.path]) {
            host, _ in
            let today = TodayHost(host.application)
            let update = try await today.update(Self.widget)
            #expect(update.result == .failed && update.error?.code == .notImplemented, "\(update)")
            #expect(update.error?.message.contains("does not know") == true && update.snapshot == nil)
            let modes = await today.modes(Self.widget)
            #expect(modes.active == .compact && modes.largest == .compact)
        }
    }
}
