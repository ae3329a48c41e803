// IntentViewTests: the views of intents, and what a hostile view can do (spec IN-5).

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import TestPrograms
import Testing

@Suite struct IntentViewTests {
    private static let identifier = "org.exthost.tests.views"

    private struct Stage {
        let daemon: TestDaemon
        let host: HostApplication
        let output: Output

        func show(
            _ content: String, recipients: [String] = ["Anna", "Tom"], code: String? = "success",
            response: [String: IntentInput] = [:], _ views: IntentViewHost? = nil
        ) async throws -> IntentViewSession {
            let subject = IntentViewHost.Subject(
                "INSendMessageIntent", values: ["recipients": .texts(recipients), "content": .texts([content])],
                code: code, response: response)
            return try await (views ?? IntentViewHost(host)).show(subject, with: identifier)
        }

        /// The lines of the extension, after the end of a session.
        func lines(_ session: IntentViewSession, _ last: String) async throws -> [String] {
            await session.end()
            try await eventually { output.text.contains(last) }
            return output.text.split(separator: "\n").map(String.init)
        }
    }

    private static func with(
        _ principal: String = "ParameterView", intents: [String] = ["INSendMessageIntent", "INStartWorkoutIntent"],
        clock: TestDaemon.ClockKind = .virtual, _ body: (Stage) async throws -> Void
    ) async throws {
        let (bundles, output) = (try TestBundles(), Output())
        try bundles.add(
            "views", program: SampleApplications.buildFolder + "/IntentViews", point: IntentViewHost.point,
            information: [
                "NSExtension": [
                    "NSExtensionPointIdentifier": IntentViewHost.point,
                    "NSExtensionPrincipalClass": "IntentViews.\(principal)",
                    "NSExtensionAttributes": ["IntentsSupported": intents],
                ] as [String: Any]
            ])
        try await withTestDaemon(applications: [bundles.path], clock: clock) { daemon in
            let host = try await daemon.host("siri", onOutput: output.add)
            try await body(Stage(daemon: daemon, host: host.application, output: output))
        }
    }

    private static func names(_ paths: [IntentParameterPath]) -> [String] { paths.map(\.path) }

    /// The parts in words.
    private static func words(_ session: IntentViewSession) -> [String] {
        session.parts.map { part in
            switch part {
            case .view(let view):
                "view \(names(view.displayed)) \(Int(view.size.width))×\(Int(view.size.height))"
            case .hidden(let paths): "hidden \(names(paths))"
            case .standard(let path): "system \(path.path)"
            }
        }
    }

    // spec: IN-5
    @Test("IN-5: the host asks for the whole intent first, then for a view of each parameter") func eachParameter()
        async throws
    {
        try await Self.with { stage in
            let session = try await stage.show("Hello", code: "ready")
            #expect(Self.words(session) == [#"view ["recipients"] 320×80"#, #"view ["content"] 320×80"#])
            #expect(session.failure == nil && session.remarks.count == 2, "\(session.remarks)")
            let texts = session.views.map { $0.request.view?.all.compactMap(\.text) ?? [] }
            #expect(texts == [["recipients"], ["content"]])
            let lines = try await stage.lines(session, "disappear\ndisappear")
            #expect(
                lines == [
                    "configure [] ready none siriSnippet", "configure [recipients] ready none siriSnippet",
                    "appear 320×80", "configure [content] ready none siriSnippet", "appear 320×80", "disappear",
                    "disappear",
                ])
            for view in session.views { #expect(await view.request.outcome.kind == .completed) }
        }
    }

    // spec: IN-5
    @Test("IN-5: a view may display several parameters, none, or leave them to the system") func answers() async throws
    {
        try await Self.with { stage in
            for (content, parts) in [
                ("both", [#"view ["content", "recipients"] 320×80"#]),
                ("refuse", ["system recipients", #"view ["content"] 320×80"#]),
                ("none", [#"hidden ["recipients"]"#, #"hidden ["content"]"#]),
                ("strange", [#"view ["recipients"] 320×80"#, #"view ["content"] 320×80"#]),
            ] {
                let session = try await stage.show(content)
                #expect(Self.words(session) == parts, "\(content)")
                for name in ["mediaItems", "absent"] {
                    let isTold = session.remarks.contains("\(name) is no parameter of this interaction")
                    #expect(isTold == (content == "strange"), "\(session.remarks)")
                }
                await session.end()
            }
        }
    }

    // spec: IN-5
    @Test("IN-5: the older method has one view for the whole intent, above the system's interface") func wholeView()
        async throws
    {
        try await Self.with("WholeView") { stage in
            let session = try await stage.show("Hello", response: ["sentMessage": .texts(["id"])])
            // The view says that it shows the message.
            #expect(Self.words(session) == ["view [] 375×600", "system sentMessage"])
            #expect(session.views.first?.isWhole == true)
            #expect(session.views.first?.request.view?.all.contains { $0.text == "Hello" } == true)
            await session.end()
            let none = try await stage.show("none")
            #expect(none.parts.isEmpty && none.failure == nil)
            await none.end()
        }
    }

    // spec: IN-5, PC-12
    @Test("IN-5, PC-12: the async form answers, and without a method the system shows all") func forms() async throws {
        try await Self.with("LaterView") { stage in
            let session = try await stage.show("Hello")
            #expect(Self.words(session) == ["view [] 375×600", "system recipients", "system content"])
            await session.end()
        }
        try await Self.with("OptionalView") { stage in
            let session = try await stage.show("Hello")
            #expect(Self.words(session) == ["view [] 375×600", "system recipients", "system content"])
            #expect(session.views.first?.request.view?.all.contains { $0.text == "Hello" } == true)
            await session.end()
            #expect(!stage.output.text.contains("has not written configure(with"), "\(stage.output.text)")
        }
        try await Self.with("IdleView") { stage in
            let session = try await stage.show("Hello")
            #expect(Self.words(session) == ["system recipients", "system content"] && session.failure == nil)
            await session.end()
        }
    }

    // spec: IN-5
    @Test("IN-5: the interaction has intent, response, state and values by parameter") func interaction() async throws {
        try await Self.with { stage in
            let sent = IntentValue.record("message", ["identifier": .text("1"), "content": .text("sent words")])
            let session = try await stage.show("facts", response: ["sentMessage": .value(sent)])
            let lines = try await stage.lines(session, "disappear\ndisappear\ndisappear")
            let facts = lines.first { $0.hasPrefix("people") } ?? "none: \(lines)"
            for fact in [
                #"people ["Anna", "Tom"]"#, "code success", "direction outgoing", "date true", "first Tom", "deep Tom",
                "path content", "sent sent words", "equal true", "class INSendMessageIntent", "activity none",
                "parameters INSendMessageIntent.recipients, INSendMessageIntent.content, "
                    + "INSendMessageIntentResponse.sentMessage",
                "least 320",
            ] { #expect(facts.components(separatedBy: "; ").contains { $0.hasSuffix(fact) }, "\(fact): \(facts)") }
        }
    }

    // spec: IN-5
    @Test("IN-5: the size is within the host's limits, and the place and the behavior reach the view") func sizes()
        async throws
    {
        try await Self.with { stage in
            let huge = try await stage.show("huge", recipients: [])
            #expect(Self.words(huge).first == "view [] 375×600" && huge.remarks.contains { $0.contains("inf") })
            await huge.end()
            let views = IntentViewHost(
                stage.host,
                sizes: .init(least: CGSize(width: 10, height: 20), most: CGSize(width: 200, height: 100)),
                place: .maps, behavior: .launch)
            let tiny = try await stage.show("tiny", views)
            #expect(Self.words(tiny).first == "view [] 10×20")
            let lines = try await stage.lines(tiny, "mapsCard")
            #expect(lines.contains("configure [] success launch mapsCard"), "\(lines)")
        }
    }

    // spec: IN-5
    // not simulated: N-170
    // not simulated: N-222
    @Test("IN-5: IntentsSupported decides, and a parameter, a value or a code of another class is refused")
    func classes() async throws {
        try await Self.with { stage in
            func code(_ subject: IntentViewHost.Subject) async -> ExtensionHostError.Code? {
                do {
                    await (try await IntentViewHost(stage.host).show(subject, with: Self.identifier)).end()
                    return nil
                } catch { return (error as? ExtensionHostError)?.code }
            }
            #expect(await code(.init("INPlayMediaIntent", values: [:])) == .invalidArgument)
            #expect(await code(.init("INStartWorkoutIntent", values: [:])) == .notSimulated)
            let name = "INSendMessageIntent"
            #expect(await code(.init(name, values: ["absent": .texts(["x"])])) == .invalidArgument)
            #expect(await code(.init(name, values: ["content": .texts(["x", "y"])])) == .invalidArgument)
            #expect(await code(.init(name, values: [:], code: "absent")) == .invalidArgument)
            #expect(await code(.init(name, values: [:], code: nil)) == nil)
            let host = IntentViewHost(stage.host)
            let (offered, other) = (
                try await host.extensionIdentifier(for: name),
                try await host.extensionIdentifier(for: "INPlayMediaIntent")
            )
            #expect(offered == Self.identifier && other == nil)
        }
        try await Self.with("WholeView") { stage in
            // A view gets no touches.
            let session = try await stage.show("Hello")
            let view = try #require(session.views.first)
            do {
                try await view.request.use(.tap("Send"))
                Issue.record("the button was touched")
            } catch let error as ExtensionHostError { #expect(error.code == .notPermitted, "\(error)") }
            await session.end()
        }
        try await Self.with("Stranger") { stage in
            let session = try await stage.show("Hello")
            #expect(session.parts.isEmpty)
            guard case .failed(let error)? = session.failure else {
                Issue.record("\(String(describing: session.failure))")
                return
            }
            #expect(error.code == .principalUnsuitable, "\(error)")
        }
    }

    // MARK: Hostile views

    // spec: IN-5
    @Test("IN-5: a view that does not answer has 10 s, and the system shows the rest") func limit() async throws {
        try await Self.with { stage in
            let late = Task { try await stage.show("hang") }
            try await stage.daemon.event { $0.detail?.hasPrefix("intentsUI.configure 2 by") == true }
            try await stage.daemon.clock.advance(by: .seconds(10))
            let session = try await late.value
            guard case .timedOut? = session.failure else {
                Issue.record("\(String(describing: session.failure))")
                return
            }
            #expect(Self.words(session) == ["system recipients", "system content"])
            await session.end()
        }
    }

    // spec: IN-5, PC-4, PC-5
    @Test("IN-5: a dropped handler, a second answer, too many parameters and a death have one end") func misuse()
        async throws
    {
        try await Self.with(clock: .real) { stage in
            let twice = try await stage.show("twice")
            #expect(twice.failure == nil && twice.views.count == 2)
            try await stage.daemon.event { $0.detail?.contains("E_HANDLER_TWICE") == true }
            await twice.end()
            let dropped = try await stage.show("drop")
            #expect(dropped.failure.map { "\($0)" }?.contains("without calling it") == true)
            let many = try await stage.show("many")
            #expect(many.failure.map { "\($0)" }?.contains("more than 100 parameters") == true)
            #expect(Self.words(many) == ["system recipients", "system content"])
            await many.end()
            let indexes = try await stage.show("indexes")
            #expect(indexes.failure.map { "\($0)" }?.contains("with long names") == true)
            await indexes.end()
            // The views of a process that has died are no part of the interface.
            let later = try await stage.show("dieLater")
            #expect(later.failure != nil && Self.words(later) == ["system recipients", "system content"])
            await later.end()
            let dead = try await stage.show("die")
            guard case .interrupted(.exitedEarly)? = dead.failure else {
                Issue.record("\(String(describing: dead.failure))")
                return
            }
            // The next intent has a new process.
            let next = try await stage.show("Hello")
            #expect(next.views.count == 2)
            await next.end()
        }
    }

    // spec: IN-5
    @Test("IN-5: a cancelled task ends the requests") func cancellation() async throws {
        try await Self.with { stage in
            let task = Task { try await stage.show("hang") }
            try await stage.daemon.event { $0.detail?.hasPrefix("intentsUI.configure 2 by") == true }
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
            let end = try await stage.daemon.event { $0.event == EventName.requestCancelled.rawValue }
            #expect(end.cause == .cancelledByHost)
            let next = try await stage.show("Hello")
            #expect(next.views.count == 2)
            await next.end()
        }
    }

    // MARK: Tools

    private func run(_ arguments: String...) async throws -> Program.Ending {
        let app = try samples() + "/Samples.app/PlugIns/PaperPlaneView.appex"
        return try await Program.control(["run", app, "--ephemeral"] + arguments).ending()
    }

    // spec: IN-5, P-700, PC-23
    // not simulated: N-221
    @Test("IN-5, P-700: run shows the views of an intent, also after a conversation with its handler") func tool()
        async throws
    {
        let shown = try await run("--param", "recipients=Tom", "--param", "content=Hello")
        #expect(shown.status == 0 && shown.errors.contains("Sent to Tom"), "\(shown)")
        #expect(shown.output.contains("opened: INSendMessageIntent by org.exthost.samples.paper-plane-view"))
        #expect(shown.output.contains("  view of content, recipients, 375 × 108 points\n"), "\(shown)")
        let ready = try await run(
            "--param", "recipients=Tom", "--param", "content=Hello", "--code", "ready", "--json", "--view-size",
            "340x100")
        let text = ready.output.split(separator: "\n").last.map(String.init) ?? ""
        let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let view = try #require((document["views"] as? [[String: Any]])?.first)
        #expect(view["texts"] as? [String] == ["To Tom", "Hello"] && view["height"] as? Double == 100, "\(ready)")
        let handled = try await run(
            "--param", "recipients=Anna", "--param", "content=Hello", "--reply", "recipients=2", "--handler",
            try samples() + "/Samples.app/PlugIns/PaperPlane.appex")
        #expect(handled.status == 0 && handled.errors.contains("Sent to Anna Lind"), "\(handled)")
        #expect(handled.output.contains("    handle: success (3)\n"), "\(handled)")
        #expect(handled.output.contains("  shown by the system: response sentMessage\n"), "\(handled)")
        let size = try await run("--view-size", "wide")
        #expect(size.status == 64 && size.errors.contains("“wide” is no size"), "\(size)")
        let alone = try await run("--locked")
        #expect(alone.status == 64 && alone.errors.contains("--reply and --locked are for"), "\(alone)")
        let both = try await run("--handler", "x", "--code", "ready")
        #expect(both.status == 64 && both.errors.contains("--handler gives the response"), "\(both)")
    }

    // spec: IN-5
    @Test("IN-5: the view controller comes from a storyboard, as in Xcode's projects") func storyboard() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let shell = Shell(folder: folder.path)
        let made = try await shell.run("exthostctl new intents-ui-service Words -q && mkdir Words/programs")
        #expect(made.status == 0, "\(made)")
        let sources = folder.path + "/Words/Sources/Words"
        let storyboard = """
            <?xml version="1.0" encoding="UTF-8"?>
            <document type="com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB" version="3.0"
                initialViewController="a">
                <scenes><scene sceneID="b"><objects>
                    <viewController id="a" customClass="WholeView" customModule="IntentViews"
                        sceneMemberID="viewController">
                        <view key="view" id="c"><rect key="frame" x="0.0" y="0.0" width="320" height="150"/></view>
                    </viewController>
                </objects></scene></scenes>
            </document>
            """
        try Data(storyboard.utf8).write(to: URL(fileURLWithPath: sources + "/MainInterface.storyboard"))
        let information = try String(contentsOfFile: sources + "/Info.plist", encoding: .utf8)
            .replacingOccurrences(of: "NSExtensionPrincipalClass", with: "NSExtensionMainStoryboard")
            .replacingOccurrences(of: "$(PRODUCT_MODULE_NAME).IntentViewController", with: "MainInterface")
        try Data(information.utf8).write(to: URL(fileURLWithPath: sources + "/Info.plist"))
        for (program, name) in [("IntentViews", "Words"), ("ReadingListApp", "WordsApp")] {
            try FileManager.default.copyItem(
                atPath: "\(SampleApplications.buildFolder)/\(program)",
                toPath: "\(folder.path)/Words/programs/\(name)")
        }
        let shown = try await shell.run(
            "cd Words && exthostctl bundle . --programs programs --output out -q && "
                + "exthostctl run out/WordsApp.app/PlugIns/Words.appex --ephemeral --param content=Hello")
        #expect(shown.status == 0 && shown.output.contains("view of the whole intent, 375 × 600 points"), "\(shown)")
    }

    // spec: IN-5, PC-27
    @Test("IN-5, PC-27: a scenario shows the views of an intent") func scenario() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/views.scenario"
        let text = """
            extension org.exthost.samples.paper-plane-view
            test "a view"
              intent INSendMessageIntent recipients=Tom content=Hello view code ready
              expect result opened
              expect view "To Tom"
              expect shown views.0.displays.0 = "content"
              expect shown views.0.texts.1 = "Hello"
              intent INSendMessageIntent recipients=Tom content=Bye view by org.exthost.samples.paper-plane
              expect result opened
              expect view "Sent to Tom"
              expect shown conversation.code = "success"
              intent INSendMessageIntent content=Hello view result sentMessage=1
              expect result nothing
              expect shown system.1 = "response.sentMessage"
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(["test", file, "--applications", try samples(), "--tap"]).ending()
        #expect(ending.status == 0 && ending.output.contains("ok 1 - a view"), "\(ending)")
    }
}
