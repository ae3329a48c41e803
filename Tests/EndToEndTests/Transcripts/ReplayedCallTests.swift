// ReplayedCallTests: sessions with calls replay clean both ways, and diverge at the first call that is otherwise.

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import PropertyListCoding
import TestPrograms
import Testing
import Transcripts

@Suite final class ReplayedCallTests {
    private let stage: ReplayStage
    private let bundles: TestBundles
    private let arguments: [String]

    init() throws {
        stage = try ReplayStage()
        bundles = try TestBundles()
        try bundles.add(
            "caller", program: SampleApplications.buildFolder + "/Caller", point: CallTests.point,
            principalClass: "Caller.Caller")
        let points = bundles.path + "/points"
        try FileManager.default.createDirectory(atPath: points, withIntermediateDirectories: true)
        try Data(CallTests.pointFile().utf8).write(to: URL(fileURLWithPath: points + "/calls.plist"))
        arguments = ReplayStage.patient + ["--timer", "call=1h", "--extension-points", points]
    }

    /// A host that answers questions, and its request.
    private static func begin(
        _ daemon: TestDaemon, answer: String = " Me."
    ) async throws -> (host: FakeHost, request: ExtensionRequest) {
        var handlers = PointHandlers()
        handlers.on(Question.self) { question, _ in Echo.Reply(Echo(text: question.text + answer)) }
        let host = try await daemon.host("notes")
        return (host, try await host.begin(CallTests.caller, items: [], handling: handlers))
    }

    /// Ends a session in order: nothing of it is still on its way.
    private static func end(_ host: FakeHost, _ request: ExtensionRequest) async throws {
        try await request.cancel()
        _ = await request.outcome
        withExtendedLifetime(host) {}
    }

    /// The error of a call, which must have one.
    private static func code(_ body: () async throws -> some Any) async -> ExtensionHostError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? ExtensionHostError)?.code
        }
    }

    private static func hasStarted(_ name: String, _ daemon: TestDaemon) async throws {
        try await daemon.event { $0.event == EventName.callStarted.rawValue && $0.detail?.hasPrefix(name) == true }
    }

    // MARK: The extension points

    // spec: PC-16
    @Test("PC-16: the commands record and replay a session at an extension point of a folder")
    func theCommandsTakeFoldersOfPoints() async throws {
        let program = SampleApplications.buildFolder + "/exthostctl"
        func run(_ arguments: [String]) async throws -> Program.Ending {
            try await Program.control(arguments, socket: "/nonexistent/host.sock").ending()
        }
        let points = bundles.path + "/points"
        let file = stage.folder.path + "/point.jsonl"
        let recorded = try await run([
            "record", file, "--applications", bundles.path, "--extension-points", points, "--", program, "show",
            "--point", CallTests.point,
        ])
        #expect(recorded.status == 0 && recorded.output.contains(Echo.name), "\(recorded)")
        _ = try await stage.record(bundles, arguments: arguments) { daemon in
            let (host, request) = try await Self.begin(daemon)
            #expect(try await request.call(Ask()).text == "Who is it? Me.")
            try await Self.end(host, request)
        }
        let session = stage.folder.path + "/session.jsonl"
        let replayed = try await run([
            "replay", session, "--applications", bundles.path, "--extension-points", points,
        ])
        #expect(replayed.status == 0 && replayed.output == "as recorded\n", "\(replayed)")
        // Without the point every call would be refused.
        let refused = try await run(["replay", session, "--applications", bundles.path])
        #expect(refused.status != 0 && refused.errors.contains(CallTests.point), "\(refused)")
        #expect(refused.errors.contains("--extension-points DIR"), "\(refused)")
        let host = try await run(["replay", session, "--as", "extension", "--", "true"])
        #expect(host.errors.contains(CallTests.point), "\(host)")
        let missing = try await run(["replay", session, "--extension-points", "/nonexistent"])
        #expect(missing.status == 64 && missing.errors.contains("/nonexistent is no folder"), "\(missing)")
    }

    // MARK: Clean

    // spec: PC-16
    @Test("PC-16: calls in both directions, with parts, files and errors, replay clean")
    func valuesPartsFilesAndErrors() async throws {
        let path = stage.folder.path + "/letter.txt"
        try Data("twice ".utf8).write(to: URL(fileURLWithPath: path))
        let transcript = try await stage.replayBothWays(bundles, arguments: arguments) { daemon in
            let (host, request) = try await Self.begin(daemon)
            let echo = Echo(text: "hällo", number: -7, bytes: [UInt8](repeating: 9, count: 70_000), list: ["a": [2.5]])
            #expect(try await request.call(echo) == Echo.Reply(echo))
            #expect(try await request.call(Ask()).text == "Who is it? Me.")
            var numbers: [Int] = []
            for try await part in request.parts(of: Count(upTo: 20)) { numbers.append(part.number) }
            #expect(numbers == Array(1...20))
            let reply = try await request.call(Duplicate(try PointFile(readingAt: path)))
            let file = FileHandle(fileDescriptor: reply.file.descriptor.raw, closeOnDealloc: false)
            #expect(try file.readToEnd() == Data("twice twice ".utf8))
            await #expect(throws: (any Error).self) { try await request.call(End(.fail)) }
            #expect(await Self.code { try await request.call(End(.drop)) } == .handlerDropped)
            try await request.call(End(.twice))
            #expect(await Self.code { try await request.call(Unlisted()) } == .notPermitted)
            #expect(try await request.call(Ask()).text == "Who is it? Me.")
            try await Self.end(host, request)
        }
        let kinds = Set(transcript.packets.map(\.packet.kind))
        #expect(kinds.isSuperset(of: ["call", "called", "callPart", "contextFault"]))
    }

    // spec: PC-16
    @Test("PC-16: several calls at once, answered in another order, replay clean")
    func severalAtOnce() async throws {
        try await stage.replayBothWays(bundles, arguments: arguments) { daemon in
            let (host, request) = try await Self.begin(daemon)
            let (other, second) = try await Self.begin(daemon)
            let waits = (0..<3).map { _ in Answer<Wait.Reply>() }
            for wait in waits { request.send(Wait(), completion: wait.give) }
            let elsewhere = Answer<Wait.Reply>()
            second.send(Wait(), completion: elsewhere.give)
            // These are answered before the waits.
            #expect(try await request.call(Echo(text: "first")).text == "first")
            #expect(try await second.call(Ask()).text == "Who is it? Me.")
            try await second.call(Release())
            #expect(try await elsewhere.value.times == 1)
            try await request.call(Release())
            for wait in waits { #expect(try await wait.value.times == 3) }
            try await Self.end(host, request)
            try await Self.end(other, second)
        }
    }

    // spec: PC-16
    @Test("PC-16: a cancelled call, and a reader that leaves, replay clean")
    func cancelledCalls() async throws {
        let transcript = try await stage.replayBothWays(bundles, arguments: arguments) { daemon in
            let (host, request) = try await Self.begin(daemon)
            let call = Task { await Self.code { try await request.call(End(.hang)) } }
            try await Self.hasStarted("test.end", daemon)
            call.cancel()
            _ = await call.value
            for try await _ in request.parts(of: Count(upTo: 50)) { break }
            #expect(try await request.call(Echo(text: "after")).text == "after")
            try await Self.end(host, request)
        }
        #expect(transcript.packets.contains { $0.packet.kind == "cancelCall" && $0.packet.role == .extension })
    }

    // spec: PC-16
    @Test("PC-16: an expired call replays clean with the recorded clock")
    func expiredCalls() async throws {
        let transcript = try await stage.replayBothWays(bundles, clock: .virtual, arguments: arguments) { daemon in
            let (host, request) = try await Self.begin(daemon)
            let late = Task {
                await Self.code { try await request.call(End(.hang), limit: .seconds(30), grace: .seconds(2)) }
            }
            try await Self.hasStarted("test.end", daemon)
            try await daemon.clock.advance(by: .seconds(31))
            #expect(try await request.call(History()).expired == 1)
            try await daemon.clock.advance(by: .seconds(1))
            #expect(await late.value == .timedOut)
            #expect(try await request.call(History()).cancelled == 1)
            try await Self.end(host, request)
        }
        #expect(transcript.packets.contains { $0.packet.kind == "callExpires" })
    }

    // spec: PC-16
    @Test("PC-16: calls that the end of their request ends replay clean")
    func callsAtTheEndOfTheirRequest() async throws {
        try await stage.replayBothWays(bundles, arguments: arguments) { daemon in
            let (host, completed) = try await Self.begin(daemon)
            #expect(await Self.code { try await completed.call(End(.complete)) } == .contextFinished)
            _ = await completed.outcome
            let cancelled = try await host.begin(CallTests.caller, items: [])
            let call = Task { await Self.code { try await cancelled.call(End(.hang)) } }
            try await Self.hasStarted("test.end 2 by", daemon)
            #expect(try await cancelled.call(History()).hanging == 1)
            try await cancelled.cancel()
            #expect(await call.value == .contextFinished)
            let dead = try await host.begin(CallTests.caller, items: [])
            #expect(await Self.code { try await dead.call(End(.exit)) } == .interrupted)
            #expect(await dead.outcome.cause == .exitedEarly)
            withExtendedLifetime(host) {}
        }
    }

    // MARK: Today, notifications

    // spec: PC-16
    @Test("PC-16: a session of a Today widget replays clean")
    func aTodaySession() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "widget", program: SampleApplications.buildFolder + "/Widget", point: "com.apple.widget-extension",
            principalClass: "Widget.TodayViewController", rule: nil)
        let widget = "org.exthost.tests.widget"
        try await stage.replayBothWays(bundles, clock: .virtual) { daemon in
            let host = try await daemon.host("springboard")
            let today = TodayHost(host.application)
            #expect(try await today.update(widget).result == .newData)
            try await today.open(widget)
            let request = try #require(await today.request(widget))
            _ = await request.view { $0.first(.label)?.text == "live" }
            try await request.use(.tap("Expand"))
            try await eventually { await today.modes(widget).largest == .expanded }
            try await today.toggle(widget)
            #expect(await today.modes(widget).active == .expanded)
            try await today.close(widget)
            guard case .snapshot(let snapshot) = try await today.shown(widget) else {
                Issue.record("no picture")
                return
            }
            #expect(snapshot.height == 300)
            _ = await request.outcome
        }
    }

    // spec: PC-16
    @Test("PC-16: a session of a notification service replays clean")
    func aNotificationSession() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "service", program: SampleApplications.buildFolder + "/Notifier",
            point: "com.apple.usernotifications.service", principalClass: "Notifier.NotificationService")
        let service = "org.exthost.tests.service"
        @Sendable func payload(_ act: String) -> Data {
            Data(#"{"aps": {"alert": {"title": "Hello"}, "mutable-content": 1}, "act": "\#(act)"}"#.utf8)
        }
        try await stage.replayBothWays(bundles, clock: .virtual) { daemon in
            let host = NotificationHost(try await daemon.host("springboard").application)
            #expect(try await host.push(payload(""), to: service).shown?.title == "Hello [changed]")
            let late = Task { try await host.push(payload("hang"), to: service) }
            try await eventually {
                try await daemon.events().count { $0.event == EventName.callStarted.rawValue } == 2
            }
            try await daemon.clock.advance(by: .seconds(30))
            #expect(try await late.value.shown?.title == "in time")
            #expect(try await host.push(payload("drop"), to: service).reason == .handlerDropped)
            #expect(try await host.push(payload("exit"), to: service).reason == .ended(.exitedEarly))
        }
    }

    // MARK: Divergences

    private func plain() async throws -> Transcript {
        try await stage.record(bundles, arguments: arguments) { try await Self.plain($0) }
    }

    /// The host's side of a session with one call in each direction.
    private static func plain(
        _ daemon: TestDaemon, text: String = "a", answer: String = " Me.", asks: Bool = true, more: Bool = false
    ) async throws {
        let (host, request) = try await begin(daemon, answer: answer)
        try await request.call(Echo(text: text))
        if asks { try await request.call(Ask()) }
        if more { try await request.call(History()) }
        try await end(host, request)
    }

    @Test func aHostThatCallsOtherwiseDiverges() async throws {
        let transcript = try await plain()
        typealias Case = (path: String, words: String, hosts: ReplayStage.Hosts)
        let cases: [Case] = [
            ("payload.text", "call of request", { try await Self.plain($0, text: "b") }),
            ("payload.value.text", "called to call 1 of request", { try await Self.plain($0, answer: " You.") }),
            ("kind", "call of request", { try await Self.plain($0, more: true) }),
            (
                "name", "call of request",
                { daemon in
                    let (host, request) = try await Self.begin(daemon)
                    try await request.call(History())
                    try await Self.end(host, request)
                }
            ),
        ]
        for (path, words, hosts) in cases {
            let divergence = try #require(try await transcript.replayAsExtension(arguments: arguments, hosts))
            #expect(divergence.difference.path == path && divergence.packet.contains(words), "\(divergence)")
        }
        // The recorded extension waits for the call.
        let missing = try #require(
            try await transcript.replayAsExtension(arguments: arguments) { try await Self.plain($0, asks: false) })
        #expect(missing.difference.path == "kind" && missing.difference.expected == "call", "\(missing)")
    }

    @Test func anExtensionThatCallsOtherwiseDiverges() async throws {
        let transcript = try await plain()
        /// The recording with one message of the extension changed.
        func changed(
            _ kind: String, last: Bool = false, _ change: (inout RecordedPacket) -> Void
        ) throws -> Transcript {
            func isMeant(_ entry: TranscriptEntry) -> Bool {
                guard case .packet(let packet) = entry.content else { return false }
                return packet.role == .extension && !packet.isFromDaemon && packet.kind == kind
            }
            let index = try #require(
                last ? transcript.entries.lastIndex(where: isMeant) : transcript.entries.firstIndex(where: isMeant))
            var changed = transcript
            guard case .packet(var packet) = changed.entries[index].content else { throw CancellationError() }
            change(&packet)
            changed.entries[index].content = .packet(packet)
            return changed
        }
        let cases: [(path: String, expected: PropertyList, found: PropertyList, Transcript)] = [
            (
                "payload.value.text", "b", "a",
                try changed("called") { $0.payload = ["value": ["text": "b"]] }
            ),
            ("name", "test.other", "test.question", try changed("call") { $0.body["name"] = "test.other" }),
            ("kind", "error", "called", try changed("called", last: true) { $0.kind = "error" }),
        ]
        for (path, expected, found, recording) in cases {
            let divergence = try #require(
                try await recording.replayAsHost(applications: [bundles.path], arguments: arguments))
            #expect(divergence.difference == PropertyListDifference(path: path, expected: expected, found: found))
        }
        // A call that the recording has once more.
        var missing = transcript
        let place = try #require(
            missing.entries.lastIndex {
                guard case .packet(let packet) = $0.content else { return false }
                return packet.role == .extension && !packet.isFromDaemon && packet.kind == "call"
            })
        missing.entries.insert(missing.entries[place], at: place)
        let divergence = try #require(
            try await missing.replayAsHost(
                applications: [bundles.path], patience: .seconds(15), arguments: arguments))
        #expect(
            divergence.difference == PropertyListDifference(path: "kind", expected: "call", found: nil), "\(divergence)"
        )
        #expect(divergence.packet.contains("call of request"))
    }
}

/// The answer to a call that was sent without waiting.
private final class Answer<Value: Sendable>: Sendable {
    private let stream: AsyncThrowingStream<Value, any Error>
    private let continuation: AsyncThrowingStream<Value, any Error>.Continuation

    init() { (stream, continuation) = AsyncThrowingStream.makeStream() }

    @Sendable func give(_ answer: Result<Value, any Error>) { continuation.yield(with: answer) }

    var value: Value {
        get async throws {
            for try await value in stream { return value }
            throw CancellationError()
        }
    }
}
