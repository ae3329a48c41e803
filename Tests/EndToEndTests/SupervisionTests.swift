// SupervisionTests: blocked main queues, breakers, and processes that are being debugged.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

@Suite struct SupervisionTests {
    // MARK: The main queue

    @Test func aBlockedMainQueueIsReportedOnceAndHarmsNobody() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "unresponsive=5s"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("blockMain")])
            let event = try await daemon.event { $0.event == EventName.processUnresponsive.rawValue }
            #expect(event.pid == request.processIdentifier && event.cause == .unresponsive)
            // Others are served by the same process meanwhile.
            #expect(await (try await host.begin(puppet, items: [order("count")])).outcome.kind == .completed)
            try await request.cancel()
            let reports = try await daemon.events().filter { $0.event == EventName.processUnresponsive.rawValue }
            #expect(reports.count == 1)
        }
    }

    @Test(arguments: [["--end-unresponsive"], ["--profile", "ios-12"]])
    func aBlockedMainQueueEndsTheProcessWhereAnOptionOrAProfileAsksForIt(options: [String]) async throws {
        let bundles = try TestBundles.withPuppet()
        let arguments = ["--timer", "unresponsive=50ms"] + options
        try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("blockMain")])
            #expect(await request.outcome.cause == .unresponsive)
            #expect(await request.exit?.record.cause == .unresponsive)
            #expect((await request.explanation)?.remedy?.contains("queue") == true)
        }
    }

    @Test func aMainQueueThatRunsIsNotReportedHoweverLongTheRequest() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            try await daemon.clock.advance(by: .seconds(60))
            try await request.cancel()
            #expect(try await daemon.events().allSatisfy { $0.event != EventName.processUnresponsive.rawValue })
        }
    }

    // MARK: The breaker

    @Test func anExtensionThatFailsAgainAndAgainIsLaunchedAfterGrowingPauses() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: ["--breaker", "3"]) {
            daemon in
            let host = try await daemon.host("notes")
            func run(_ act: String) async throws -> Cause {
                let request = try await host.begin(puppet, items: [order(act)])
                let cause = await request.outcome.cause
                // A crash counts once the process is gone; one that answers lives on.
                if cause == .crashed { _ = await request.exit }
                return cause
            }
            for _ in 0..<3 { #expect(try await run("crash") == .crashed) }
            #expect(try await run("count") == .breakerOpen)
            let breaker = try #require(try await daemon.control.status().breakers.first)
            #expect(breaker.extensionIdentifier == puppet && breaker.state == "open" && breaker.failures == 3)
            #expect(breaker.delay == 1)
            try await daemon.clock.advance(by: .milliseconds(999))
            #expect(try await run("crash") == .breakerOpen)
            try await daemon.clock.advance(by: .milliseconds(1))
            // The one try of a half-open breaker fails, and the pause is twice as long.
            #expect(try await run("crash") == .crashed)
            #expect(try await daemon.control.status().breakers.first?.delay == 2)
            try await daemon.clock.advance(by: .seconds(2))
            #expect(try await run("count") == .completed)
            #expect(try await daemon.control.status().breakers.isEmpty)
            let events = try await daemon.events().map(\.event)
            #expect(events.count { $0 == "breaker.opened" } == 2 && events.count { $0 == "breaker.closed" } == 1)
        }
    }

    @Test func anOperatorResetsABreakerAndARefusalSaysHow() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: ["--breaker", "1"]) {
            daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("crash")])
            _ = await request.exit
            let refused = try await host.begin(puppet, items: [order("count")])
            #expect(await refused.outcome.cause == .breakerOpen)
            #expect((await refused.explanation)?.remedy?.contains("exthostctl reset \(puppet)") == true)
            #expect(
                try await Program.control(["run", puppet, "--text", "x"], socket: daemon.address.path).ending().status
                    == 13)
            #expect(
                try await Program.control(["status"], socket: daemon.address.path).ending().output.contains(
                    "Breaker: \(puppet) open after 1 failures"))
            #expect(try await Program.control(["reset", puppet], socket: daemon.address.path).ending().status == 0)
            #expect(await (try await host.begin(puppet, items: [order("count")])).outcome.kind == .completed)
            #expect(
                try await Program.control(["reset", "org.example.none"], socket: daemon.address.path).ending().status
                    == 66)
        }
    }

    // MARK: Debugging

    @Test func aRequestWaitsForADebuggerAndTimeStandsStillWhileOneIsAttached() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try host.application.start(
                puppet, items: [order("hang")], timeout: .milliseconds(200), waitsForDebugger: true)
            let pid = try #require(await request.held())
            #expect(try await daemon.control.requests().first?.state == "launching")
            let script = SampleApplications.root + "/Tests/Fixtures/Python/tracer.py"
            let tracer = try Program.run("/usr/bin/python3", [script, "\(pid)"], socket: daemon.address.path)
            try await tracer.shows("attached")
            #expect(try await request.delivered() == pid)
            // Three times the limit, and the tracer is still there.
            try await Task.sleep(for: .milliseconds(600))
            #expect(try await daemon.control.requests().count == 1)
            try tracer.kill()
            #expect(await request.outcome.cause == .requestTimeout)
        }
    }

    /// It may stand still itself, or its author look at what it asked for.
    @Test func aLoadMayTakeAsLongAsADebuggerIsAttachedToItsExtension() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "load=200ms"]) { daemon in
            let host = try await daemon.host("notes")
            let load = HeldLoad()
            let request = try host.application.start(
                puppet, items: [order("load", attachments: [load.provider])], waitsForDebugger: true)
            let pid = try #require(await request.held())
            let script = SampleApplications.root + "/Tests/Fixtures/Python/tracer.py"
            let tracer = try Program.run("/usr/bin/python3", [script, "\(pid)"], socket: daemon.address.path)
            await load.asked.wait()
            // Three times the limit, and the tracer is still there.
            try await Task.sleep(for: .milliseconds(600))
            load.answer(Data("late".utf8))
            let returned = try items(of: await request.outcome)
            #expect(
                returned.first?.userInfo?["value"] != nil && returned.first?.userInfo?["error"] == nil, "\(returned)")
            try tracer.kill()
        }
    }

    @Test func theCommandLineNamesTheProcessToAttachToAndGoesOnOnceSomebodyHas() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let request = ["[{\"userInfo\": {\"do\": \"count\"}}]", bundles.path + "/request.json"]
            try request[0].write(toFile: request[1], atomically: true, encoding: .utf8)
            let run = try Program.control(
                ["run", puppet, "--items", request[1], "--wait-for-debugger", "--json"], socket: daemon.address.path)
            let held = try await daemon.event { $0.event == EventName.requestHeld.rawValue }
            let pid = try #require(held.pid)
            try await run.shows("process \(pid) waits for a debugger: gdb -p \(pid)")
            let script = SampleApplications.root + "/Tests/Fixtures/Python/tracer.py"
            let tracer = try Program.run("/usr/bin/python3", [script, "\(pid)"], socket: daemon.address.path)
            let ending = try await run.ending()
            #expect(ending.status == 0 && ending.output.contains("\"pid\": \(pid)"), "\(ending)")
            try tracer.kill()
        }
    }
}
