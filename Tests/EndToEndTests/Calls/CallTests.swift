// CallTests: calls between the two sides of a request, with real processes (spec PC-1 to PC-18).

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import ExtensionPointKit
import Locks
import Testing

@Suite struct CallTests {
    static let point = "org.exthost.tests.calls"
    static let caller = "org.exthost.tests.caller"
    private static let accepted = [
        Echo.name, End.name, Count.name, Ask.name, Duplicate.name, History.name, Wait.name, Release.name, Facts.name,
        Speak.name, Lend.name, Present.name, Attend.name, "stream.entries",
    ]

    /// The file of the extension point.
    static func pointFile(
        framework: String = "Caller", timers: [String: String] = [:], more: String = ""
    ) -> String {
        let timers = timers.map { "<key>\($0)</key><string>\($1)</string>" }.joined()
        let accepts = accepted.map { "<string>\($0)</string>" }.joined()
        return """
            <plist><dict><key>Identifier</key><string>\(point)</string><key>Interface</key><false/>
            <key>Accepts</key><array>\(accepts)</array><key>Sends</key><array><string>\(Question.name)</string>
            <string>stream.entries</string></array>
            <key>Framework</key><string>\(framework)</string>
            <key>Timers</key><dict><key>request</key><string>off</string>\(timers)</dict>\(more)</dict></plist>
            """
    }

    /// The caller, and beside its app the folder `points` with its extension point.
    static func bundles(point text: String = pointFile()) throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.add(
            "caller", program: SampleApplications.buildFolder + "/Caller", point: point, principalClass: "Caller.Caller"
        )
        try FileManager.default.createDirectory(atPath: bundles.path + "/points", withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: bundles.path + "/points/calls.plist"))
        return bundles
    }

    static func withCaller(
        point text: String = pointFile(), clock: TestDaemon.ClockKind = .real, arguments: [String] = [],
        onOutput: (@Sendable ([UInt8]) -> Void)? = nil, _ body: (TestDaemon, FakeHost) async throws -> Void
    ) async throws {
        let bundles = try bundles(point: text)
        try await withTestDaemon(
            applications: [bundles.path], clock: clock,
            arguments: ["--extension-points", bundles.path + "/points"] + arguments
        ) { daemon in
            try await body(daemon, try await daemon.host("notes", onOutput: onOutput))
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

    // spec: PC-14
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

    // spec: PC-14
    @Test("PC-14: a lent file is a copy in the temporary folder until its call, or its request, ends")
    func aLentFileIsACopy() async throws {
        try await Self.withCaller { daemon, host in
            let request = try await host.begin(Self.caller, items: [])
            let path = NSTemporaryDirectory() + "exthost-tests-\(UUID().uuidString)"
            try Data("original".utf8).write(to: URL(fileURLWithPath: path))
            defer { try? FileManager.default.removeItem(atPath: path) }
            let file = try PointFile(readingAt: path)
            // The name is the host's, and stays one component of a path.
            let first = try await request.call(Lend(file, named: "../a/b.txt"))
            #expect(first.contents == "original" && first.path.hasSuffix("/_a_b.txt"), "\(first)")
            #expect(first.present == [first.path] && !first.path.hasPrefix(path))
            let failed = await thrown { try await request.call(Lend(file, named: "b", fails: true)) } as NSError?
            let second = try #require(failed?.domain)
            let kept = try await request.call(Lend(file, named: "c", stays: true))
            let last = try await request.call(Lend(file, named: "d"))
            // The copies of the first two calls are gone, and their author has changed none but his own.
            #expect(last.present == [kept.path, last.path] && last.contents == "original", "\(second) \(last)")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "original")
            // The process goes on after the request, without the request's files.
            let pid = try await request.delivered()
            try await request.cancel()
            let next = try await host.begin(Self.caller, items: [])
            #expect(try await next.delivered() == pid)
            try await eventually { try await next.call(Present(kept.path)).isThere == false }
        }
    }

    // spec: PC-3, PC-24
    @Test("PC-3, PC-24: the author's code runs on the request's queue, and has the point's own context")
    func theAuthorsCodeHasItsQueueAndContext() async throws {
        try await Self.withCaller { _, host in
            for _ in 0..<2 {
                let facts = try await host.begin(Self.caller, items: []).call(Facts())
                #expect(facts.queue == "org.exthost.request" && facts.isQueueOfBegin && !facts.isMainThread, "\(facts)")
                #expect(facts.context == "CallerContext" && facts.isContextOfBegin, "\(facts)")
            }
        }
    }

    // spec: PC-11, PC-12
    @Test("PC-11, PC-12: an unwritten method is named in the log, and either form of a method counts")
    func theFormsOfAMethod() async throws {
        let output = Output()
        try await Self.withCaller(onOutput: output.add) { _, host in
            let request = try await host.begin(Self.caller, items: [])
            #expect(try await request.call(Speak(.handler)) == Speak.Reply("by handler", remark: "a remark"))
            #expect(try await request.call(Speak(.async)) == Speak.Reply("by async", remark: nil))
            #expect(try await request.call(Speak(.both)) == Speak.Reply("by handler", remark: nil))
            let failure = await thrown { try await request.call(Speak(.async, fails: true)) } as NSError?
            #expect(failure?.domain == "CallerError" && failure?.code == 8)
            let neither = await thrown { try await request.call(Speak(.neither)) } as? ExtensionHostError
            #expect(neither?.code == .notImplemented, "\(neither as Any)")
            #expect(neither?.message.contains("WithNeither.speak(completionHandler:)") == true)
            try await host.application.fence()
        }
        let lines = output.text.split(separator: "\n").filter { $0.contains("has not written") }
        // Each once, and none of a method that is written in its other form.
        #expect(
            lines == [
                "exthost: Caller has not written remark()", "exthost: Caller has not written speak(completionHandler:)",
            ], "\(output.text)")
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
            // More than 8 at once are refused; the extension's code gets the error, and with it the call. The reader
            // confirms none before that.
            var reader = request.parts(of: Count(upTo: 100, atOnce: true)).makeAsyncIterator()
            _ = try await reader.next()
            try await eventually { try await request.call(History()).refused > 0 }
            #expect(await code { while try await reader.next() != nil {} } == .quotaExceeded)
        }
    }

    private final class Tally: Sendable {
        private let sum = Mutex(0)
        var count: Int { sum.withLock { $0 } }
        func add() { sum.withLock { $0 += 1 } }
    }

    // spec: PC-6
    @Test func soManyCallsAreOpen() async throws {
        try await Self.withCaller { daemon, host in
            let request = try await host.begin(Self.caller, items: [])
            let refused = Tally()
            let calls = (0..<70).map { _ in
                Task {
                    let code = await code { try await request.call(End(.hang)) }
                    if code == .quotaExceeded { refused.add() }
                    return code
                }
            }
            try await eventually {
                let started = try await daemon.events().count { $0.event == EventName.callStarted.rawValue }
                return started == 64 && refused.count == 6
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
