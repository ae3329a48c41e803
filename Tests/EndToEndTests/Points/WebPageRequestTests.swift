// WebPageRequestTests: pages that a host shares with extensions: the script runs before the request and after it.

import ExtensionHost
import ExtensionHostTesting
import ExtensionItems
import ExtensionProtocol
import Foundation
import Glibc
import PageMessages
import PointHosts
import TestPrograms
import Testing

/// A sanitizer needs memory and system calls that the confinement of exthost-pagehost refuses.
private let pageHostsRun = getenv("EXTHOST_SANITIZER") == nil

@Suite(.enabled(if: pageHostsRun, "exthost-pagehost does not run under a sanitizer"))
struct WebPageRequestTests {
    private static let translate = "org.exthost.tests.translate"
    private static let puppet = "org.exthost.tests.puppet"
    private static let webPage = [
        "NSExtensionActivationSupportsWebPageWithMaxCount": 1, "NSExtensionActivationSupportsWebURLWithMaxCount": 1,
    ]
    private static let html = """
        <!DOCTYPE html><html><head><base href="/base/"><title>Greeting</title></head>
        <body><h1>good morning moon</h1></body></html>
        """

    /// An extension that returns the arguments of `finalize`, one without a page, and their script.
    private static func bundles(_ script: String? = nil, rule: Any? = webPage) throws -> TestBundles {
        let bundles = try TestBundles()
        let program = SampleApplications.buildFolder + "/Translate"
        let attributes: [String: Any] = [
            "NSExtensionJavaScriptPreprocessingFile": "Page", "NSExtensionActivationRule": rule ?? "TRUEPREDICATE",
        ]
        try bundles.add(
            "translate", program: program, point: "com.apple.services", principalClass: "Translate.TranslateHandler",
            information: [
                "NSExtension": [
                    "NSExtensionPointIdentifier": "com.apple.services",
                    "NSExtensionPrincipalClass": "Translate.TranslateHandler", "NSExtensionAttributes": attributes,
                ]
            ])
        let text = try script ?? TestBundles.source("Sources/Samples/Translate/Page.js")
        let path = bundles.path + "/Tests.app/PlugIns/translate.appex/Page.js"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return bundles
    }

    private static func page(_ html: String = html, engine: PageEngineKind = .jsc) async throws -> WebPage {
        try await WebPage.open(
            html: html, url: try #require(URL(string: "https://news.example/a.html")), engine: engine,
            limit: .seconds(120))
    }

    /// The engines of this machine. PageEngineTests names those that are missing.
    private static let engines: [PageEngineKind] = {
        let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"]
        let hasWPE = folders.contains { access("\($0)/libWPEWebKit-1.1.so.0", R_OK) == 0 }
        let hasChromium = access("/usr/bin/chromium-headless-shell", X_OK) == 0
        return (hasWPE ? [.wpe] : []) + (hasChromium ? [.chromium] : []) + [.jsc]
    }()

    // spec: WP-3, WP-6, WP-19, WP-20
    @Test(
        "WP-3, WP-6, WP-19, WP-20: the results go to the extension, and what it returns to finalize, in each engine",
        arguments: engines)
    func aPageIsTranslated(engine: PageEngineKind) async throws {
        let bundles = try Self.bundles()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("safari").application
            let page = try await Self.page(engine: engine)
            var settings = WebPageHost.Settings()
            settings.limit = .seconds(60)
            let share = try await WebPageHost(host, settings: settings).begin(Self.translate, page: page)
            let ending = await share.ending
            #expect(ending.outcome.cause == .completed, "\(ending)")
            #expect(
                share.results?.object as? NSDictionary
                    == ["baseURI": "https://news.example/base/", "selection": "good morning moon"])
            #expect(ending.finalized == 1 && ending.failures.isEmpty && ending.remarks.isEmpty, "\(ending)")
            let html = try await page.html
            #expect(html.contains("<h1>gut Morgen Mond</h1>") && html.contains("background-color: red"), "\(html)")
            #expect(page.facts.engine == engine.rawValue)
            await page.close()
        }
    }

    @Test("PC-27: the sample translates a page, as docs/extension-points.md shows")
    func theExampleOfThePage() async throws {
        let (html, url) = (Self.html, try #require(URL(string: "https://news.example/a.html")))
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let host = try await daemon.host("safari").application
            let page = try await WebPage.open(html: html, url: url)
            let share = try await host.begin("org.exthost.samples.translate", page: page)
            let ending = await share.ending
            #expect(ending.outcome.cause == .completed && ending.finalized == 1, "\(ending)")
            #expect(try await page.html.contains("<h1>gut Morgen Mond</h1>"))
            await page.close()
        }
    }

    // spec: WP-7
    @Test("WP-7: with a macOS platform finalize is not called, and a remark says so")
    func macOSHasNoFinalize() async throws {
        let bundles = try Self.bundles()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("safari").application
            let page = try await Self.page()
            var settings = WebPageHost.Settings()
            settings.platform = .macOS
            let ending = try await WebPageHost(host, settings: settings).begin(Self.translate, page: page).ending
            #expect(ending.outcome.cause == .completed && ending.finalized == 0)
            #expect(ending.remarks == ["finalize is not called: it exists in iOS only"])
            #expect(try await page.html.contains("<h1>good morning moon</h1>"))
            await page.close()
        }
    }

    // spec: WP-14
    @Test("WP-14: after a failed script the request begins without results, or not at all")
    func aFailedScriptIsReported() async throws {
        let bundles = try Self.bundles("var ExtensionPreprocessingJS = {\n run: function () { missing.thing } }")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("safari").application
            let page = try await Self.page()
            let share = try await host.begin(Self.translate, page: page)
            #expect(share.scriptFailure?.reason == .exception && share.scriptFailure?.line == 2)
            #expect(share.scriptFailure?.file == "Page.js" && share.results == nil)
            // The extension finds no property list and no text.
            #expect(await share.ending.outcome.cause == .cancelledByExtension)
            #expect(await share.ending.finalized == 0)
            var settings = WebPageHost.Settings()
            settings.beginsWithoutResults = false
            let failure = await #expect(throws: ScriptFailure.self) {
                try await WebPageHost(host, settings: settings).begin(Self.translate, page: page)
            }
            #expect(failure?.description.contains("(Page.js, line 2, column ") == true)
            await page.close()
        }
    }

    // spec: WP-14
    @Test("WP-14: a script that is missing, or named like a path, is a failure that names it")
    func aMissingScriptIsNamed() async throws {
        let bundles = try Self.bundles()
        try FileManager.default.removeItem(atPath: bundles.path + "/Tests.app/PlugIns/translate.appex/Page.js")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("safari").application
            let page = try await Self.page()
            let share = try await host.begin(Self.translate, page: page)
            #expect(share.scriptFailure?.reason == .noFile, "\(String(describing: share.scriptFailure))")
            #expect(share.scriptFailure?.message.hasSuffix("has no file Page.js") == true)
            _ = await share.ending
            await page.close()
        }
    }

    // spec: WP-4
    @Test("WP-4: an extension whose rule asks for no web page gets the address alone, and no script runs")
    func othersGetTheAddress() async throws {
        let bundles = try Self.bundles(
            "for (;;) {}", rule: ["NSExtensionActivationSupportsWebURLWithMaxCount": 1])
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("safari").application
            let page = try await Self.page()
            let share = try await host.begin(Self.translate, page: page)
            #expect(share.results == nil && share.scriptFailure == nil)
            // The extension finds no property list and no text.
            #expect(await share.ending.outcome.cause == .cancelledByExtension)
            await page.close()
        }
    }

    // spec: WP-4
    @Test("WP-4: an extension that asks for a page and has no script gets the request, without results")
    func aScriptMayBeMissing() async throws {
        let bundles = try TestBundles()
        let attributes: [String: Any] = [
            "NSExtensionActivationRule": ["NSExtensionActivationSupportsWebPageWithMaxCount": 1]
        ]
        try bundles.add(
            "translate", program: SampleApplications.buildFolder + "/Translate", point: "com.apple.services",
            principalClass: "Translate.TranslateHandler",
            information: [
                "NSExtension": [
                    "NSExtensionPointIdentifier": "com.apple.services",
                    "NSExtensionPrincipalClass": "Translate.TranslateHandler", "NSExtensionAttributes": attributes,
                ]
            ])
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("safari").application
            let page = try await Self.page()
            var settings = WebPageHost.Settings()
            settings.omitsAddress = true
            let share = try await WebPageHost(host, settings: settings).begin(Self.translate, page: page)
            #expect(share.results == nil && share.scriptFailure == nil)
            // The extension finds no property list and no text.
            #expect(await share.ending.outcome.cause == .cancelledByExtension)
            await page.close()
        }
    }

    /// An extension that never answers, and a script whose `finalize` changes the title.
    private static func hangingBundles() throws -> TestBundles {
        let script = """
            var ExtensionPreprocessingJS = {
                run: function (a) { a.completionFunction({selection: "x"}) },
                finalize: function () { document.title = "finalized" }
            };
            """
        let bundles = try Self.bundles(script)
        try bundles.add(
            "hang", program: SampleApplications.buildFolder + "/Hang", point: "com.apple.services",
            principalClass: "Hang.Hang",
            information: [
                "NSExtension": [
                    "NSExtensionPointIdentifier": "com.apple.services", "NSExtensionPrincipalClass": "Hang.Hang",
                    "NSExtensionAttributes": [
                        "NSExtensionJavaScriptPreprocessingFile": "Page", "NSExtensionActivationRule": Self.webPage,
                    ],
                ]
            ])
        try Data(script.utf8).write(
            to: URL(fileURLWithPath: bundles.path + "/Tests.app/PlugIns/hang.appex/Page.js"))
        return bundles
    }

    // spec: WP-8
    @Test("WP-8: finalize does not run after a cancellation, nor after a time-out", arguments: [false, true])
    func otherEndsHaveNoFinalize(isLate: Bool) async throws {
        let bundles = try Self.hangingBundles()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("safari").application
            let page = try await Self.page()
            var settings = WebPageHost.Settings()
            settings.timeout = .seconds(20)
            let share = try await WebPageHost(host, settings: settings).begin("org.exthost.tests.hang", page: page)
            #expect(share.results != nil)
            if isLate {
                try await share.request.delivered()
                try await daemon.clock.advance(by: .seconds(20))
            } else {
                try await share.request.cancel()
            }
            let ending = await share.ending
            if isLate {
                #expect(ending.outcome.kind == .timedOut, "\(ending)")
            } else {
                #expect(ending.outcome.cause == .cancelledByHost, "\(ending)")
            }
            #expect(ending.finalized == 0)
            #expect(try await page.evaluate("document.title") == "Greeting")
            await page.close()
        }
    }

    // MARK: The command line

    private func run(_ bundles: TestBundles, _ arguments: [String]) async throws -> Program.Ending {
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            try await Program.run(
                SampleApplications.buildFolder + "/exthostctl", ["run", Self.translate] + arguments,
                socket: daemon.address.path
            ).ending()
        }
    }

    // spec: WP-21
    @Test("WP-21: run prints the results, the outcome, and what finalize changed")
    func runShowsThePage() async throws {
        let bundles = try Self.bundles()
        let (file, saved) = (bundles.path + "/page.html", bundles.path + "/saved.html")
        try Data(Self.html.utf8).write(to: URL(fileURLWithPath: file))
        let options = ["--page", "https://news.example/a.html", "--page-html", file, "--engine", "jsc"]
        let ending = try await run(bundles, options + ["--save-page", saved])
        #expect(ending.status == 0 && ending.output.hasPrefix("completed: \(Self.translate)"), "\(ending)")
        for line in [
            "  page in jsc (JavaScriptCore 4.1, domino ",
            #"    results {"baseURI": "https://news.example/base/", "selection": "good morning moon"}"#,
            "    finalize ran, and changed the document", "      - <body>",
            "      + <body style=\"background-color: red;\">", "      - good morning moon", "      + gut Morgen Mond",
        ] {
            #expect(ending.output.contains(line), "\(line): \(ending)")
        }
        #expect(try String(contentsOfFile: saved, encoding: .utf8).contains("<h1>gut Morgen Mond</h1>"))
        let json = try await run(bundles, options + ["--json"])
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let page = try #require(document["page"] as? [String: Any])
        #expect(page["engine"] as? String == "jsc" && page["finalized"] as? Int == 1)
        #expect((page["results"] as? [String: String])?["selection"] == "good morning moon")
    }

    // spec: WP-21
    @Test("WP-21: run says why a script failed, and its exit status is not 0")
    func runShowsAFailure() async throws {
        let script = """
            var ExtensionPreprocessingJS = {
                run: function (a) { a.completionFunction({selection: "x"}) },
                finalize: function () { throw new Error("no") }
            };
            """
        let bundles = try Self.bundles(script)
        let file = bundles.path + "/page.html"
        try Data(Self.html.utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await run(
            bundles, ["--page", "https://news.example/a.html", "--page-html", file, "--engine", "jsc"])
        #expect(ending.status == 1 && ending.output.hasPrefix("completed"), "\(ending)")
        #expect(ending.output.contains("scriptFailed: Error: no (Page.js, line 3, column "), "\(ending)")
        let wrong = try await run(bundles, ["--page-html", file])
        #expect(wrong.status == 64 && wrong.errors.contains("needs one page"), "\(wrong)")
        let alone = try await run(bundles, ["--url", "https://x.example", "--engine", "jsc"])
        #expect(alone.status == 64 && alone.errors.contains("--engine needs a page"), "\(alone)")
    }

    // spec: WP-4
    @Test("WP-4: with --page-only the address is left out")
    func pageOnlyLeavesOutTheAddress() async throws {
        // Such a rule does not accept the address beside the page.
        let bundles = try Self.bundles(rule: ["NSExtensionActivationSupportsWebPageWithMaxCount": 1])
        let file = bundles.path + "/page.html"
        try Data(Self.html.utf8).write(to: URL(fileURLWithPath: file))
        let usual = try await run(
            bundles, ["--page", "https://news.example/a.html", "--page-html", file, "--engine", "jsc"])
        #expect(usual.status == 13, "\(usual)")
        let ending = try await run(
            bundles,
            ["--page", "https://news.example/a.html", "--page-html", file, "--engine", "jsc", "--page-only"])
        #expect(ending.status == 0 && ending.output.contains("gut Morgen Mond"), "\(ending)")
    }

    // spec: WP-17, WP-19
    @Test("WP-17, WP-19: pages lists each engine with its abilities, or with what is missing")
    func pagesListsTheEngines() async throws {
        let program = SampleApplications.buildFolder + "/exthostctl"
        let ending = try await Program.run(program, ["pages", "--json"], socket: "").ending()
        #expect(ending.status == 0, "\(ending)")
        let list = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [[String: Any]])
        #expect(list.map { $0["engine"] as? String } == ["wpe", "chromium", "jsc"])
        for engine in list {
            let works = try #require(engine["works"] as? Bool)
            #expect(works == (engine["scripts"] is Bool) && works == !(engine["remedy"] is String), "\(engine)")
        }
        #expect(list.last?["works"] as? Bool == true && list.last?["scripts"] as? Bool == false)
    }
}
