// TestKitTests: what the kit gives to authors of tests: hosts that serve, count, crash and expect, and failures that
// say why.

import ExtensionHostTesting
import ExtensionHostTestingSupport
import ExtensionProtocol
import Foundation
import Locks
import Testing

@Suite struct TestKitTests {
    @Test func aServedAttachmentIsMadeWhenItIsAskedForAndCounted() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let text = host.serving("public.url", "public.plain-text") { type in
                try await Task.sleep(for: .milliseconds(20))
                return URL(string: "https://example.org/\(type)") ?? URL(fileURLWithPath: "/")
            }
            #expect(text.loads == 0)
            let request = try await host.begin(puppet, items: [order("load", attachments: [text.provider])])
            // The time of the closure is waited for, and not the load's 10 s.
            try await daemon.clock.advance(by: .seconds(11))
            try await host.expect(.completed, of: request)
            #expect(text.loads == 1 && text.loads(of: "public.url") == 1 && text.loads(of: "public.plain-text") == 0)
        }
    }

    /// The events of one watch do not tell whose they are, and the daemon has one watch for each connection.
    @Test func aWatchThatNobodyReadsDisturbsNoOther() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            for _ in 0..<20 {
                let request = try await host.begin(puppet, items: [order("return")])
                try await host.expect(.completed, of: request)
            }
            func numbers(_ batches: AsyncThrowingStream<EventBatch, any Error>) async throws -> [Int] {
                var numbers: [Int] = []
                for try await batch in batches { numbers += batch.events.map(\.sequence) }
                return numbers
            }
            let control = daemon.control
            let abandoned = Task { try await numbers(control.watch(since: 0, follow: false)) }
            abandoned.cancel()
            let streams = [control.watch(since: 0, follow: false), control.watch(since: 0, follow: false)]
            for stream in streams {
                let found = try await numbers(stream)
                #expect(found.count > 60 && found == Array(1...found.count), "\(found.count): \(found.prefix(5))")
            }
            let other = try await DaemonControl.connect(name: "other", to: daemon.address)
            let following = other.watch(since: 0, follow: true)
            let refused = await #expect(throws: ExtensionHostError.self) {
                try await numbers(other.watch(since: 0, follow: false))
            }
            #expect(refused?.code == .invalidArgument, "\(String(describing: refused))")
            let first = try await following.first { _ in true }
            #expect(first?.events.first?.sequence == 1)
        }
    }

    @Test func aWatchWithoutEndThatIsLeftDoesNotDisturbTheEnd() async throws {
        try await withTestDaemon(applications: []) { daemon in
            for try await batch in daemon.control.watch(since: 0, follow: true) where !batch.events.isEmpty { break }
        }
    }

    @Test func anUnexpectedOutcomeSaysWhatCameWhyWhatHelpsAndTheTimeline() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("crash")])
            let error = await #expect(throws: ExtensionHostTesting.UnexpectedOutcome.self) {
                try await host.expect(.completed, of: request)
            }
            let words = "\(try #require(error))"
            for part in [
                "expected completed, and found interrupted (crashed)", "\nwhy: ", "\nremedy: ", "\ntimeline:\n",
                "request.interrupted",
            ] { #expect(words.contains(part), "\(words)") }
            try await host.expect(.interrupted, .crashed, of: request)
            let cause = await #expect(throws: ExtensionHostTesting.UnexpectedOutcome.self) {
                try await host.expect(.interrupted, .memoryLimit, of: request)
            }
            #expect(
                "\(try #require(cause))".contains("expected interrupted (memoryLimit), and found interrupted (crashed)")
            )
        }
    }

    @Test func anOutcomeThatDoesNotComeIsSaidAfterTheBound() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            let error = await #expect(throws: ExtensionHostTesting.UnexpectedOutcome.self) {
                try await host.expect(.completed, of: request, within: .milliseconds(50))
            }
            let unexpected = try #require(error)
            #expect(unexpected.outcome?.kind == nil)
            #expect("\(unexpected)".contains("found no outcome within 0.05 seconds"))
        }
    }

    @Test func aHostThatCrashesIsGoneAtOnceWithItsRequests() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes", comesBack: false)
            let request = try await host.begin(puppet, items: [order("hang")])
            host.crash()
            try await daemon.event { $0.event == EventName.hostDisconnected.rawValue && $0.host == "notes" }
            #expect(await request.outcome.cause == .connectionLost)
            #expect(try await daemon.control.requests().isEmpty)
        }
    }

    /// 64 daemons together, each with an extension that serves; none leaves anything (`TestDaemon.stop` looks).
    @Test func sixtyFourDaemonsAtOnceServeOneRequestEachAndLeaveNothing() async throws {
        let bundles = try TestBundles.withPuppet()
        let sockets = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    // All are launched at once, and each takes as long as all.
                    try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "launch=2min"]) {
                        daemon in
                        let host = try await daemon.host("notes")
                        let request = try await host.begin(puppet, items: [order("count")])
                        try await host.expect(.completed, of: request, within: .seconds(120))
                        return daemon.address.path
                    }
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(sockets.count == 64)
        for socket in sockets { #expect(!FileManager.default.fileExists(atPath: socket)) }
    }

    @Suite(.extensionHost(applications: [], clock: .virtual)) struct TraitTests {
        private static let seen = Mutex<Set<String>>([])

        @Test(arguments: 1...3) func eachTestHasADaemonOfItsOwn(number: Int) async throws {
            let daemon = try #require(TestDaemon.current)
            try await daemon.clock.advance(by: .seconds(number))
            #expect(try await daemon.control.status().clock == "virtual")
            #expect(Self.seen.withLock { $0.insert(daemon.address.path).inserted })
        }
    }
}
