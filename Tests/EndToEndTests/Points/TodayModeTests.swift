// TodayModeTests: sizes and display modes of Today widgets, and what their view may not do (spec TW-12 to TW-19).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import Testing

@Suite struct TodayModeTests {
    private static let widget = TodayStage.widget

    // spec: TW-12, TW-14
    @Test func theHostTogglesWhatTheWidgetOffers() async throws {
        try await TodayStage.run { stage in
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
        try await TodayStage.run(wish) { stage in
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
        try await TodayStage.run("odd") { stage in
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
        try await TodayStage.run("sizes", layout: layout) { stage in
            try await stage.today.open(Self.widget)
            try await stage.today.close(Self.widget)
            #expect(try await stage.lines().contains(sizes))
        }
    }

    // spec: TW-19
    @Test(arguments: [("overflow", true), ("nested", true), ("scroll", true), ("hidden", false), ("", false)])
    func contentBelowTheWidgetIsToldInThePicture(wish: String, isClipped: Bool) async throws {
        try await TodayStage.run(wish) { stage in
            let update = try await stage.today.update(Self.widget)
            #expect(update.snapshot?.isClipped == isClipped)
        }
    }

    // spec: TW-19
    @Test func aWidgetDoesNotScroll() async throws {
        try await TodayStage.run("scroll") { stage in
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
        try await TodayStage.run(layout: .free) { stage in
            let update = try await stage.today.update(Self.widget)
            #expect(update.snapshot?.height == 60 && update.snapshot?.isClipped == false)
            #expect(await stage.today.margins(Self.widget)?.left == 0)
            #expect(try await stage.lines() == ["viewDidLoad", "margins 47", "update"])
        }
        try await TodayStage.run("tall", layout: .free) { stage in
            let update = try await stage.today.update(Self.widget)
            #expect(update.snapshot?.height == 540.5 && update.snapshot?.isClipped == true)
        }
    }

    // spec: TW-18
    @Test func aWidgetHasNoKeyboard() async throws {
        try await TodayStage.run { stage in
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
}
