// PointScenarioTests: scenario files at extension points with a framework, and what becomes of their lines.

import ExtensionHostTesting
import ExtensionPoints
import Foundation
import Glibc
import ImageCodecs
import LinuxSystem
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

    /// The sample of each point with a framework, and the lines of a scenario that it passes.
    private static let sessions: [String: (name: String, lines: [String])] = [
        "com.apple.AudioUnit": ("mellow", ["audio render", "expect result rendered"]),
        "com.apple.AudioUnit-UI": ("hum", ["audio render", "expect result rendered"]),
        "com.apple.authentication-services-credential-provider-ui": (
            "key-ring.provider", ["credential https://example.org identity ada", "expect result provided"]
        ),
        "com.apple.broadcast-services-setupui": (
            "go-live", ["setup", "view tap \"Go Live\"", "expect result completed"]
        ),
        "com.apple.broadcast-services-upload": ("brightness", ["broadcast start", "expect result live"]),
        "com.apple.callkit.call-directory": ("known-callers", ["reload", "expect result loaded"]),
        "com.apple.fileprovider-actionsui": (
            "file-details", ["action details", "view tap Done", "expect result completed"]
        ),
        "com.apple.fileprovider-nonui": ("shelf", ["files list", "expect result listed"]),
        "com.apple.fileprovider-ui": ("storage-files", ["pick import", "view cancel", "expect result cancelled"]),
        "com.apple.identitylookup.classification-ui": (
            "spam-report",
            [
                "report message \"You have won a prize\" from +15555550123", "expect result opened",
                "view tap Junk", "report done", "expect result reported",
            ]
        ),
        "com.apple.identitylookup.message-filter": (
            "quiet-text", ["sms \"You have won a prize\" from +15555550123", "expect result junk"]
        ),
        "com.apple.intents-service": (
            "paper-plane",
            ["intent INSendMessageIntent recipients=Tom content=Hello", "expect result handled"]
        ),
        "com.apple.intents-ui-service": (
            "paper-plane-view",
            ["intent INSendMessageIntent recipients=Tom content=Hello view", "expect result opened"]
        ),
        "com.apple.keyboard-service": ("latin", ["focus", "type \"ab\"", "expect field \"ab\""]),
        "com.apple.message-payload-provider": ("coin-flip", ["imessage open", "expect result opened"]),
        "com.apple.networkextension.app-proxy": (
            "greeter", ["proxy tcp:a.example:80 send \"GET / HTTP/1.0\\r\\n\\r\\n\"", "expect result answered"]
        ),
        "com.apple.networkextension.dns-proxy": ("local-names", ["resolve files.home", "expect result answered"]),
        // A filter's scenario begins with its data provider, and names the control provider.
        "com.apple.networkextension.filter-control": (
            "list-keeper",
            ["flow http://new.example/ control org.exthost.samples.list-keeper", "expect result allowed"]
        ),
        "com.apple.networkextension.filter-data": (
            "list-filter", ["flow http://ads.example/", "expect result dropped"]
        ),
        "com.apple.networkextension.packet-tunnel": ("tunnel", ["tunnel start", "expect result connected"]),
        "com.apple.photo-editing": ("sepia", ["edit photo.jpg", "finish", "expect result saved"]),
        "com.apple.quicklook.preview": ("paper-preview", ["preview file recipe.txt", "expect result opened"]),
        "com.apple.quicklook.thumbnail": ("paper-thumbnails", ["thumbnail recipe.txt", "expect result made"]),
        "com.apple.spotlight.import": ("recipes", ["import recipe.txt", "expect result imported"]),
        "com.apple.spotlight.index": ("notes", ["reindex", "expect result indexed"]),
        "com.apple.usernotifications.content-extension": (
            "invitation",
            [
                #"notification show '{"aps": {"alert": "An invitation", "category": "invitation"}}'"#,
                "expect result opened",
            ]
        ),
        "com.apple.usernotifications.service": (
            "sealed",
            [
                #"push '{"aps": {"alert": "New message", "mutable-content": 1}, "from": "Ada", "sealed": "later"}'"#,
                "advance 30s", "expect result changed",
            ]
        ),
        "com.apple.widget-extension": ("reading.last", ["update", "expect result noData"]),
    ]

    /// The points with a framework.
    private static let frameworks = PointTable().points.filter { $0.framework != nil }.map(\.identifier).sorted()

    /// The identifiers of the samples at a point.
    private static func identifiers(at point: String) throws -> [String] {
        let folder = try SampleApplications.folder.get()
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
            $0.hasSuffix(".appex/Info.plist")
        }
        return try names.compactMap { name in
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            let information = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            let declaration = information?["NSExtension"] as? [String: Any]
            guard declaration?["NSExtensionPointIdentifier"] as? String == point else { return nil }
            return information?["CFBundleIdentifier"] as? String
        }
    }

    @Test func nothingIsListedThatIsNoPointWithAFramework() {
        #expect(Set(Self.sessions.keys) == Set(Self.frameworks))
    }

    // spec: PC-27
    @Test(
        "PC-27: each point with a framework has a template of its own, and a sample that passes a scenario",
        arguments: frameworks)
    func aSampleATemplateAndAScenario(point: String) async throws {
        let sample = try #require(Self.sessions[point])
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let identifier = "org.exthost.samples.\(sample.name)"
        #expect(try Self.identifiers(at: point).contains(identifier))
        // The words of a text are counted where an extension gets items alone.
        let made = try await Shell(folder: folder.path).run(
            "exthostctl new \(point) Words --json && exthostctl new services Items --json")
        let summaries = made.output.split(separator: "\n").filter { $0.contains("\"summary\"") }
        #expect(made.status == 0 && summaries.count == 2, "\(made)")
        #expect(summaries.first?.contains("a handler without an interface") == false, "\(made)")
        #expect(summaries.first?.contains("a view that counts") == false, "\(made)")
        let pixels = try Pixels(width: 64, height: 64, copying: [UInt8](repeating: 200, count: 64 * 64 * 4))
        try Data(try ImageCodec.encode(pixels, as: .jpeg, orientation: 1)).write(
            to: URL(fileURLWithPath: folder.path + "/photo.jpg"))
        try Data("Pancakes\n- eggs\n- flour\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/recipe.txt"))
        let subject = point.hasSuffix("filter-control") ? "org.exthost.samples.list-filter" : identifier
        let lines = ["extension \(subject)", "test \"it does what its point is for\""] + sample.lines.map { "  \($0)" }
        let file = folder.path + "/point.scenario"
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(["test", file, "--applications", try samples(), "--tap"]).ending()
        #expect(ending.status == 0, "\(ending)")
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
