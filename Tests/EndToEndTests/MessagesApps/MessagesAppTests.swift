// MessagesAppTests: iMessage apps and the host that plays Messages (docs/imessage-apps.md).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import TestPrograms
import Testing

/// A daemon with an extension of the program `Chatter`, and a conversation.
struct MessagesStage {
    static let identifier = "org.exthost.tests.chat"
    let daemon: TestDaemon
    let apps: MessagesAppHost
    let conversation: MessagesConversation
    let output: Output
    /// Whether the app shows what it was told.
    let hasTold: Bool

    static func with(
        _ principal: String = "Chatter", wish: String = "", remotes: Int = 1,
        _ body: (MessagesStage) async throws -> Void
    ) async throws {
        let (bundles, output) = (try TestBundles(), Output())
        try bundles.add(
            "chat", program: SampleApplications.buildFolder + "/Chatter", point: MessagesAppHost.point,
            principalClass: "Chatter.\(principal)", information: ["TestWish": wish])
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("messages", onOutput: output.add)
            try await body(
                MessagesStage(
                    daemon: daemon, apps: MessagesAppHost(host.application),
                    conversation: MessagesConversation(with: remotes), output: output,
                    hasTold: principal == "Chatter"))
        }
    }

    func open(_ style: PayloadStyle? = nil, selecting entry: Int? = nil, isMedia: Bool = false) async throws
        -> MessagesAppSession
    {
        let session = try await apps.open(
            Self.identifier, in: conversation, style: style, selecting: entry, isMedia: isMedia)
        // The last words of the opening may be on their way.
        if hasTold { try await eventually { session.told.contains("didBecomeActive") } }
        return session
    }

    /// Lets a person tap a button, and waits for the words of the completion handlers so far.
    func tap(_ name: String, _ session: MessagesAppSession, answer: String? = nil) async throws {
        try await session.use(.tap(name))
        guard let answer else { return }
        do { try await eventually { session.view?["answer"]?.text?.hasSuffix(answer) == true } } catch {
            Issue.record("\(name): \(session.view?["answer"]?.text ?? "")")
            throw error
        }
    }

    static func code(_ body: () async throws -> some Any) async -> ExtensionHostError.Code? {
        do { _ = try await body() } catch { return (error as? ExtensionHostError)?.code }
        return nil
    }
}

extension MessagesAppSession {
    var told: String { view?["told"]?.text ?? "" }
    /// Waits until the app was told these words since an earlier text.
    func hears(_ words: String, since old: String) async throws {
        let whole = old.isEmpty ? words : "\(old), \(words)"
        do { try await eventually { self.told == whole } } catch {
            Issue.record("\(told) in place of \(whole)")
            throw error
        }
    }
    /// Waits until the words that the app was told end so.
    func hears(end: String) async throws {
        do { try await eventually { self.told.hasSuffix(end) } } catch {
            Issue.record("\(told) without \(end)")
            throw error
        }
    }
}

@Suite struct MessagesAppTests {
    // spec: MS-1, MS-2
    @Test("MS-1, MS-2: the view is loaded, the app becomes active around its appearance, and inactive around its end")
    func life() async throws {
        try await MessagesStage.with(remotes: 2) { stage in
            let session = try await stage.open()
            try await session.hears(
                "load compact true, willBecomeActive nothing true, willAppear, didBecomeActive 2", since: "")
            #expect(session.shown == PayloadView(style: .compact, width: 375, height: 260))
            await session.close()
            #expect(await session.ending == .closed)
            #expect(await session.request.outcome.kind == .completed)
            try await eventually { stage.output.text.contains("didResignActive") }
            let lines = stage.output.text.split(separator: "\n").map(String.init)
            #expect(lines == ["willResignActive", "didDisappear", "didResignActive true"], "\(lines)")
            // Each device and conversation has identifiers of its own.
            #expect(Set([stage.conversation.local] + stage.conversation.remotes).count == 3)
            let known = MessagesConversation(local: stage.conversation.local, remotes: stage.conversation.remotes)
            #expect(known.local == stage.conversation.local && known.remotes == stage.conversation.remotes)
            #expect(await MessagesStage.code { try await session.refresh() } != nil)
        }
    }

    // spec: MS-3
    @Test("MS-3: both sides change the style, which the app hears before and after") func styles() async throws {
        try await MessagesStage.with { stage in
            let session = try await stage.open()
            var told = session.told
            try await session.use(.tap("expand"))
            #expect(session.shown == PayloadView(style: .expanded, width: 375, height: 616))
            try await session.hears("willTransition expanded from compact, didTransition expanded 616.0", since: told)
            told = session.told
            // The same style is no transition.
            try await session.transition(to: .expanded)
            try await session.use(.tap("expand"))
            #expect(session.told == told)
            try await session.transition(to: .compact)
            #expect(session.shown.style == .compact)
            #expect(await MessagesStage.code { try await session.transition(to: .transcript) } == .invalidArgument)
            try await session.use(.tap("transcript"))
            try await eventually { stage.output.text.contains("transcript cannot be requested") }
            #expect(try await session.refresh().style == .compact)
            // An app that always wishes for the other style gets it a bounded number of times.
            try await session.use(.tap("loop"))
            try await session.refresh()
            await session.close()
            #expect(await session.ending == .closed)
            let count = try await stage.daemon.events().filter {
                $0.event == EventName.callStarted.rawValue && $0.detail?.hasPrefix("imessage.transition") == true
            }.count
            #expect(count > 60 && count < 70, "\(count)")
        }
    }

    // spec: MS-4
    @Test("MS-4: a selected message opens the app, and selecting one while it is active is told before and after")
    func selection() async throws {
        try await MessagesStage.with { stage in
            let first = stage.conversation.receive(MessagesMessage(url: "https://example.org/1", caption: "one"))
            let second = stage.conversation.receive(MessagesMessage(url: "https://example.org/2"))
            let session = try await stage.open(selecting: first.number)
            #expect(session.shown.style == .expanded)
            try await session.hears(end: "didBecomeActive 1")
            #expect(session.told.contains("willBecomeActive https://example.org/1 true"), "\(session.told)")
            let told = session.told
            try await session.select(second.number)
            try await session.hears(
                "willSelect https://example.org/2, of https://example.org/1, didSelect https://example.org/2",
                since: told)
            #expect(await MessagesStage.code { try await session.select(99) } == .invalidArgument)
            #expect(await MessagesStage.code { try await stage.open(selecting: 99) } == .invalidArgument)
            await session.close()
        }
    }

    // spec: MS-5, MS-6
    @Test("MS-5, MS-6: a message goes into the input field in the place of another, and the person sends or removes it")
    func theInputField() async throws {
        try await MessagesStage.with { stage in
            let session = try await stage.open()
            #expect(await MessagesStage.code { try await session.send() } == .invalidArgument)
            #expect(await MessagesStage.code { try await session.cancelSending() } == .invalidArgument)
            try await stage.tap("insert", session, answer: "ok")
            #expect(stage.conversation.field.message?.layout?.texts == ["caption": "insert"])
            try await stage.tap("again", session, answer: "ok, ok")
            #expect(stage.conversation.field.message?.url == "https://example.org/again")
            #expect(stage.conversation.transcript.isEmpty)
            var told = session.told
            try await session.cancelSending()
            try await session.hears("didCancelSending https://example.org/again pending same", since: told)
            #expect(stage.conversation.field.isEmpty)
            try await session.use(.tap("insert"))
            told = session.told
            let sent = try await session.send()
            try await session.hears("didStartSending https://example.org/insert same", since: told)
            #expect(sent.count == 1 && sent[0].sender == stage.conversation.local && stage.conversation.field.isEmpty)
            // Other things stand beside the message.
            for name in ["text", "text", "sticker", "file", "image"] { try await session.use(.tap(name)) }
            let field = stage.conversation.field
            #expect(field.text == "hello hello " && field.items.count == 2)
            #expect(field.message?.layout?.media?.size == 60)
            guard case .sticker(let sticker, "Star") = field.items[0], case .attachment(let file) = field.items[1]
            else {
                Issue.record("\(field.items)")
                return
            }
            #expect(sticker.fileName == "Star.png" && sticker.size == 60)
            #expect(file.fileName == "other.txt" && file.size == 6)
            let all = try await session.send()
            #expect(all.count == 4)
            // The image goes back to the app.
            let message = try #require(all.first { $0.message != nil })
            try await session.select(message.number)
            try await session.hears(end: "didSelect https://example.org/image 120.0")
            try await session.use(.tap("media file"))
            #expect(stage.conversation.field.message?.layout?.media?.fileName == "media file.bin")
            // The other form of the methods.
            try await session.use(.tap("async"))
            try await eventually { stage.conversation.field.text == "later" }
            await session.close()
            // The field keeps its contents, and sending does not need the app.
            #expect(stage.conversation.send().count == 2)
        }
    }

    // spec: MS-7
    @Test("MS-7: a later message of a session takes the earlier one's place, of which its summary stays")
    func sessions() async throws {
        try await MessagesStage.with { stage in
            let session = try await stage.open()
            for name in ["insert", "again"] {
                try await session.use(.tap(name))
                try await session.send()
                try await session.hears(end: "didStartSending https://example.org/\(name) same")
            }
            let transcript = stage.conversation.transcript
            #expect(transcript.map(\.number) == [1, 2])
            guard case .summary("summary of insert") = transcript[0].content else {
                Issue.record("\(transcript)")
                return
            }
            // The other participant answers in the session, with a message without a summary.
            var answer = MessagesMessage(url: "https://example.org/answer")
            answer.session = try #require(transcript[1].message?.session)
            let told = session.told
            try await session.receive(answer)
            try await session.hears("didReceive true https://example.org/answer", since: told)
            try await session.receive(answer)
            #expect(stage.conversation.transcript.map(\.number) == [1, 2, 4])
            await session.close()
        }
    }

    // spec: MS-8
    @Test("MS-8: sending needs a touch since the opening or the last sending, and a visible app") func sending()
        async throws
    {
        let fault = "MSMessagesErrorDomain 9"
        try await MessagesStage.with(wish: "sendAtLoad") { stage in
            let session = try await stage.open()
            try await eventually { session.view?["answer"]?.text == fault }
            // A touch of nothing is none.
            #expect(await MessagesStage.code { try await session.use(.tap("nothing")) } == .invalidArgument)
            #expect(session.request.actionCount == 0)
            try await stage.tap("send text", session, answer: "\(fault), ok")
            try await stage.tap("send twice", session, answer: "ok, ok, \(fault)")
            #expect(stage.conversation.transcript.count == 2)
            let told = session.told
            try await session.use(.tap("send message"))
            #expect(stage.conversation.transcript.count == 3 && stage.conversation.field.isEmpty)
            try await session.hears("didStartSending https://example.org/sendmessage same", since: told)
            try await session.use(.tap("send at close"))
            await session.close()
            try await eventually { stage.output.text.contains("late 10") }
            #expect(stage.conversation.transcript.count == 3)
        }
    }

    // spec: MS-9
    @Test("MS-9: over a photo or the camera, stickers and their files can be inserted and nothing else")
    func overMedia()
        async throws
    {
        let fault = "MSMessagesErrorDomain 11"
        try await MessagesStage.with { stage in
            let session = try await stage.open(isMedia: true)
            var answers: [String] = []
            for name in ["insert", "text", "file", "send message", "send text"] {
                answers.append(fault)
                try await stage.tap(name, session, answer: answers.joined(separator: ", "))
            }
            try await stage.tap("sticker", session, answer: "ok")
            #expect(stage.conversation.field.items.count == 1 && stage.conversation.field.message == nil)
            let told = session.told
            let entry = try await session.receive(MessagesMessage(url: "https://example.org/1"))
            #expect(await MessagesStage.code { try await session.select(entry.number) } == .invalidArgument)
            try await session.send()
            #expect(try await session.refresh().style == .compact && session.told == told)
            await session.close()
        }
    }

    // spec: MS-10
    @Test("MS-10: a sticker is a small file of an image, and a tap on its view inserts it") func stickers() async throws
    {
        try await MessagesStage.with("Judge") { stage in
            let session = try await stage.open()
            try await session.hears("a, true 6, true 6, true 6, true 7, true 1, true 4", since: "")
            await session.close()
        }
        try await MessagesStage.with { stage in
            let session = try await stage.open()
            try await session.use(.tap("Moon"))
            guard case .sticker(_, "Moon")? = stage.conversation.field.items.first else {
                Issue.record("\(stage.conversation.field)")
                return
            }
            await session.close()
        }
    }

    // spec: MS-11
    @Test("MS-11: a live message has a view in the transcript, whose size the app chooses") func liveMessages()
        async throws
    {
        try await MessagesStage.with { stage in
            let session = try await stage.open()
            try await session.use(.tap("live"))
            let sent = try await session.send()
            let entry = try #require(sent.first)
            #expect(entry.message?.layout?.isLive == true && entry.message?.layout?.texts["caption"] == "alternate")
            let plain = stage.conversation.receive(MessagesMessage(url: "https://example.org/1"))
            #expect(
                await MessagesStage.code { try await stage.open(.transcript, selecting: plain.number) }
                    == .invalidArgument)
            let live = try await stage.open(.transcript, selecting: entry.number)
            #expect(live.shown == PayloadView(style: .transcript, width: 263, height: 80))
            try await live.hears(end: "MSMessageLiveLayout")
            #expect(live.told.hasPrefix("load transcript true"))
            // It hears of nothing, cannot go, and asks for another object of its class.
            let told = live.told
            try await live.receive(MessagesMessage(url: "https://example.org/2"))
            try await live.use(.tap("dismiss"))
            try await live.use(.tap("expand"))
            #expect(try await live.refresh().style == .transcript && live.told == told)
            #expect(live.requestedStyle == .expanded && live.request.processIdentifier != nil)
            #expect(live.request.processIdentifier == session.request.processIdentifier)
            #expect(await MessagesStage.code { try await live.transition(to: .compact) } == .invalidArgument)
            await live.close()
            await session.close()
        }
    }

    // spec: MS-12
    @Test("MS-12: an app leaves by itself, and what it has inserted stays") func dismissal() async throws {
        try await MessagesStage.with { stage in
            let session = try await stage.open()
            try await session.use(.tap("insert"))
            try await session.use(.tap("dismiss"))
            #expect(await session.ending == .dismissed)
            #expect(await session.request.outcome.kind == .completed)
            #expect(stage.conversation.field.message != nil)
            await session.close()
            #expect(await session.ending == .dismissed)
            // The app hears nothing of later acts of the person.
            try await session.receive(MessagesMessage(url: "https://example.org/late"))
            #expect(stage.conversation.transcript.count == 1)
            let again = try await stage.open()
            // Another object of the app sends the message that was left.
            try await again.send()
            try await again.hears(end: "didStartSending https://example.org/insert")
            await again.close()
        }
    }

    // spec: MS-3, MS-12
    @Test("MS-3, MS-12: what an app asks for while it becomes active happens afterwards") func early() async throws {
        try await MessagesStage.with(wish: "dismissAtActive") { stage in
            let session = try await stage.apps.open(MessagesStage.identifier, in: stage.conversation)
            #expect(await session.ending == .dismissed)
            #expect(await session.request.outcome.kind == .completed)
        }
        try await MessagesStage.with(wish: "expandAtAppear") { stage in
            let session = try await stage.open()
            #expect(session.shown == PayloadView(style: .expanded, width: 375, height: 616))
            await session.close()
        }
    }

    // spec: MS-13
    @Test("MS-13: a long URL, a missing file and a URL of no file have their errors") func refusals() async throws {
        try await MessagesStage.with { stage in
            let session = try await stage.open()
            for (name, code) in [("long", 8), ("missing", 1), ("web file", 4)] {
                try await stage.tap(name, session, answer: "MSMessagesErrorDomain \(code)")
            }
            #expect(stage.conversation.field.isEmpty)
            await session.close()
        }
    }

    // spec: MS-14
    @Test("MS-14: a message can be written to an archive, and read from it") func archives() async throws {
        try await MessagesStage.with { stage in
            let session = try await stage.open()
            try await session.use(.tap("archive"))
            try await session.hears(end: "archived https://example.org/archive true")
            await session.close()
        }
    }

    // spec: MS-15
    @Test("MS-15: items of an app that goes around its framework are checked, and the field has bounds")
    func hostility()
        async throws
    {
        try await MessagesStage.with("Liar") { stage in
            let session = try await stage.open()
            try await session.use(.tap("lie"))
            try await eventually { session.view?["answer"]?.text == "[8, -1, -1, -1, -1, -1, 6, -1, -1, 7, 6]" }
            #expect(stage.conversation.field.isEmpty)
            await session.close()
        }
        try await MessagesStage.with { stage in
            let session = try await stage.open()
            try await session.use(.tap("flood"))
            #expect(stage.conversation.field.items.count == MessagesConversation.mostItems)
            await session.close()
            let full = MessagesConversation()
            for number in 0..<600 { full.receive(MessagesMessage(url: "https://example.org/\(number)")) }
            #expect(full.transcript.count == MessagesConversation.mostEntries && full.transcript[0].number == 101)
            // The texts count, too.
            let (heavy, large) = (MessagesConversation(), String(repeating: "a", count: 50 << 20))
            for _ in 0..<3 { heavy.receive(MessagesMessage(url: large)) }
            #expect(heavy.transcript.map(\.number) == [2, 3])
        }
    }

    // spec: MS-16
    @Test("MS-16: an app that hangs or dies ends its session once, and another class is refused") func failures()
        async throws
    {
        try await MessagesStage.with { stage in
            let session = try await stage.open()
            try await session.use(.tap("die"))
            guard case .ended = await session.ending else {
                Issue.record("it has not ended")
                return
            }
            let hung = try await stage.open()
            try await hung.use(.tap("hang at transition"))
            async let transition = MessagesStage.code { try await hung.transition(to: .expanded) }
            try await eventually {
                try await stage.daemon.events().contains {
                    $0.detail?.hasPrefix("imessage.transition") == true && $0.event == EventName.callStarted.rawValue
                }
            }
            try await stage.daemon.clock.advance(by: .seconds(10))
            #expect(await transition == .timedOut)
            guard case .ended = await hung.ending else {
                Issue.record("it has not ended")
                return
            }
            await hung.close()
        }
        try await MessagesStage.with { stage in
            let hung = try await stage.open()
            try await hung.use(.tap("hang at close"))
            async let closing: Void = hung.close()
            try await eventually {
                try await stage.daemon.events().contains {
                    $0.detail?.hasPrefix("imessage.close") == true && $0.event == EventName.callStarted.rawValue
                }
            }
            try await stage.daemon.clock.advance(by: .seconds(5))
            await closing
            guard case .ended = await hung.ending else {
                Issue.record("it has not ended")
                return
            }
        }
        try await MessagesStage.with(wish: "dieAtLoad") { stage in
            let code = await MessagesStage.code { try await stage.open() }
            #expect(code == .interrupted || code == .contextFinished, "\(code as Any)")
        }
        try await MessagesStage.with("Stranger") { stage in
            #expect(await MessagesStage.code { try await stage.open() } == .principalUnsuitable)
        }
    }
}
