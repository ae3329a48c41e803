// FaultsAtCallsTests: a fault at a call, or at its answer, ends the call and its request once, in both directions.

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Testing

@Suite struct FaultsAtCallsTests {
    /// The consequence of a fault for a call of the host, and for its request without a time limit.
    struct Consequence: Sendable, CustomTestStringConvertible {
        let kind: FaultKind
        let point: FaultPoint
        var sent = false
        /// Seconds that a connection is slow.
        var delay = 1.0
        /// The call's error; nil: it is answered.
        var code: ExtensionHostError.Code?
        /// The request's cause; nil: it goes on.
        var cause: Cause?

        var testDescription: String {
            "\(kind.rawValue) at \(point.rawValue)\(sent ? ", sent" : "")\(delay == 1 ? "" : " for \(delay) s")"
        }
    }

    private static let ofHostsCalls = [
        Consequence(kind: .kill, point: .call, code: .interrupted, cause: .crashed),
        Consequence(kind: .crash, point: .called, cause: .crashed),
        Consequence(kind: .exit, point: .call, code: .interrupted, cause: .exitedEarly),
        Consequence(kind: .stop, point: .call, code: .timedOut),
        Consequence(kind: .stop, point: .called),
        Consequence(kind: .slow, point: .call, delay: 20),
        Consequence(kind: .slow, point: .call, sent: true, delay: 20),
        Consequence(kind: .slow, point: .call, delay: 40, code: .timedOut),
        Consequence(kind: .truncate, point: .call, code: .interrupted, cause: .protocolViolation),
        // The answer itself, which then comes a second time.
        Consequence(kind: .duplicate, point: .call, cause: .protocolViolation),
        Consequence(kind: .garbage, point: .call, code: .interrupted, cause: .protocolViolation),
        Consequence(kind: .garbage, point: .called, cause: .protocolViolation),
        Consequence(kind: .truncate, point: .call, sent: true, code: .interrupted, cause: .exitedEarly),
        Consequence(kind: .duplicate, point: .call, sent: true, code: .interrupted, cause: .exitedEarly),
        Consequence(kind: .cut, point: .call),
        Consequence(kind: .cut, point: .called),
        Consequence(kind: .closeSocket, point: .call, code: .interrupted, cause: .protocolViolation),
        Consequence(kind: .hostCancel, point: .call, code: .contextFinished, cause: .cancelledByHost),
        Consequence(kind: .hostGone, point: .call, code: .connectionLost, cause: .connectionLost),
        Consequence(kind: .operatorKill, point: .called, cause: .terminatedByOperator),
    ]

    @Test("PC-8: a fault at a call of the host has its consequence and no other", arguments: ofHostsCalls)
    func atAHostsCall(_ expected: Consequence) async throws {
        try await Self.inject(expected, after: 0) { try await $0.call(Echo(text: "a")).text == "a" }
    }

    /// The extension makes its call within one of the host's, whose error is `code`.
    private static let ofExtensionsCalls = [
        Consequence(kind: .kill, point: .call, code: .interrupted, cause: .crashed),
        Consequence(kind: .kill, point: .called, code: .interrupted, cause: .crashed),
        Consequence(kind: .exit, point: .called, code: .interrupted, cause: .exitedEarly),
        Consequence(kind: .stop, point: .called, code: .timedOut),
        Consequence(kind: .slow, point: .called, sent: true, delay: 20),
        Consequence(kind: .slow, point: .called, delay: 40, code: .timedOut),
        Consequence(kind: .truncate, point: .call, code: .interrupted, cause: .protocolViolation),
        Consequence(kind: .duplicate, point: .called, sent: true, code: .interrupted, cause: .exitedEarly),
        Consequence(kind: .cut, point: .call),
        Consequence(kind: .cut, point: .called),
        Consequence(kind: .hostCancel, point: .call, code: .contextFinished, cause: .cancelledByHost),
    ]

    @Test("PC-8: a fault at a call of the extension has its consequence and no other", arguments: ofExtensionsCalls)
    func atAnExtensionsCall(_ expected: Consequence) async throws {
        // The host's own call passes the point `call` first; the answers come in the opposite order.
        try await Self.inject(expected, after: expected.point == .call ? 1 : 0) {
            try await $0.call(Ask()).text == "Who is it?"
        }
    }

    private static func inject(
        _ expected: Consequence, after: Int,
        _ call: @escaping @Sendable (ExtensionRequest) async throws -> Bool
    ) async throws {
        try await CallTests.withCaller(clock: .virtual) { daemon, other in
            try await daemon.faults.add(
                expected.kind, at: expected.point, of: CallTests.caller, after: after,
                delay: .seconds(expected.delay), sent: expected.sent)
            let host = try await daemon.host("calling", comesBack: false)
            var handlers = PointHandlers()
            handlers.on(Question.self) { question, _ in Echo.Reply(Echo(text: question.text)) }
            let request = try await host.begin(CallTests.caller, items: [], handling: handlers)
            let answer = Task { () async -> ExtensionHostError.Code? in
                do {
                    let isRight = try await call(request)
                    #expect(isRight)
                    return nil
                } catch {
                    return (error as? ExtensionHostError)?.code ?? .internalError
                }
            }
            try await daemon.event { $0.event == EventName.faultInjected.rawValue }
            let hosts = expected.kind == .hostGone ? [other] : [host, other]
            // The call's time limit, and the end of a process that is gone.
            try await pass(45, daemon, hosts)
            #expect(await answer.value == expected.code)
            if expected.cause == nil { try await request.cancel() }
            #expect(await request.outcome.cause == expected.cause ?? .cancelledByHost)
            try await pass(15, daemon, hosts)
            // Nothing is left of it, and the point serves the next host.
            #expect(try await daemon.control.requests().isEmpty)
            #expect(try await daemon.control.processes().isEmpty)
            let next = try await other.begin(CallTests.caller, items: [])
            #expect(try await next.call(Echo(text: "on")).text == "on")
            let injected = try await daemon.events().filter { $0.event == EventName.faultInjected.rawValue }
            try #require(injected.count == 1)
            #expect(injected[0].detail?.hasPrefix("\(expected.kind.rawValue) at \(expected.point.rawValue)") == true)
        }
    }

    /// Second by second: what an instant causes has happened before the next one.
    private static func pass(_ seconds: Int, _ daemon: TestDaemon, _ hosts: [FakeHost]) async throws {
        for _ in 0..<seconds {
            for host in hosts { try await host.application.fence() }
            try await daemon.settle()
            try await daemon.clock.advance(by: .seconds(1))
        }
    }
}
