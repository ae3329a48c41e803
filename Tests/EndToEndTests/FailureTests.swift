// FailureTests: what goes wrong, and the one named outcome that each host gets.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

@Suite struct FailureTests {
    /// Programs that are no extensions, with the outcome of a request for each.
    static let programs: [(name: String, script: String, mode: Int, cause: Cause)] = [
        ("early", "#!/bin/sh\nexit 3\n", 0o755, .exitedEarly),
        ("silent", "#!/bin/sh\nexec sleep 1000\n", 0o755, .launchTimeout),
        ("killed", "#!/bin/sh\nkill -SEGV $$\n", 0o755, .crashed),
        ("uninterpreted", "#!/no/such/interpreter\n", 0o755, .launchFailed),
        ("unusable", "#!/bin/sh\nexit 0\n", 0o644, .bundleDisabled),
        (
            "garbage", "#!/bin/sh\nprintf 'not a packet at all, but long enough for a header' >&3; sleep 1000\n", 0o755,
            .protocolViolation
        ),
        ("short", "#!/bin/sh\nprintf x >&3; sleep 1000\n", 0o755, .protocolViolation),
        ("closed", "#!/bin/sh\nexec 3>&-; exec sleep 1000\n", 0o755, .protocolViolation),
    ]

    // spec: P-021, P-035, P-213
    @Test(arguments: programs.map(\.name))
    func aProgramThatIsNoExtensionEndsItsRequestByName(name: String) async throws {
        let program = try #require(Self.programs.first { $0.name == name })
        let bundles = try TestBundles()
        try bundles.add(name, script: program.script, mode: program.mode)
        // Only of the silent one is the time to start to run out: the others come to their fault, however slow the
        // machine is.
        let launch = program.cause == .launchTimeout ? "400ms" : "60s"
        let timers = ["--timer", "launch=\(launch)", "--timer", "term=200ms"]
        try await withTestDaemon(applications: [bundles.path], arguments: timers) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.\(name)", items: [.text("x")])
            let outcome = await request.outcome
            #expect(outcome.cause == program.cause)
            #expect(outcome.kind == program.cause.outcome)
            #expect(await request.explanation != nil)
            let ends = try await daemon.events().filter {
                $0.request == request.identifier && EventName.ends.contains($0.event)
            }
            #expect(ends.count == 1)
        }
    }

    // spec: P-032
    @Test(
        arguments: [
            ("crash", "", Cause.crashed), ("exit", "0", .exitedEarly), ("exit", "3", .exitedEarly),
        ], Language.allCases)
    func aPuppetThatGoesEndsItsRequestByName(_ end: (act: String, argument: String, cause: Cause), language: Language)
        async throws
    {
        let (act, argument, cause) = end
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order(act, argument)])
            #expect(await request.outcome.cause == cause)
        }
    }

    @Test func theSampleThatCrashesIsInterruptedAndItsLastWordsAreKept() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.samples.crash", items: [.url("https://example.org")])
            #expect(await request.outcome.cause == .crashed)
            _ = await request.exit
            let death = try #require(try await daemon.control.exits().last)
            #expect(death.stderrTail.contains("Index out of range"))
            #expect(death.exit.signal != nil)
        }
    }

    // spec: P-209
    @Test func anUnknownExtensionIsAnErrorThatSaysWhereToLook() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let host = try await daemon.host("notes")
            let error = try await #require(throws: ExtensionHostError.self) {
                _ = try await host.begin("org.exthost.samples.nothing", items: [])
            }
            #expect(error.code == .noSuchExtension)
            #expect(error.remedy?.contains("exthostctl list") == true)
        }
    }

    @Test func aHostOverItsQuotaIsRefusedAndOthersAreNot() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let greedy = try await daemon.host("greedy")
            var requests: [ExtensionRequest] = []
            for _ in 0..<64 { requests.append(try await greedy.begin(puppet, items: [order("hang")])) }
            let refused = try await greedy.begin(puppet, items: [order("count")])
            #expect(await refused.outcome.cause == .quota)
            let modest = try await daemon.host("modest")
            let served = try await modest.begin(puppet, items: [order("count")])
            #expect(await served.outcome.kind == .completed)
            try await requests[0].cancel()
            let again = try await greedy.begin(puppet, items: [order("count")])
            #expect(await again.outcome.kind == .completed)
        }
    }

    /// Each limit of a host, and of its user, by a configuration that leaves little room.
    @Test(arguments: [
        ("HostQuota", "Processes", "2 processes", true), ("UserQuota", "Processes", "2 processes", false),
        ("HostQuota", "Requests", "2 open requests", true), ("UserQuota", "Requests", "2 open requests", false),
    ])
    func quotasAreOfTheUserThenOfTheHost(quota: String, key: String, words: String, othersAreServed: Bool) async throws
    {
        let bundles = try TestBundles()
        for name in ["one", "two", "three"] {
            try bundles.add(
                name, program: SampleApplications.buildFolder + "/Puppet", principalClass: "Puppet.Puppet")
        }
        let configuration = bundles.path + "/quota.plist"
        try bundles.write([quota: [key: 2]], to: configuration)
        // One that were told to end meanwhile would count as a process, and serve nobody.
        let arguments = ["--config", configuration, "--timer", "idle=1min"]
        try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let host = try await daemon.host("greedy")
            let first = try await host.begin("org.exthost.tests.one", items: [order("hang")])
            _ = try await host.begin("org.exthost.tests.two", items: [order("hang")])
            let refused = try await host.begin("org.exthost.tests.three", items: [order("count")])
            #expect(await refused.outcome.cause == .quota)
            #expect((await refused.explanation)?.message.contains(words) == true)
            let modest = try await daemon.host("modest")
            let other = try await modest.begin("org.exthost.tests.three", items: [order("count")])
            #expect(await other.outcome.cause == (othersAreServed ? .completed : .quota))
            try await first.cancel()
            let again = try await host.begin("org.exthost.tests.one", items: [order("count")])
            #expect(await again.outcome.kind == .completed)
        }
    }

    @Test(arguments: Language.allCases) func aHostThatDiesDropsItsRequestsAndOthersGoOn(language: Language) async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let dying = try await daemon.host("dying")
            let living = try await daemon.host("living")
            let lost = try await dying.begin(puppet, items: [order("hang")])
            let kept = try await living.begin(puppet, items: [order("hang")])
            dying.disconnect()
            #expect(await lost.outcome.cause == .connectionLost)
            let end = try await daemon.event {
                $0.request == lost.identifier && $0.event == EventName.requestCancelled.rawValue
            }
            #expect(end.cause == .cancelledByHost)
            #expect(try await daemon.control.requests().map(\.request) == [kept.identifier])
        }
    }

    // spec: P-078
    @Test(arguments: Language.allCases) func aLoadFailsWhenTheHostHasNoAnswerInTime(language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let asked = OneSignal()
            let kept = Kept<NSItemProvider.CompletionHandler>()
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.url") { completion, _, _ in
                kept.keep(completion)
                asked.fire()
            }
            let request = try await host.begin(puppet, items: [order("load", attachments: [provider])])
            await asked.wait()
            try await daemon.clock.advance(by: .seconds(10))
            #expect(try items(of: await request.outcome).first?.userInfo?["error"] as? Int == -1000)
            // The late answer falls nowhere and hurts nobody.
            kept.take()?(NSURL(string: "https://example.org"), nil)
            let next = try await host.begin(puppet, items: [order("count")])
            #expect(await next.outcome.kind == .completed)
        }
    }

    @Test(arguments: Language.allCases) func aDaemonThatStopsAnswersEveryOpenRequestFirst(language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        let daemon = try await TestDaemon.start(applications: [bundles.path])
        let host = try await daemon.host("notes")
        let requests = [
            try await host.begin(puppet, items: [order("hang")]), try await host.begin(puppet, items: [order("hang")]),
        ]
        try await daemon.stop()
        for request in requests { #expect(await request.outcome.cause == .daemonStopping) }
    }

    // not simulated: N-014, N-015
    @Test(arguments: Language.allCases) func nothingOutlivesADaemonThatIsKilled(language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        let daemon = try await TestDaemon.start(applications: [bundles.path])
        let host = try await daemon.host("notes")
        let request = try await host.begin(puppet, items: [order("hang")])
        let stopped = try await host.begin(puppet, items: [order("stop")])
        let pid = pid_t(try #require(request.processIdentifier))
        #expect(kill(pid_t(daemon.processIdentifier), SIGKILL) == 0)
        #expect(await request.outcome.cause == .connectionLost)
        #expect(await stopped.outcome.cause == .connectionLost)
        // The kernel ends the extension with its daemon; whoever adopts it reaps it.
        try await eventually { isGone(pid) }
        try? FileManager.default.removeItem(
            atPath: URL(fileURLWithPath: daemon.address.path).deletingLastPathComponent().path)
    }
}

extension EventName {
    /// The events of which each request has exactly one.
    static let ends: Set<String> = Set(
        [EventName.requestCompleted, .requestCancelled, .requestInterrupted, .requestTimedOut, .requestRefused].map(
            \.rawValue))
}
