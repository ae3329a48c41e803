// VirtualClockTests: under a virtual clock a scenario is the same each time, and extensions can share its time.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import Testing

/// Two hosts, two extensions and all that waits for time: an expiry after 30 s, an idle end after 5 min, sleeps, a
/// timer, loads at once, news of two hosts to both extensions.
enum ClockScenario {
    static let other = "org.exthost.tests.other"

    static func bundles() throws -> TestBundles {
        let bundles = try TestBundles.withPuppet()
        try bundles.add(
            "other", program: SampleApplications.buildFolder + "/Puppet", point: "com.apple.services",
            principalClass: "Puppet.Puppet")
        return bundles
    }

    static func play(_ bundles: TestBundles) async throws -> NormalForm {
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: ["--timer", "idle=5min"]) {
            daemon in
            let (notes, mail) = (try await daemon.host("notes"), try await daemon.host("mail"))
            let hanging = try await notes.begin(puppet, items: [order("hang")], timeout: .seconds(30))
            let ticking = try await mail.begin(other, items: [order("tick", "7")])
            let sleeping = try await notes.begin(other, items: [order("sleep", "20")])
            let attachments = (1...4).map {
                NSItemProvider(item: "text \($0)" as NSString, typeIdentifier: "public.plain-text")
            }
            let loading = try await mail.begin(other, items: [order("order", attachments: attachments)])
            try await notes.setState(.background)
            try await mail.setState(.inactive)
            try await notes.setState(.active)
            try await daemon.clock.advance(by: .seconds(30))
            #expect(await hanging.outcome.cause == .requestTimeout)
            #expect(try items(of: await ticking.outcome).first?.userInfo?["ticks"] as? Int == 3)
            #expect(try items(of: await sleeping.outcome).first?.userInfo?["slept"] as? String == "20.0 seconds")
            #expect(await loading.outcome.kind == .completed)
            #expect(await hanging.exit?.record.cause == .requestTimeout)
            let handled = try await notes.begin(puppet, items: [order("waitInHandler", "1000")])
            try await daemon.clock.advance(by: .seconds(10))
            #expect(await handled.exit?.record.cause == .expired)
            try await daemon.clock.advance(by: .seconds(300))
            #expect(await ticking.exit?.record.cause == .idle)
            return NormalForm(try await daemon.events())
        }
    }

    /// Only an expiry after 30 s and an idle end after 5 min.
    ///
    /// - Parameter isVirtual: otherwise the same steps under the system's clock, with limits of a millisecond.
    static func playBriefly(_ bundles: TestBundles, isVirtual: Bool) async throws -> NormalForm {
        let (limit, idle) = isVirtual ? (Duration.seconds(30), "5min") : (.milliseconds(1), "1ms")
        return try await withTestDaemon(
            applications: [bundles.path], clock: isVirtual ? .virtual : .real, arguments: ["--timer", "idle=\(idle)"]
        ) { daemon in
            let host = try await daemon.host("notes")
            let hanging = try await host.begin(puppet, items: [order("hang")], timeout: limit)
            if isVirtual { try await daemon.clock.advance(by: limit) }
            #expect(await hanging.exit?.record.cause == .requestTimeout)
            let echoing = try await host.begin(other, items: [order("return")])
            #expect(await echoing.outcome.kind == .completed)
            if isVirtual { try await daemon.clock.advance(by: .seconds(300)) }
            #expect(await echoing.exit?.record.cause == .idle)
            return NormalForm(try await daemon.events())
        }
    }

    /// The time that each round took, the shortest first; each has the log of the first.
    static func repeated(_ rounds: Int, _ play: (TestBundles) async throws -> NormalForm) async throws -> [Duration] {
        let bundles = try bundles()
        let first = try await play(bundles)
        var times: [Duration] = []
        for round in 1..<rounds {
            let start = ContinuousClock.now
            let again = try await play(bundles)
            times.append(ContinuousClock.now - start)
            let difference = again.firstDifference(from: first)
            #expect(difference == nil, "round \(round): \(difference ?? "")\n\(first)\n\nand\n\n\(again)")
            guard difference == nil else { break }
        }
        times.sort()
        print(
            "\(rounds) rounds, \(first.lines.count) events each: median \(times[times.count / 2]), longest \(times[times.count - 1])"
        )
        return times
    }
}

@Suite struct VirtualClockTests {
    private let other = ClockScenario.other

    private func bundles() throws -> TestBundles { try ClockScenario.bundles() }

    /// By the author's hands: a completion handler is no asynchronous function.
    @Test func aCompletionHandlerThatWaitsForTheClockEndsInItsTime() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin(other, items: [order("waitInHandler", "4")])
            #expect(await request.outcome.kind == .completed)
            try await daemon.clock.advance(by: .seconds(4))
            try await daemon.clock.advance(by: .seconds(3))
            #expect(await request.exit?.record.cause == .idle)
            #expect(output.text == "handler: false\n")
        }
    }

    @Test func logsThatDifferInTheirNamesAloneHaveEqualNormalForms() {
        func log(pid: Int, _ cause: Cause = .crashed) -> [EventRecord] {
            [
                EventRecord(sequence: 1, time: pid, event: .processSpawned, extensionIdentifier: "e", pid: pid),
                EventRecord(
                    sequence: 2, time: pid + 5, event: .processExited, extensionIdentifier: "e", pid: pid, cause: cause,
                    detail: "pid \(pid) of /tmp/a\(pid)/b: signal 9, decided by daemon"),
            ]
        }
        #expect(NormalForm(log(pid: 7)) == NormalForm(log(pid: 8)))
        #expect(NormalForm(log(pid: 7)).firstDifference(from: NormalForm(log(pid: 8))) == nil)
        #expect(NormalForm(log(pid: 7)) != NormalForm(log(pid: 7, .idle)))
        #expect(NormalForm(log(pid: 7), isExact: false) != NormalForm(log(pid: 7)))
    }

    /// The end of a process takes the kernel some steps, between which nothing of it runs.
    @Test func aProcessThatWasToldToEndHasEndedBeforeTheNextOrder() async throws {
        let bundles = try TestBundles.withPuppet(point: "com.apple.app.non-ui-extension")
        for _ in 0..<20 {
            try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
                let hosts = [try await daemon.host("notes"), try await daemon.host("mail")]
                for round in 0..<4 {
                    let request = try await hosts[round % 2].begin(puppet, items: [order("count")])
                    #expect(await request.outcome.kind == .completed)
                }
                let names = ["request.created", "process.exited"]
                let order = try await daemon.events().map(\.event).filter(names.contains)
                #expect(order.prefix(7) == [names[0], names[1], names[0], names[1], names[0], names[1], names[0]])
            }
        }
    }

    @Test func aScenarioHasTheSameLogEachTimeAndTakesNoneOfItsTime() async throws {
        _ = try await ClockScenario.repeated(40, ClockScenario.play)
    }

    @Test(.enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"))
    func aThousandTimesTheSameLog() async throws { _ = try await ClockScenario.repeated(1000, ClockScenario.play) }

    @Test func aSleepOnTheExtensionsClockEndsAtItsTimeAndNotBefore() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(other, items: [order("sleep", "3600")], timeout: .seconds(7200))
            try await daemon.clock.advance(by: .seconds(3599))
            #expect(try await daemon.control.requests().count == 1)
            try await daemon.clock.advance(by: .seconds(1))
            #expect(try items(of: await request.outcome).first?.userInfo?["slept"] as? String == "3600.0 seconds")
        }
    }

    @Test func aSleepThatIsCancelledEndsAtOnceAndKeepsNobody() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(other, items: [order("giveUpSleep", "1000")])
            #expect(try items(of: await request.outcome).first?.userInfo?["cancelled"] as? Bool == true)
        }
    }

    @Test func underARealClockTheExtensionsClockIsTheSystems() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let start = ContinuousClock.now
            let request = try await host.begin(other, items: [order("sleep", "0.05")])
            #expect(await request.outcome.kind == .completed)
            #expect(ContinuousClock.now - start >= .milliseconds(50))
        }
    }

    /// Each on its own clock's scale, and at the same instant in the order of their beginnings.
    @Test func sleepsThatAreDueAtOnceEndInTheOrderOfTheirBeginnings() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            var requests: [ExtensionRequest] = []
            for _ in 0..<8 { requests.append(try await host.begin(other, items: [order("sleep", "5")])) }
            try await daemon.clock.advance(by: .seconds(5))
            let ends = try await daemon.events().filter { $0.event == EventName.requestCompleted.rawValue }
            #expect(ends.map(\.request) == requests.map(\.identifier))
        }
    }

    /// A program that speaks no protocol is known to rest by what its threads do.
    @Test func anAppWithoutAHelloDoesNotHoldTheClock() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addProgram("plain", script: "#!/bin/sh\necho running\nexec sleep 1000\n")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            // The best of five: a busy machine may hold up one of them.
            func steps() async throws -> Duration {
                var best = Duration.seconds(3600)
                for _ in 0..<5 {
                    let start = ContinuousClock.now
                    for _ in 0..<10 { try await daemon.clock.advance(by: .seconds(1)) }
                    best = min(best, ContinuousClock.now - start)
                }
                return best
            }
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")], timeout: .seconds(3600))
            let without = try await steps()
            let (app, _, _) = try await launch(bundles, daemon)
            let with = try await steps()
            print("10 steps of a virtual clock: \(without), and \(with) beside an app without a hello")
            // If the daemon waited for a hello, each step would take the second that it has for a process that does not
            // rest.
            #expect(with < without * 20)
            _ = try await daemon.control.kill(.pid(app.opened.pid))
            try await request.cancel()
            withExtendedLifetime(host) {}
        }
    }

    @Test func aProcessThatSpinsHoldsTheClockForASecondAndNotForEachStep() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("burn")], timeout: .seconds(30))
            for _ in 0..<29 { try await daemon.clock.advance(by: .seconds(1)) }
            #expect(try await daemon.control.requests().count == 1)
            try await daemon.clock.advance(by: .seconds(1))
            #expect(await request.outcome.cause == .requestTimeout)
        }
    }
}
