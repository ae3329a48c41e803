// PointScenarioTests: scenario files at extension points with a framework, and what becomes of their lines.

import ExtensionHostTesting
import Foundation
import Glibc
import TestPrograms
import Testing

@Suite struct PointScenarioTests {
    private static func test(_ lines: String, of name: String) async throws -> Program.Ending {
        let bundles = try TestBundles()
        try bundles.add(
            "widget", program: SampleApplications.buildFolder + "/Widget", point: "com.apple.widget-extension",
            principalClass: "Widget.TodayViewController", rule: nil)
        try bundles.add(
            "service", program: SampleApplications.buildFolder + "/Notifier",
            point: "com.apple.usernotifications.service", principalClass: "Notifier.NotificationService", rule: nil)
        try Data(#"{"aps": {"alert": "from a file", "mutable-content": 1}}"#.utf8)
            .write(to: URL(fileURLWithPath: bundles.path + "/payload.json"))
        let file = bundles.path + "/point.scenario"
        try Data("extension org.exthost.tests.\(name)\n\(lines)\n".utf8).write(to: URL(fileURLWithPath: file))
        return try await Program.control(["test", file, "--applications", bundles.path, "--tap"]).ending()
    }

    @Test("PC-27: a scenario updates, opens, uses and closes a widget")
    func aWidgetsScenario() async throws {
        let ending = try await Self.test(
            """
            test "its picture and its live view"
              update
              expect result newData
              expect picture "update 1"
              open
              expect view "live"
              view tap Expand
              toggle
              expect output "mode expanded"
              close
              expect picture "closed"
              expect outcome completed
            test "it offers no other mode"
              open
              toggle
              expect picture "live"
            test "nothing is like that"
              update
              expect picture "update 7"
            """, of: "widget")
        #expect(ending.status == 1 && ending.output.contains("ok 1 - its picture and its live view"), "\(ending)")
        #expect(ending.output.contains("not ok 2 - it offers no other mode"), "\(ending)")
        #expect(ending.output.contains("has the compact display mode only"), "\(ending)")
        #expect(ending.output.contains("not ok 3 - nothing is like that"), "\(ending)")
        #expect(ending.output.contains("update 1"), "\(ending)")
    }

    // spec: WP-21
    @Test(
        "WP-21: a scenario shares a page, and expects results and changes",
        .enabled(if: getenv("EXTHOST_SANITIZER") == nil, "exthost-pagehost does not run under a sanitizer"))
    func aPagesScenario() async throws {
        let bundles = try TestBundles()
        let declaration: [String: Any] = [
            "NSExtensionPointIdentifier": "com.apple.services",
            "NSExtensionPrincipalClass": "Translate.TranslateHandler",
            "NSExtensionAttributes": [
                "NSExtensionJavaScriptPreprocessingFile": "Page",
                "NSExtensionActivationRule": [
                    "NSExtensionActivationSupportsWebPageWithMaxCount": 1,
                    "NSExtensionActivationSupportsWebURLWithMaxCount": 1,
                ],
            ],
        ]
        try bundles.add(
            "translate", program: SampleApplications.buildFolder + "/Translate", point: "com.apple.services",
            information: ["NSExtension": declaration])
        try Data(TestBundles.source("Sources/Samples/Translate/Page.js").utf8).write(
            to: URL(fileURLWithPath: bundles.path + "/Tests.app/PlugIns/translate.appex/Page.js"))
        try Data("<h1>good morning</h1>".utf8).write(to: URL(fileURLWithPath: bundles.path + "/page.html"))
        let lines = """
            extension org.exthost.tests.translate
            test "it translates the heading"
              page https://news.example/ page.html
              expect outcome completed
              expect result changed
              expect shown results.selection = "good morning"
              expect shown finalized = 1
            test "nothing is like that"
              page https://news.example/ page.html
              expect result unchanged

            """
        // What run itself changes is no change by finalize, as in exthostctl run.
        let script =
            try TestBundles.source("Sources/Samples/Translate/Page.js") + """

                ExtensionPreprocessingJS.run = function (given) {
                    document.body.appendChild(document.createElement("hr"));
                    given.completionFunction({selection: "good morning"});
                };
                ExtensionPreprocessingJS.finalize = function () {};
                """
        try bundles.add(
            "reader", program: SampleApplications.buildFolder + "/Translate", point: "com.apple.services",
            information: ["NSExtension": declaration])
        try Data(script.utf8).write(
            to: URL(fileURLWithPath: bundles.path + "/Tests.app/PlugIns/reader.appex/Page.js"))
        let other = """
            extension org.exthost.tests.reader
            test "run alone changes the page"
              page https://news.example/ page.html
              expect shown finalized = 1
              expect result unchanged

            """
        try Data(other.utf8).write(to: URL(fileURLWithPath: bundles.path + "/reader.scenario"))
        let reader = try await Program.control(
            ["test", bundles.path + "/reader.scenario", "--applications", bundles.path, "--tap"]
        ).ending()
        #expect(reader.status == 0, "\(reader)")
        let file = bundles.path + "/page.scenario"
        try Data(lines.utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(["test", file, "--applications", bundles.path, "--tap"]).ending()
        #expect(ending.status == 1 && ending.output.contains("ok 1 - it translates the heading"), "\(ending)")
        #expect(ending.output.contains("not ok 2 - nothing is like that"), "\(ending)")
    }

    @Test("PC-27: a scenario pushes notifications, moves the clock, and expects what is shown")
    func aServicesScenario() async throws {
        let ending = try await Self.test(
            """
            test "it changes a notification"
              push '{"aps": {"alert": {"title": "Hi", "body": "b"}, "badge": 4, "mutable-content": 1}}'
              expect result changed
              expect shown title = "Hi [changed]"
              expect shown badge = 4
              push payload.json
              expect shown body contains "a file"
              push '{"aps": {"alert": "x"}}'
              expect result notMutable
              expect processes 1
            test "it has thirty seconds, and two more"
              push '{"aps": {"alert": "x", "mutable-content": 1}, "act": "hang"}'
              advance 30s
              expect result changed
              expect shown title = "in time"
              push '{"aps": {"alert": "x", "mutable-content": 1}, "act": "hangForEver"}'
              advance 32s
              expect result timedOut
              expect shown body = "x"
            test "it dies"
              push '{"aps": {"alert": "x", "mutable-content": 1}, "act": "exit"}'
              expect result ended
            test "it is killed while it works"
              push '{"aps": {"alert": "x", "mutable-content": 1}, "act": "hangForEver"}'
              kill SIGSEGV
              expect result ended
              expect outcome interrupted crashed
            test "wrong"
              push '{"aps": {"alert": "x", "mutable-content": 1}, "act": "drop"}'
              expect result changed
            test "late"
              push '{"aps": {"alert": "x", "mutable-content": 1}, "act": "hangForEver"}'
              expect result changed
            test "no payload"
              push nothing.json
              expect result changed
            test "no push"
              push '{}'
              expect result changed
            """, of: "service")
        for (number, name) in [
            "it changes a notification", "it has thirty seconds, and two more", "it dies",
            "it is killed while it works",
        ].enumerated() {
            #expect(ending.output.contains("\nok \(number + 1) - \(name)"), "\(ending)")
        }
        for text in [
            "found: \"handlerDropped\"", "the extension has not answered", "nothing.json cannot be read",
            "the payload is not a JSON object with the key aps",
        ] {
            #expect(ending.output.contains(text), "\(text): \(ending)")
        }
        #expect(ending.status == 1)
    }
}
