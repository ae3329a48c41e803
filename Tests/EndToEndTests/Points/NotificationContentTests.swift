// NotificationContentTests: the views of notifications (spec NC-1 to NC-5).

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

@Suite struct NotificationContentTests {
    static let notice = "org.exthost.tests.notice"

    static func bundles(
        _ attributes: [String: Any] = [:], principal: String = "NoticeController"
    ) throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.add(
            "notice", program: SampleApplications.buildFolder + "/Notice", point: NotificationContentHost.point,
            information: [
                "NSExtension": [
                    "NSExtensionPointIdentifier": NotificationContentHost.point,
                    "NSExtensionPrincipalClass": "Notice.\(principal)",
                    "NSExtensionAttributes": [
                        "UNNotificationExtensionCategory": "news",
                        "UNNotificationExtensionInitialContentSizeRatio": 0.4,
                        "UNNotificationExtensionUserInteractionEnabled": true,
                    ].merging(attributes) { $1 },
                ] as [String: Any]
            ])
        return bundles
    }

    private static func with(
        _ attributes: [String: Any] = [:], principal: String = "NoticeController",
        _ body: (TestDaemon, NotificationContentHost, Output) async throws -> Void
    ) async throws {
        let (bundles, output) = (try bundles(attributes, principal: principal), Output())
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("springboard", onOutput: output.add)
            try await body(daemon, NotificationContentHost(host.application), output)
        }
    }

    private static func content(_ title: String, act: String? = nil, category: String = "news") -> NotificationContent {
        var content = NotificationContent()
        (content.title, content.category, content.thread) = (title, category, "thread")
        if let act { content.userInfo = PointValue(["act": .string(act)]) }
        return content
    }

    private static func code(_ body: () async throws -> some Any) async -> ExtensionHostError.Code? {
        do { _ = try await body() } catch { return (error as? ExtensionHostError)?.code }
        return nil
    }

    private static let buttons = ["stay", "dismiss", "forward", "hang", "drop", "twice", "die", "leaveFirst"].map {
        NotificationAction(identifier: $0, title: $0)
    }

    // spec: NC-1
    @Test("NC-1: the category chooses the extension, which receives the notification before its view appears")
    func theCategoryChooses() async throws {
        try await Self.with(["UNNotificationExtensionCategory": ["news", "mail"]]) { _, host, output in
            #expect(try await host.extensionIdentifier(for: "mail") == Self.notice)
            #expect(try await host.extensionIdentifier(for: "other") == nil)
            let wrong = Self.content("x", category: "other")
            #expect(await Self.code { try await host.show(wrong, with: Self.notice) } == .ruleMismatch)
            let session = try await host.show(Self.content("first"), with: Self.notice)
            try await session.receive(Self.content("second"))
            #expect(session.view?.all.contains { $0.text == "second" } == true)
            // Another thread is another notification.
            var other = Self.content("third")
            other.thread = "other"
            #expect(await Self.code { try await session.receive(other) } == .ruleMismatch)
            await session.dismiss()
            #expect(await session.ending == .dismissed)
            #expect(await session.request.outcome.kind == .completed)
            try await eventually { output.text.hasSuffix("viewDidDisappear\n") }
            #expect(
                output.text.split(separator: "\n") == [
                    "viewDidLoad", "receive first 375×150", "viewWillAppear", "receive second 375×150",
                    "viewDidDisappear",
                ])
        }
    }

    // spec: NC-1
    @Test("NC-1: the view gets the attachments as files, which go with it")
    func attachmentsAreFiles() async throws {
        try await Self.with { _, host, output in
            let folder = try TestBundles()
            let file = folder.path + "/words.txt"
            try Data("hello".utf8).write(to: URL(fileURLWithPath: file))
            var content = Self.content("file")
            content.attachments = [
                NotificationAttachment(
                    identifier: "a", type: "public.plain-text", fileName: "words.txt",
                    file: try PointFile(readingAt: file))
            ]
            let session = try await host.show(content, with: Self.notice)
            await session.dismiss()
            try await eventually { output.text.contains("attachment a public.plain-text words.txt hello\n") }
        }
    }

    // spec: NC-2
    @Test(
        "NC-2: the extension's answer to a button decides what becomes of the notification",
        arguments: [
            ("stay", RespondToNotification.Answer.stay, nil),
            ("dismiss", .dismiss, .dismissed),
            ("forward", .forward, .forwarded(action: "forward", text: nil)),
        ] as [(String, RespondToNotification.Answer, NotificationContentSession.Ending?)])
    func theAnswerDecides(
        action: String, answer: RespondToNotification.Answer, ending: NotificationContentSession.Ending?
    ) async throws {
        try await Self.with { _, host, output in
            let session = try await host.show(Self.content("news"), with: Self.notice, actions: Self.buttons)
            #expect(try await session.respond(action) == answer)
            try await eventually { output.text.contains("respond \(action) without words to news\n") }
            if let ending {
                #expect(await session.ending == ending)
            } else {
                #expect(session.request.isOpen && session.shown.height == 333)
                await session.dismiss()
            }
        }
    }

    // spec: NC-2
    @Test("NC-2: without the method the app gets the action, as it does by a tap on the notification")
    func withoutTheMethodTheAppGetsTheAction() async throws {
        try await Self.with(principal: "BareController") { _, host, _ in
            let session = try await host.show(Self.content("news"), with: Self.notice, actions: Self.buttons)
            #expect(try await session.respond("dismiss") == .notWritten)
            #expect(await session.ending == .forwarded(action: "dismiss", text: nil))
            let tapped = try await host.show(Self.content("news"), with: Self.notice)
            try await tapped.respond(NotificationContentSession.defaultAction)
            #expect(
                await tapped.ending == .forwarded(action: "com.apple.UNNotificationDefaultActionIdentifier", text: nil))
        }
    }

    // spec: NC-2, PC-4, PC-5
    @Test("NC-2: a button whose handler is dropped, late or called twice is told, and the notification stays")
    func handlersAreHeldToTheirRules() async throws {
        try await Self.with { daemon, host, _ in
            let session = try await host.show(Self.content("news"), with: Self.notice, actions: Self.buttons)
            #expect(await Self.code { try await session.respond("drop") } == .handlerDropped)
            #expect(try await session.respond("twice") == .stay)
            let late = Task { await Self.code { try await session.respond("hang") } }
            try await daemon.event { $0.detail?.hasPrefix("notification.respond 4 by") == true }
            try await daemon.clock.advance(by: .seconds(30))
            #expect(await late.value == .timedOut)
            #expect(session.request.isOpen)
            #expect(await Self.code { try await session.respond("die") } == .interrupted)
            guard case .ended = await session.ending else {
                Issue.record("it ends as \(await session.ending)")
                return
            }
            let misused = try await daemon.events().filter { $0.event == EventName.contextFault.rawValue }
            #expect(misused.contains { $0.detail?.contains("E_HANDLER_TWICE") == true }, "\(misused)")
        }
    }

    // spec: NC-1
    @Test(
        "NC-1: an extension that hangs or dies with the notification, or is none, is named", arguments: ["hang", "die"])
    func anExtensionThatFailsIsNamed(act: String) async throws {
        try await Self.with { daemon, host, _ in
            let shown = Task { await Self.code { try await host.show(Self.content("x", act: act), with: Self.notice) } }
            if act == "hang" {
                try await daemon.event { $0.detail?.hasPrefix("notification.show 1 by") == true }
                try await daemon.clock.advance(by: .seconds(10))
            }
            #expect(await shown.value == (act == "hang" ? .timedOut : .interrupted))
        }
        try await Self.with(principal: "Stranger") { _, host, _ in
            #expect(
                await Self.code { try await host.show(Self.content("x"), with: Self.notice) } == .principalUnsuitable)
        }
    }

    // spec: NC-3
    @Test("NC-3: the extension replaces the buttons, and a button with a field gives its words")
    func theExtensionReplacesTheButtons() async throws {
        try await Self.with { daemon, host, output in
            let session = try await host.show(
                Self.content("news", act: "actions"), with: Self.notice, actions: Self.buttons)
            // They are known with the reply.
            #expect(session.actions.map(\.identifier) == ["like", "reply"])
            #expect(session.actions[0].options == 2 && session.actions[1].placeholder == "Words")
            #expect(await Self.code { try await session.respond("stay") } == .invalidArgument)
            #expect(await Self.code { try await session.respond("like", text: "x") } == .invalidArgument)
            try await session.respond("reply", text: "so be it")
            #expect(await session.ending == .forwarded(action: "reply", text: "so be it"))
            try await eventually { output.text.contains("respond reply so be it to news\n") }
            #expect(output.text.contains("actions stay,dismiss,forward,hang,drop,twice,die,leaveFirst\n"))
            let many = try await host.show(Self.content("news", act: "many"), with: Self.notice)
            #expect(many.actions.count == NotificationContentHost.mostActions)
            await many.dismiss()
            let long = try await host.show(Self.content("news", act: "long"), with: Self.notice)
            #expect(long.actions.map(\.identifier) == ["a"] && long.actions.first?.title.count == 256)
            await long.dismiss()
        }
    }

    // spec: NC-3
    @Test(
        "NC-3: the extension takes the notification away, and opens the app",
        arguments: [
            ("leave", .dismissed),
            ("open", .forwarded(action: NotificationContentSession.defaultAction, text: nil)),
        ] as [(String, NotificationContentSession.Ending)])
    func theExtensionLeaves(act: String, ending: NotificationContentSession.Ending) async throws {
        try await Self.with { _, host, output in
            let session = try await host.show(Self.content("news", act: act), with: Self.notice)
            #expect(await session.ending == ending)
            #expect(await session.request.outcome.kind == .completed)
            let second = try await host.show(Self.content("news"), with: Self.notice)
            try await second.use(.tap(act == "leave" ? "Leave" : "Open"))
            #expect(await second.ending == ending)
            // It may do so before it answers a button.
            let asked = try await host.show(Self.content("news"), with: Self.notice, actions: Self.buttons)
            #expect(try await asked.respond("leaveFirst") == .forward)
            #expect(await asked.ending == .forwarded(action: NotificationContentSession.defaultAction, text: nil))
            // An extension that completes its request has ended the notification, too.
            let third = try await host.show(Self.content("news"), with: Self.notice)
            try await third.use(.tap("Complete"))
            #expect(await third.ending == .dismissed)
        }
    }

    // spec: NC-3
    @Test("NC-3: the system's button plays and pauses media, and the extension says when they play otherwise")
    func mediaPlay() async throws {
        try await Self.with { _, host, output in
            let session = try await host.show(Self.content("news"), with: Self.notice)
            #expect(session.shown.media == .overlay && session.shown.mediaFrame == [1, 2, 30, 40])
            try await session.pressMediaButton()
            #expect(session.isPlaying)
            try await session.use(.tap("Pause"))
            try await eventually { !session.isPlaying }
            try await session.use(.tap("Start"))
            try await eventually { session.isPlaying }
            try await session.pressMediaButton()
            #expect(!session.isPlaying)
            try await eventually { output.text.hasSuffix("play\npause\n") }
            await session.dismiss()
            let broken = try await host.show(Self.content("broken"), with: Self.notice)
            try await broken.pressMediaButton()
            #expect(!broken.isPlaying)
            await broken.dismiss()
        }
        try await Self.with(principal: "BareController") { _, host, _ in
            let session = try await host.show(Self.content("news"), with: Self.notice)
            #expect(await Self.code { try await session.pressMediaButton() } == .notPermitted)
            await session.dismiss()
        }
    }

    // spec: NC-4
    @Test("NC-4: the view is as high as its ratio says, and then as it prefers, within a bound")
    func theViewHasASize() async throws {
        try await Self.with { _, host, _ in
            for (act, height) in [("", 150.0), ("tall", 444), ("huge", 10_000), ("endless", 0)] {
                let session = try await host.show(Self.content("news", act: act), with: Self.notice)
                #expect(session.shown.height == height, "\(act)")
                try await session.use(.tap("Grow"))
                #expect(try await session.refresh().height == 500)
                await session.dismiss()
            }
        }
    }

    // spec: NC-4
    @Test("NC-4: a person uses the view only if the extension says so")
    func aPersonUsesTheViewIfItSaysSo() async throws {
        try await Self.with(["UNNotificationExtensionUserInteractionEnabled": false]) { _, host, _ in
            let session = try await host.show(Self.content("news"), with: Self.notice)
            #expect(await Self.code { try await session.use(.tap("Grow")) } == .notPermitted)
            #expect(!session.declaration.takesActions && session.declaration.ratio == 0.4)
            await session.dismiss()
        }
    }

    // spec: NC-5
    @Test("NC-5: run shows a notification, and chooses a button")
    func runShowsANotification() async throws {
        let bundles = try Self.bundles()
        let payload = bundles.path + "/payload.json"
        try Data(#"{"aps": {"alert": {"title": "Hi"}, "category": "news"}, "act": "tall"}"#.utf8)
            .write(to: URL(fileURLWithPath: payload))
        func run(_ arguments: String...) async throws -> Program.Ending {
            try await withTestDaemon(applications: [bundles.path]) { daemon in
                try await Program.control(["run", Self.notice] + arguments, socket: daemon.address.path).ending()
            }
        }
        let shown = try await run("--push", payload)
        #expect(shown.status == 0 && shown.output.contains("dismissed: \(Self.notice)"), "\(shown)")
        #expect(shown.output.contains("444 points high, media button: overlay"), "\(shown)")
        #expect(shown.errors.contains("│ Hi"), "\(shown)")
        let forwarded = try await run("--push", payload, "--action", "reply", "--text", "well done", "--json")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(forwarded.output.utf8)) as? [String: Any], "\(forwarded)")
        #expect(document["result"] as? String == "forwarded" && document["text"] as? String == "well done")
        #expect(document["answer"] as? String == "forward" && document["height"] as? Double == 444)
        let acted = try await run("--tap", "Leave")
        #expect(acted.status == 0 && acted.output.contains("dismissed: "), "\(acted)")
        let wordless = try await run("--text", "x")
        #expect(wordless.status == 64 && wordless.errors.contains("--action"), "\(wordless)")
    }

    // spec: NC-5
    @Test("NC-5: a person chooses buttons and acts in the terminal, until close or the end of input")
    func aPersonUsesTheNotification() async throws {
        let bundles = try Self.bundles()
        func run(_ input: String) async throws -> Program.Ending {
            let lines = bundles.path + "/input"
            try Data(input.utf8).write(to: URL(fileURLWithPath: lines))
            let file = SharedDescriptor(try openForReading(lines))
            return try await withTestDaemon(applications: [bundles.path]) { daemon in
                try await Program.run(
                    SampleApplications.buildFolder + "/exthostctl", ["run", Self.notice, "--interactive"],
                    socket: daemon.address.path, input: file
                ).ending()
            }
        }
        let closed = try await run("respond none\nmedia\nfly\ntap Grow\nclose\ntap Leave\n")
        #expect(closed.status == 0 && closed.output.contains("dismissed: \(Self.notice)"), "\(closed)")
        #expect(closed.output.contains("500 points high"), "\(closed)")
        #expect(closed.errors.contains("no button none") && closed.errors.contains("“fly” is not an act"), "\(closed)")
        let ended = try await run("")
        #expect(ended.status == 0 && ended.output.contains("dismissed: "), "\(ended)")
        let left = try await run("tap Open\n")
        #expect(left.status == 0 && left.output.contains("forwarded: "), "\(left)")
    }

    @Test("PC-27: the sample invites, and a scenario answers it")
    func theSampleInvites() async throws {
        let lines = """
            extension org.exthost.samples.invitation
            test "a person accepts"
              notification show '{"aps": {"alert": "An invitation", "category": "invitation"}, "from": "Ada", "when": "at one"}'
              expect result opened
              expect view "Ada"
              expect shown height = 120
              expect shown actions.1 = "decline"
              notification respond accept
              expect result stays
              expect view "You will be there"
              notification dismiss
              expect result dismissed
              expect outcome completed
            test "a person declines"
              notification show '{"aps": {"alert": "An invitation", "category": "invitation"}}'
              notification respond decline "no time"
              expect result forwarded
              expect shown text = "no time"
            test "it is asked about what it does not show"
              notification show '{"aps": {"alert": "An invitation", "category": "other"}}'
              expect result failed
              notification media
              expect result failed

            """
        let folder = try TestBundles()
        let file = folder.path + "/invitation.scenario"
        try Data(lines.utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(["test", file, "--applications", try samples(), "--tap"]).ending()
        #expect(ending.status == 0 && ending.output.contains("ok 3 - "), "\(ending)")
    }
}
