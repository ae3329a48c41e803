// CallLimitTests: the documented bounds of calls, the message at each, and that calls go on when the answers come.

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Glibc
import Locks
import Testing

@Suite struct CallLimitTests {
    private static let keeper = "org.exthost.tests.keeper"

    /// An extension that reads calls and answers those of the name `test.wait` when its host becomes inactive. Asked to
    /// count, it calls its host so often and once more, and completes with the error of the last call.
    private static let script = """
        #!/usr/bin/env python3
        import exthost

        kept = []


        def begin(context):
            context.on_call = lambda call: perform(context, call)
            context.on_announcement = lambda _: release()


        def release():
            while kept:
                kept.pop().answer({"times": 1})


        def perform(context, call):
            if call.name == "test.wait":
                kept.append(call)
            elif call.name == "test.count":
                count(context, call.arguments["upTo"], not call.arguments["atOnce"])
            else:
                call.answer({"text": call.arguments["text"]})


        def count(context, left, cancels):
            def refused(_, failure):
                if "limit" in str(failure):
                    context.complete([exthost.item({"failure": str(failure)})])

            def proceed(*_):
                nonlocal left
                for _ in range(min(left, 8)):
                    context.call("test.question", {"text": "keep"}, refused)
                    if cancels:
                        number = {"request": context.request, "number": context.calls}
                        context.extension.connection.send(exthost.CANCEL_CALL, number)
                left -= min(left, 8)
                if left > 0:
                    context.call("test.question", {"text": "on"}, proceed)
                else:
                    context.call("test.question", {"text": "one too many"}, refused)

            proceed()


        exthost.run(begin)
        """

    private static func withKeeper(_ body: (TestDaemon, FakeHost) async throws -> Void) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "keeper", script: script,
            beside: ["exthost.py": try TestBundles.source("Sources/Samples/Python/exthost.py")],
            point: CallTests.point)
        let points = bundles.path + "/points"
        try FileManager.default.createDirectory(atPath: points, withIntermediateDirectories: true)
        try Data(CallTests.pointFile().utf8).write(to: URL(fileURLWithPath: points + "/calls.plist"))
        try await withTestDaemon(
            applications: [bundles.path],
            arguments: ["--extension-points", points, "--timer", "call=1h", "--timer", "unresponsive=24h"]
        ) { daemon in
            try await body(daemon, try await daemon.host("notes"))
        }
    }

    /// Makes calls that stay without an answer, and cancels them.
    private static func giveUp(_ count: Int, of request: ExtensionRequest) async throws {
        for number in 1...count {
            request.send(Wait())()
            // The extension has read all calls before this one, so that none waits for it.
            if number % 8 == 0 || number == count { try await request.call(Echo(text: "on")) }
        }
    }

    private static func refusal(of request: ExtensionRequest) async -> String? {
        do {
            try await request.call(Echo(text: "one too many"))
            return nil
        } catch {
            let error = error as? ExtensionHostError
            #expect(error?.code == .quotaExceeded && error?.remedy?.isEmpty == false, "\(error as Any)")
            return error?.message
        }
    }

    // spec: PC-1
    @Test("PC-1: 64 calls of a request can be open")
    func openCalls() async throws {
        try await Self.withKeeper { _, host in
            let request = try await host.begin(Self.keeper, items: [])
            var waits: [Task<Int, any Error>] = []
            for number in 1...64 {
                let (stream, answers) = AsyncThrowingStream<Wait.Reply, any Error>.makeStream()
                request.send(Wait()) { answers.yield(with: $0) }
                waits.append(Task { try await stream.first { _ in true }?.times ?? 0 })
                if number % 8 == 0, number < 64 { try await request.call(Echo(text: "on")) }
            }
            #expect(await Self.refusal(of: request) == "the request has 64 calls open, which is the limit")
            // Another request of the host has calls of its own.
            let other = try await host.begin(Self.keeper, items: [])
            #expect(try await other.call(Echo(text: "on")).text == "on")
            try await host.setState(.inactive)
            for wait in waits { #expect(try await wait.value == 1) }
            #expect(try await request.call(Echo(text: "on")).text == "on")
        }
    }

    // spec: PC-1, PC-7
    @Test("PC-7: 256 cancelled calls of a request can be without an answer")
    func unansweredCalls() async throws {
        try await Self.withKeeper { _, host in
            let request = try await host.begin(Self.keeper, items: [])
            try await Self.giveUp(255, of: request)
            request.send(Wait())()
            #expect(
                await Self.refusal(of: request)
                    == "256 calls of the request have no answer, most of them cancelled, which is the limit")
            try await host.setState(.inactive)
            try await eventually { (try? await request.call(Echo(text: "on")).text) == "on" }
        }
    }

    // spec: PC-1, PC-7
    @Test("PC-7: a process can leave 256 calls without an answer, also of ended requests")
    func unansweredCallsOfAProcess() async throws {
        try await Self.withKeeper { _, host in
            let first = try await host.begin(Self.keeper, items: [])
            try await Self.giveUp(200, of: first)
            let second = try await host.begin(Self.keeper, items: [])
            try await Self.giveUp(55, of: second)
            second.send(Wait())()
            let message =
                "the other side has not answered 256 calls, also of other and ended requests, which is the limit"
            #expect(await Self.refusal(of: second) == message)
            try await first.cancel()
            #expect(await first.outcome.cause == .cancelledByHost)
            #expect(await Self.refusal(of: second) == message)
            try await host.setState(.inactive)
            try await eventually { (try? await second.call(Echo(text: "on")).text) == "on" }
        }
    }

    // spec: PC-1
    @Test("PC-1: 32 packets wait for a callee that does not read")
    func packetsAhead() async throws {
        try await Self.withKeeper { _, host in
            let request = try await host.begin(Self.keeper, items: [])
            let pid = pid_t(try #require(request.processIdentifier))
            try #require(kill(pid, SIGSTOP) == 0)
            try await eventually { isStopped(pid) }
            // The callee's window takes 17 of these.
            let echo = Echo(text: String(repeating: "a", count: 30_000))
            let (answers, continuation) = AsyncStream<Result<Echo.Reply, any Error>>.makeStream()
            for _ in 0..<64 { request.send(echo) { continuation.yield($0) } }
            // The daemon has refused what it refuses before the extension goes on.
            try await host.application.fence()
            kill(pid, SIGCONT)
            var messages: [String] = []
            for await answer in answers.prefix(64) {
                do {
                    #expect(try answer.get() == Echo.Reply(echo))
                } catch {
                    messages.append((error as? ExtensionHostError)?.message ?? "\(error)")
                }
            }
            #expect(Set(messages) == ["32 packets wait for the other side, which is the limit"], "\(messages)")
            #expect((1...32).contains(messages.count), "\(messages.count)")
            #expect(try await request.call(Echo(text: "on")).text == "on")
        }
    }

    // spec: PC-1
    @Test(
        "PC-1: an extension's calls have the same bounds",
        arguments: [
            (64, true, "the request has 64 calls open, which is the limit"),
            (256, false, "256 calls of the request have no answer, most of them cancelled, which is the limit"),
        ])
    func callsOfAnExtension(count: Int, staysOpen: Bool, message: String) async throws {
        try await Self.withKeeper { _, host in
            let gate = Gate()
            var handlers = PointHandlers()
            handlers.on(Question.self) { question, _ in
                if question.text == "keep" { await gate.wait() }
                return Echo.Reply(Echo(text: question.text))
            }
            let request = try await host.begin(Self.keeper, items: [], handling: handlers)
            request.send(Count(upTo: count, atOnce: staysOpen))
            let failure = try items(of: await request.outcome).first?.userInfo?["failure"] as? String
            #expect(failure == message)
            gate.open()
        }
    }
}

/// Closed until it is opened. A cancelled task waits on.
private final class Gate: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]?>([])

    func wait() async {
        await withCheckedContinuation { done in
            let isOpen = waiting.withLock { waiting in
                waiting?.append(done)
                return waiting == nil
            }
            if isOpen { done.resume() }
        }
    }

    func open() {
        let done = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for each in done { each.resume() }
    }
}
