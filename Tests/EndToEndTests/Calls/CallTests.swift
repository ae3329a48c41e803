// CallTests: calls between the two sides of a request, with real processes (spec PC-1 to PC-18).

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import ExtensionPointKit
import Testing

@Suite struct CallTests {
    static let point = "org.exthost.tests.calls"
    static let caller = "org.exthost.tests.caller"
    private static let accepted = [
        Echo.name, End.name, Count.name, Ask.name, Duplicate.name, History.name, Wait.name, Release.name,
    ]

    /// The file of the extension point.
    static func pointFile(framework: String = "Caller", more: String = "") -> String {
        let accepts = accepted.map { "<string>\($0)</string>" }.joined()
        return """
            <plist><dict><key>Identifier</key><string>\(point)</string><key>Interface</key><false/>
            <key>Accepts</key><array>\(accepts)</array><key>Sends</key><array><string>\(Question.name)</string></array>
            <key>Framework</key><string>\(framework)</string>
            <key>Timers</key><dict><key>request</key><string>off</string></dict>\(more)</dict></plist>
            """
    }

    static func withCaller(
        point text: String = pointFile(), clock: TestDaemon.ClockKind = .real, arguments: [String] = [],
        _ body: (TestDaemon, FakeHost) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "caller", program: SampleApplications.buildFolder + "/Caller", point: point, principalClass: "Caller.Caller"
        )
        let file = bundles.path + "/calls.plist"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.createDirectory(atPath: bundles.path + "/points", withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: file, toPath: bundles.path + "/points/calls.plist")
        try await withTestDaemon(
            applications: [bundles.path], clock: clock,
            arguments: ["--extension-points", bundles.path + "/points"] + arguments
        ) { daemon in
            try await body(daemon, try await daemon.host("notes"))
        }
    }

    private func thrown(_ body: () async throws -> some Any) async -> (any Error)? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    private func code(_ body: () async throws -> some Any) async -> ExtensionHostError.Code? {
        (await thrown(body) as? ExtensionHostError)?.code
    }

    // spec: PC-1, PC-13
    @Test func aCallReturnsAValueOrTheAuthorsError() async throws {
        try await Self.withCaller { _, host in
            let request = try await host.begin(Self.caller, items: [])
            let echo = Echo(text: "hällo", number: -7, bytes: [0, 255], list: ["a": [1, 2.5]])
            #expect(try await request.call(echo) == Echo.Reply(echo))
            #expect(try await request.call(Echo(text: "")) == Echo.Reply(Echo(text: "")))
            let failure = try #require(await thrown { try await request.call(End(.fail)) } as NSError?)
            // Domain, code, description, and what travels of userInfo.
            #expect(failure.domain == "CallerError" && failure.code == 7 && failure.localizedDescription == "No luck")
            #expect(failure.userInfo["n"] as? Int == 3)
        }
    }

    // spec: PC-2
    @Test func callsBeginInTheOrderInWhichTheyWereSent() async throws {
        try await Self.withCaller { _, host in
            let request = try await host.begin(Self.caller, items: [])
            let texts = (0..<60).map { "\($0)" }
            try await withThrowingTaskGroup { group in
                for text in texts {
                    let (stream, answers) = AsyncThrowingStream<String, any Error>.makeStream()
                    request.send(Echo(text: text)) { answers.yield(with: $0.map(\.text)) }
                    group.addTask { try await stream.first { _ in true } }
                }
                try await group.waitForAll()
            }
            #expect(try await request.call(History()).texts == texts)
        }
    }

    // spec: PC-4, PC-5
    @Test func aHandlerThatIsDroppedOrCalledTwiceIsNamed() async throws {
        try await Self.withCaller { daemon, host in
            let request = try await host.begin(Self.caller, items: [])
            let dropped = await thrown { try await request.call(End(.drop)) } as? ExtensionHostError
            #expect(dropped?.code == .handlerDropped && dropped?.message.contains("Caller.drop") == true)
            _ = try await request.call(End(.twice))
            try await daemon.event { $0.detail?.contains("E_HANDLER_TWICE") == true }
            let faults = try await daemon.events().filter { $0.event == EventName.contextFault.rawValue }
            try #require(faults.count == 2)
            #expect(faults[0].detail?.contains("Caller.drop") == true)
            #expect(faults[1].detail?.contains("E_HANDLER_TWICE") == true)
        }
    }

    // spec: PC-6
    @Test func aCallThatIsLateIsToldAndThenGivenUp() async throws {
        try await Self.withCaller(clock: .virtual) { daemon, host in
            let request = try await host.begin(Self.caller, items: [])
            let late = Task {
                await code { try await request.call(End(.hang), limit: .seconds(30), grace: .seconds(2)) }
            }
            try await daemon.event { $0.event == EventName.callStarted.rawValue }
            try await daemon.clock.advance(by: .milliseconds(29_900))
            #expect(try await request.call(History()).expired == 0)
            try await daemon.clock.advance(by: .milliseconds(200))
            #expect(try await request.call(History()).expired == 1)
            try await daemon.clock.advance(by: .milliseconds(1_800))
            #expect(try await request.call(History()).cancelled == 0)
            try await daemon.clock.advance(by: .milliseconds(200))
            #expect(await late.value == .timedOut)
            #expect(try await request.call(History()).cancelled == 1)
        }
    }

    // spec: PC-6
    @Test(arguments: [("", 30), ("<key>CallLimits</key><dict><key>test.end</key><string>4s</string></dict>", 4)])
    func theLimitIsThatOfTheCallOrElseOfThePoint(more: String, seconds: Int) async throws {
        try await Self.withCaller(point: Self.pointFile(more: more), clock: .virtual) { daemon, host in
            let request = try await host.begin(Self.caller, items: [])
            let late = Task { await code { try await request.call(End(.hang)) } }
            try await daemon.event { $0.event == EventName.callStarted.rawValue }
            try await daemon.clock.advance(by: .seconds(seconds) - .milliseconds(100))
            #expect(try await daemon.events().allSatisfy { $0.event != EventName.callFinished.rawValue })
            try await daemon.clock.advance(by: .milliseconds(100))
            #expect(await late.value == .timedOut)
        }
    }

    // spec: PC-7
    @Test func aCancelledCallIsCancelledAtTheOtherSide() async throws {
        try await Self.withCaller { daemon, host in
            let request = try await host.begin(Self.caller, items: [])
            let call = Task { await thrown { try await request.call(End(.hang)) } as NSError? }
            try await daemon.event { $0.event == EventName.callStarted.rawValue }
            call.cancel()
            let error = try #require(await call.value)
            #expect(error.domain == NSCocoaErrorDomain && error.code == CocoaError.userCancelled.rawValue)
            try await eventually { try await request.call(History()).cancelled == 1 }
        }
    }

    // spec: PC-8
    @Test func theEndOfARequestEndsItsCalls() async throws {
        try await Self.withCaller { _, host in
            let completed = try await host.begin(Self.caller, items: [])
            #expect(await code { try await completed.call(End(.complete)) } == .contextFinished)
            #expect(await completed.outcome.kind == .completed)
            let cancelled = try await host.begin(Self.caller, items: [])
            let call = Task { await code { try await cancelled.call(End(.hang)) } }
            try await eventually { try await cancelled.call(History()).hanging == 1 }
            try await cancelled.cancel()
            #expect(await call.value == .contextFinished)
            let dead = try await host.begin(Self.caller, items: [])
            #expect(await code { try await dead.call(End(.exit)) } == .interrupted)
            #expect(await dead.outcome.cause == .exitedEarly)
            // And afterwards there is nothing to call.
            let late = await code { try await dead.call(Echo(text: "late")) }
            #expect(late == .noSuchRequest)
        }
    }

    // spec: PC-8
    @Test func theEndOfTheHostEndsTheExtensionsCalls() async throws {
        try await Self.withCaller { daemon, host in
            var handlers = PointHandlers()
            handlers.on(Question.self) { _, call in
                await withCheckedContinuation { done in call.whenCancelled { done.resume() } }
                return Echo.Reply(Echo(text: "cancelled"))
            }
            let request = try await host.begin(Self.caller, items: [], handling: handlers)
            let call = Task { await thrown { try await request.call(Ask()) } }
            try await daemon.event { $0.detail?.hasPrefix("test.question") == true }
            host.disconnect()
            #expect(await call.value != nil)
            let end = try await daemon.event {
                $0.event == EventName.callFinished.rawValue && $0.detail?.hasPrefix("test.question") == true
            }
            #expect(end.detail?.contains("failed") == true)
        }
    }

    // spec: PC-9
    @Test func onlyTheNamesOfThePointTravel() async throws {
        try await Self.withCaller { daemon, host in
            let request = try await host.begin(Self.caller, items: [])
            #expect(await code { try await request.call(Unlisted()) } == .notPermitted)
            // The host's refusal leaves the request as it is; an extension that does so breaks the protocol.
            #expect(try await request.call(Echo(text: "on")).text == "on")
            _ = await thrown { try await request.call(Ask(name: Unlisted.name)) }
            #expect(await request.outcome.cause == .protocolViolation)
            try await eventually { try await daemon.control.exits().first?.exit.cause == .protocolViolation }
        }
    }

    // spec: PC-26
    // not simulated: N-020
    @Test func whatIsNotLinkedIsNamed() async throws {
        try await Self.withCaller(point: Self.pointFile(framework: "Weather")) { _, host in
            let request = try await host.begin(Self.caller, items: [])
            let missing = await thrown { try await request.call(Echo(text: "")) } as? ExtensionHostError
            #expect(missing?.code == .frameworkMissing && missing?.message.contains("Weather") == true)
        }
    }

    // spec: PC-1
    @Test func anExtensionCallsItsHost() async throws {
        try await Self.withCaller { _, host in
            var handlers = PointHandlers()
            handlers.on(Question.self) { question, _ in Echo.Reply(Echo(text: question.text + " Me.")) }
            let request = try await host.begin(Self.caller, items: [], handling: handlers)
            #expect(try await request.call(Ask()).text == "Who is it? Me.")
            let deaf = try await host.begin(Self.caller, items: [])
            let error = await thrown { try await deaf.call(Ask()) } as? ExtensionHostError
            #expect(error?.code == .notImplemented && error?.message.contains(Question.name) == true)
        }
    }

    @Test func filesTravelOpen() async throws {
        try await Self.withCaller { daemon, host in
            let request = try await host.begin(Self.caller, items: [])
            let path = NSTemporaryDirectory() + "exthost-tests-\(UUID().uuidString)"
            try Data("twice ".utf8).write(to: URL(fileURLWithPath: path))
            defer { try? FileManager.default.removeItem(atPath: path) }
            let reply = try await request.call(Duplicate(try PointFile(readingAt: path)))
            let file = FileHandle(fileDescriptor: reply.file.descriptor.raw, closeOnDealloc: false)
            #expect(try file.readToEnd() == Data("twice twice ".utf8))
        }
    }

    @Test func partsComeInTheirOrderAndAheadOfTheReply() async throws {
        try await Self.withCaller { _, host in
            let request = try await host.begin(Self.caller, items: [])
            var numbers: [Int] = []
            for try await part in request.parts(of: Count(upTo: 100)) { numbers.append(part.number) }
            #expect(numbers == Array(1...100))
            #expect(try await request.call(Echo(text: "after")).text == "after")
            // A reader that leaves confirms what it has not read, and ends the call.
            for _ in 0..<9 { for try await _ in request.parts(of: Count(upTo: 50)) { break } }
            numbers = []
            for try await part in request.parts(of: Count(upTo: 20)) { numbers.append(part.number) }
            #expect(numbers == Array(1...20))
            // More than 8 at once are refused; the extension's code gets the error, and with it the call.
            #expect(
                await code { for try await _ in request.parts(of: Count(upTo: 100, atOnce: true)) {} } == .quotaExceeded
            )
        }
    }

    // spec: PC-6
    @Test func soManyCallsAreOpen() async throws {
        try await Self.withCaller { daemon, host in
            let request = try await host.begin(Self.caller, items: [])
            let calls = (0..<70).map { _ in Task { await code { try await request.call(End(.hang)) } } }
            try await eventually {
                try await daemon.events().filter { $0.event == EventName.callStarted.rawValue }.count == 64
            }
            try await request.cancel()
            var codes: [ExtensionHostError.Code: Int] = [:]
            for call in calls { codes[try #require(await call.value), default: 0] += 1 }
            #expect(codes == [.contextFinished: 64, .quotaExceeded: 6])
        }
    }

    // spec: PC-16
    @Test func theLogHasTheNameAndNeverTheContents() async throws {
        try await Self.withCaller { daemon, host in
            let request = try await host.begin(Self.caller, items: [])
            _ = try await request.call(Echo(text: "a secret"))
            let events = try await daemon.events().filter { $0.event.hasPrefix("call.") }
            #expect(events.map(\.event) == ["call.started", "call.finished"])
            #expect(events.map(\.request) == [request.identifier, request.identifier])
            #expect(events.allSatisfy { $0.detail?.hasPrefix("test.echo 1") == true })
            #expect(events.allSatisfy { $0.detail?.contains("secret") == false })
        }
    }

    // spec: PC-17
    @Test func aSuspendedExtensionsCallsStandStill() async throws {
        try await Self.withCaller(clock: .virtual) { daemon, host in
            let request = try await host.begin(Self.caller, items: [])
            let late = Task { await code { try await request.call(End(.hang), limit: .seconds(20)) } }
            try await daemon.event { $0.event == EventName.callStarted.rawValue }
            try await host.setState(.background)
            try await daemon.clock.advance(by: .seconds(5))
            try await daemon.event { $0.event == EventName.processSuspended.rawValue }
            try await daemon.clock.advance(by: .seconds(60))
            #expect(try await daemon.events().allSatisfy { $0.event != EventName.callFinished.rawValue })
            try await host.setState(.active)
            try await daemon.clock.advance(by: .seconds(16))
            #expect(await late.value == .timedOut)
        }
    }
}
