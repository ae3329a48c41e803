// CallEndTests: whatever ends a request while calls of both sides are open, each call and the request end once.

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Glibc
import Testing

@Suite struct CallEndTests {
    enum End: String, Sendable, CaseIterable {
        case killed, crashed, hostCancels, hostLeaves, hostCrashes, operatorKills, operatorCancels

        var cause: Cause {
            switch self {
            case .killed, .crashed: .crashed
            case .hostCancels: .cancelledByHost
            case .hostLeaves, .hostCrashes: .connectionLost
            case .operatorKills: .terminatedByOperator
            case .operatorCancels: .cancelledByOperator
            }
        }

        /// The errors of the host's calls.
        var codes: Set<ExtensionHostError.Code> {
            switch self {
            case .killed, .crashed, .operatorKills: [.interrupted]
            case .hostCancels, .operatorCancels: [.contextFinished]
            case .hostLeaves, .hostCrashes: [.connectionLost]
            }
        }
    }

    // spec: PC-8
    @Test("PC-8: each open call ends once, whatever ends its request", arguments: End.allCases)
    func openCallsEndOnce(_ end: End) async throws {
        try await CallTests.withCaller { daemon, other in
            let host = try await daemon.host("ending", comesBack: false)
            var handlers = PointHandlers()
            handlers.on(Question.self) { _, call in
                await withCheckedContinuation { done in call.whenCancelled { done.resume() } }
                return Echo.Reply(Echo(text: "late"))
            }
            let request = try await host.begin(CallTests.caller, items: [], handling: handlers)
            // One call waits for the host, one for nothing, and the parts of one for their reader.
            let calls = [
                Task { await Self.code { try await request.call(Ask()) } },
                Task { await Self.code { try await request.call(CallVocabulary.End(.hang)) } },
            ]
            var parts = request.parts(of: Count(upTo: 8, atOnce: true)).makeAsyncIterator()
            try await eventually {
                try await daemon.events().count { $0.event == EventName.callStarted.rawValue } == 4
            }
            try await Self.bring(end, daemon, host, request)
            #expect(await request.outcome.cause == end.cause)
            for call in calls {
                let code = try #require(await call.value)
                #expect(end.codes.contains(code), "\(code)")
            }
            await #expect(throws: (any Error).self) { while try await parts.next() != nil {} }
            // The log's checker holds that each start has its end; these are the ones of this request.
            try await eventually {
                let events = try await daemon.events().filter { $0.request == request.identifier }
                return events.count { $0.event == EventName.callFinished.rawValue } == 4
            }
            let events = try await daemon.events().filter { $0.request == request.identifier }
            #expect(events.count { EventName.ends.contains($0.event) } == 1)
            // The point serves the next host.
            let next = try await other.begin(CallTests.caller, items: [])
            #expect(try await next.call(Echo(text: "on")).text == "on")
        }
    }

    private static func bring(
        _ end: End, _ daemon: TestDaemon, _ host: FakeHost, _ request: ExtensionRequest
    ) async throws {
        let pid = pid_t(try #require(request.processIdentifier))
        switch end {
        case .killed: kill(pid, SIGKILL)
        case .crashed: kill(pid, SIGSEGV)
        case .hostCancels: try await request.cancel()
        case .hostLeaves: host.disconnect()
        case .hostCrashes: host.crash()
        case .operatorKills: _ = try await daemon.control.kill(.identifier(CallTests.caller))
        case .operatorCancels: try await daemon.control.cancel(request.identifier)
        }
    }

    private static func code(_ body: () async throws -> some Any) async -> ExtensionHostError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? ExtensionHostError)?.code
        }
    }
}
