// PageEngineTests: what each web engine does, in a process of PageTrial for each trial.

import Glibc
import Testing

/// WebKit handles SIGSEGV itself, and reserves more address space than a sanitizer leaves.
@Suite(.enabled(if: getenv("EXTHOST_SANITIZER") == nil, "web engines do not run under a sanitizer"))
struct PageEngineTests {
    // The tests below are silent about an engine that is missing; these are not.
    @Test(.enabled(if: TrialEngine.wpe.isInstalled, "wpe is missing: Scripts/test --engines installs it"))
    func wpeIsInstalled() async throws { try await TrialEngine.wpe.run("figures") }

    @Test(.enabled(if: TrialEngine.chromium.isInstalled, "chromium is missing: Scripts/test --engines installs it"))
    func chromiumIsInstalled() async throws { try await TrialEngine.chromium.run("figures") }

    @Test("WP-20: a page has its URL, its DOM and its HTML", arguments: TrialEngine.installed)
    func dom(engine: TrialEngine) async throws { try await engine.run("dom") }

    @Test("WP-10: scripts of page and extension share the DOM, and no globals", arguments: TrialEngine.installed)
    func worlds(engine: TrialEngine) async throws { try await engine.run("worlds") }

    @Test("WP-11: no script reaches a document of another origin", arguments: TrialEngine.installed)
    func frames(engine: TrialEngine) async throws { try await engine.run("frames") }

    @Test("WP-12: a text that is posted later arrives, and a deadline ends the wait", arguments: TrialEngine.installed)
    func late(engine: TrialEngine) async throws { try await engine.run("late") }

    @Test("WP-14: an exception has message, file, line and column", arguments: TrialEngine.installed)
    func exceptions(engine: TrialEngine) async throws { try await engine.run("exceptions") }

    @Test("WP-17: the page's scripts have run, those of its events too", arguments: TrialEngine.installed)
    func pageScripts(engine: TrialEngine) async throws { try await engine.run("pageScripts") }

    @Test("WP-17: elements have sizes in the viewport, and styles", arguments: TrialEngine.installed)
    func layout(engine: TrialEngine) async throws { try await engine.run("layout") }

    @Test("WP-17: a page is visible before its first script, and is drawn", arguments: TrialEngine.installed)
    func visibility(engine: TrialEngine) async throws { try await engine.run("visibility") }

    @Test("WP-9: the page sees the extension's changes", arguments: TrialEngine.installed)
    func changes(engine: TrialEngine) async throws { try await engine.run("changes") }

    @Test("WP-16: each further load fails and is counted", arguments: TrialEngine.installed)
    func network(engine: TrialEngine) async throws { try await engine.run("network") }

    @Test("WP-16: a page knows nothing of the one before", arguments: TrialEngine.installed)
    func secondPage(engine: TrialEngine) async throws { try await engine.run("secondPage") }

    @Test("WP-18: two runs of a page give the same document", arguments: TrialEngine.installed)
    func runs(engine: TrialEngine) async throws {
        let first = try await engine.run("run")
        #expect(first.contains("2020-02-02T02:02:02.020Z\n1580608922020\n5\n"))
        let second = try await engine.run("run")
        #expect(second == first)
    }

    @Test("WP-16: dialogs and endless requests end at once", arguments: TrialEngine.installed)
    func hostile(engine: TrialEngine) async throws { try await engine.run("hostile") }

    @Test("WP-16: a page does not navigate", arguments: TrialEngine.installed)
    func navigation(engine: TrialEngine) async throws { try await engine.run("navigation") }

    @Test("a page has a thousand frames", arguments: TrialEngine.installed)
    func manyFrames(engine: TrialEngine) async throws { try await engine.run("manyFrames") }

    @Test(
        "CB-22: WebKit compiles a content rule list, and blocks and hides by it",
        .enabled(if: TrialEngine.wpe.isInstalled, "wpe is missing: Scripts/test --engines installs it"))
    func rules() async throws { try await TrialEngine.wpe.run("rules") }

    @Test("WP-15: the death of the engine's processes is an error", arguments: TrialEngine.installed)
    func death(engine: TrialEngine) async throws { try await engine.run("death") }
}
