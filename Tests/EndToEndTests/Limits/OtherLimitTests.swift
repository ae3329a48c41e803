// OtherLimitTests: processor time ends an extension; tasks, descriptors and output are refused, and nobody is killed.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import Testing

@Suite struct OtherLimitTests {
    private func reached(_ daemon: TestDaemon) async throws -> [EventRecord] {
        try await daemon.events().filter { $0.event == "limit.reached" }
    }

    // spec: P-531
    @Test(arguments: ["burn", "burnInChildren"])
    func processorTimeBeyondTheLimitEndsIt(_ act: String) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--limit", "cpu=500ms"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order(act)])
            #expect(await request.outcome.cause == .cpuLimit)
            let exit = try #require(await request.exit?.record)
            let limit = try #require(exit.reached)
            #expect(exit.cause == .cpuLimit && limit.name == "cpu" && limit.limit == 500 && limit.used >= 500)
            #expect(exit.memoryLimit == nil)
            let told = try await reached(daemon)
            #expect(told.count == 1 && told.first?.cause == .cpuLimit && told.first?.request == request.identifier)
            #expect(try await daemon.control.exits().last?.decidedBy == "daemon")
        }
    }

    /// The kernel ends it by itself where nobody looks: SIGXCPU is its own word for this limit.
    @Test func theKernelsOwnWordForProcessorTimeIsUnderstood() async throws {
        let bundles = try TestBundles()
        try bundles.add("sigxcpu", script: "#!/bin/sh\nkill -XCPU $$\n")
        for (arguments, cause) in [(["--limit", "cpu=1h"], Cause.cpuLimit), ([], .crashed)] {
            try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
                let host = try await daemon.host("notes")
                let request = try await host.begin("org.exthost.tests.sigxcpu", items: [.text("x")])
                #expect(await request.outcome.cause == cause)
                #expect(try await reached(daemon).count == (cause == .cpuLimit ? 1 : 0))
            }
        }
    }

    @Test(.enabled(if: LimitBackEnds.hasVersion1 || geteuid() != 0))
    func tasksBeyondTheLimitAreRefusedAndTheExtensionLivesOn() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(
            applications: [bundles.path], arguments: ["--limit", "tasks=24", "--timer", "idle=1h"]
        ) {
            daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("threads", "60")])
            let started = try #require(try items(of: await request.outcome).first?.userInfo?["started"] as? Int)
            #expect(started > 4 && started < 24)
            let told = try await daemon.event { $0.event == "limit.reached" }
            #expect(told.cause == nil && told.detail?.hasPrefix("tasks: 24 tasks") == true, "\(told)")
            let next = try await host.begin(puppet, items: [order("count")])
            #expect(await next.outcome.cause == .completed)
            #expect(next.processIdentifier == request.processIdentifier)
            #expect(try await reached(daemon).count == 1)
        }
    }

    /// Nothing refuses them there, and that is said: in the words of `Limits`, and when it happens.
    // not simulated: N-005
    @Test(.enabled(if: geteuid() == 0)) func whereNothingCanRefuseTasksTheyAreCounted() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(
            applications: [bundles.path], arguments: ["--limit", "tasks=24", "--limits-by", "poll"]
        ) {
            daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("threads", "60")])
            #expect(try items(of: await request.outcome).first?.userInfo?["started"] as? Int == 60)
            let told = try await daemon.event { $0.event == "limit.reached" }
            #expect(told.detail?.hasPrefix("tasks: 24 tasks") == true)
            #expect(try await daemon.control.status().limits.contains("tasks:poll"))
        }
    }

    /// In Python: libdispatch ends a program that has no descriptor left while work waits for a thread
    /// (docs/debugging.md).
    @Test func descriptorsBeyondTheLimitAreRefusedAndTheExtensionLivesOn() async throws {
        let bundles = try TestBundles.withPuppet(.python)
        try await withTestDaemon(
            applications: [bundles.path], arguments: ["--limit", "descriptors=40", "--timer", "idle=1h"]
        ) {
            daemon in
            let host = try await daemon.host("notes")
            let kept = Kept<NSItemProvider.CompletionHandler>()
            let asked = OneSignal()
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.plain-text") { completion, _, _ in
                kept.keep(completion)
                asked.fire()
            }
            let request = try await host.begin(puppet, items: [order("open", "100", attachments: [provider])])
            let told = try await daemon.event { $0.event == "limit.reached" }
            await asked.wait()
            kept.take()?("seen" as NSString, nil)
            let opened = try #require(try items(of: await request.outcome).first?.userInfo?["opened"] as? Int)
            #expect(opened > 10 && opened < 40)
            #expect(told.cause == nil && told.detail?.hasPrefix("descriptors: 40 descriptors") == true, "\(told)")
            #expect(told.request == request.identifier)
            #expect(try await daemon.control.exits().isEmpty)
        }
    }

    /// Nobody can keep libdispatch from it; but it can be said.
    @Test func anEndForWantOfDescriptorsIsExplained() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--limit", "descriptors=40"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("openWhileBusy", "100")])
            #expect(await request.outcome.cause == .crashed)
            #expect(await request.exit?.record.signal == Int(SIGILL))
            let told = try #require(await request.explanation)
            #expect(told.message.contains("none of its 40 descriptors left: signal 4"), "\(told)")
            #expect(told.remedy?.contains("--limit descriptors=N") == true)
        }
    }

    @Test func outputBeyondTheRateIsDroppedAndTheExtensionLivesOn() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(
            applications: [bundles.path], arguments: ["--limit", "output=16KiB", "--timer", "idle=1h"]
        ) {
            daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let start = ContinuousClock.now
            for _ in 0..<3 {
                let request = try await host.begin(puppet, items: [order("print", "100000")])
                #expect(await request.outcome.cause == .completed)
            }
            // First what has come, then the time in which it came.
            let count = output.text.utf8.count
            let seconds = start.duration(to: .now) / .seconds(1)
            #expect(count >= 16 << 10)
            #expect(Double(count) <= Double(16 << 10) * (1 + seconds))
            let told = try await reached(daemon)
            #expect(told.count == 1 && told.first?.detail?.hasPrefix("output: 16384 bytes a second") == true, "\(told)")
            #expect(try await daemon.control.exits().isEmpty)
        }
    }
}
