// TodayStage: a daemon, a host with a Today view, and a widget, for the tests of Today.

import ExtensionHostTesting
import Foundation
import PointHosts

/// The daemon, the host and the widget's output in one test.
struct TodayStage {
    static let widget = "org.exthost.tests.widget"

    let daemon: TestDaemon
    let host: FakeHost
    let today: TodayHost
    let output: Output

    static func run(
        _ wish: String = "", principal: String = "TodayViewController", layout: TodayHost.Layout = .modes,
        store: String? = nil, clock: TestDaemon.ClockKind = .virtual, arguments: [String] = [],
        _ body: (TodayStage) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "widget", program: SampleApplications.buildFolder + "/Widget", point: "com.apple.widget-extension",
            principalClass: "Widget.\(principal)", rule: nil, information: ["TestWish": wish])
        try await withTestDaemon(applications: [bundles.path], clock: clock, arguments: arguments) { daemon in
            let output = Output()
            let host = try await daemon.host("springboard", onOutput: output.add)
            try await body(
                TodayStage(
                    daemon: daemon, host: host, today: TodayHost(host.application, layout: layout, store: store),
                    output: output))
        }
    }

    /// The lines that the widget has printed so far.
    func lines() async throws -> [String] {
        try await host.application.fence()
        return output.text.split(separator: "\n").map(String.init)
    }

    static func text(_ shown: TodayHost.Shown) -> String? {
        guard case .snapshot(let snapshot) = shown else { return nil }
        return snapshot.view.first(.label)?.text
    }
}
