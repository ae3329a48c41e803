// ExtensionFaultTests: extensions that keep the protocol's form and no manners, each with its outcome and its end.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

struct ExtensionFaultTests {
    /// One kind of bad manners.
    struct Row: Sendable, CustomTestStringConvertible {
        let act: String
        /// How the request ends.
        let cause: Cause
        /// How the process does; nil when it goes on.
        let exit: Cause?
        /// The signal that ends it.
        var signal: Int32?
        /// What comes back as `answer`.
        var answer: Int?
        /// Seconds, for a request that nobody will answer.
        var timeout: Duration?
        /// For one that never says hello.
        var launch = "30s"
        /// Whether it prints the pid of a process that would outlive it.
        var leavesBehind = false

        var testDescription: String { act }
    }

    static let rows = [
        Row(act: "exitsBeforeHello", cause: .exitedEarly, exit: .exitedEarly),
        Row(act: "stopsBeforeHello", cause: .launchTimeout, exit: .launchTimeout, signal: SIGKILL, launch: "10s"),
        Row(act: "closesBeforeHello", cause: .protocolViolation, exit: .protocolViolation, signal: SIGKILL),
        // Its first process is the extension; what that started goes with it.
        Row(act: "forksTwice", cause: .exitedEarly, exit: .exitedEarly, leavesBehind: true),
        Row(act: "leaks", cause: .crashed, exit: .crashed, signal: SIGKILL, leavesBehind: true),
        Row(act: "leaksFarther", cause: .crashed, exit: .crashed, signal: SIGKILL, leavesBehind: true),
        Row(act: "stops", cause: .requestTimeout, exit: .requestTimeout, signal: SIGKILL, timeout: .milliseconds(100)),
        Row(act: "deaf", cause: .requestTimeout, exit: .requestTimeout, signal: SIGKILL, timeout: .milliseconds(100)),
        Row(act: "ignoresTerm", cause: .completed, exit: .idle, signal: SIGKILL, answer: 1),
        Row(act: "hugeWindow", cause: .completed, exit: .idle, answer: 1),
        Row(act: "completesAtOnce", cause: .completed, exit: .idle, answer: 1),
        Row(act: "completesTwice", cause: .completed, exit: .idle, answer: 1),
        Row(act: "cancelsAfterComplete", cause: .completed, exit: .idle, answer: 1),
        Row(act: "completesAnother", cause: .completed, exit: .idle, answer: 1),
        Row(act: "cancelsNothing", cause: .completed, exit: .idle, answer: 1),
        Row(act: "finishesNothing", cause: .completed, exit: .idle, answer: 1),
        Row(
            act: "loadsAnother", cause: .completed, exit: .idle,
            answer: ExtensionHostError.Code.itemUnavailable.rawValue),
        // It passes no memory on that its sender can still change.
        Row(act: "answersUnsealed", cause: .protocolViolation, exit: .protocolViolation, signal: SIGKILL),
        Row(act: "returnsUnsealed", cause: .protocolViolation, exit: .protocolViolation, signal: SIGKILL),
        // The daemon does not open what it passes on: it is the host that cannot read the answer.
        Row(act: "answersNonsense", cause: .protocolViolation, exit: .idle),
        Row(act: "returnsNoMemory", cause: .protocolViolation, exit: .idle),
        Row(act: "returnsNoDescriptor", cause: .protocolViolation, exit: .idle),
        Row(act: "returnsNoFile", cause: .protocolViolation, exit: .idle),
        Row(act: "returnsWritableFile", cause: .protocolViolation, exit: .idle),
    ]

    @Test(arguments: rows) func badMannersEndInOneNamedOutcome(row: Row) async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addHostile(row.act)
        let timers = ["launch=\(row.launch)", "idle=20ms", "expire=50ms", "term=500ms"].flatMap { ["--timer", $0] }
        try await besideAHealthyRequest(bundles, arguments: timers) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin(
                "org.exthost.tests.\(row.act)", items: [.text("x")], timeout: row.timeout)
            let outcome = await request.outcome
            #expect(outcome.cause == row.cause)
            if let answer = row.answer { #expect(try items(of: outcome).first?.userInfo?["answer"] as? Int == answer) }
            let exit = await request.exit?.record
            #expect(exit?.cause == row.exit)
            #expect(exit?.signal == row.signal.map(Int.init) || row.signal == nil)
            if row.leavesBehind {
                #expect(output.text == "here\n")
                try await eventually { running(bundles.path, row.act).isEmpty }
            }
            let ends = try await daemon.events().filter {
                $0.request == request.identifier && EventName.ends.contains($0.event)
            }
            #expect(ends.count == 1)
        }
    }

    /// The means in the order in which they are tried; all but the last reach a descendant with a session of its own.
    @Test(arguments: TreeKillMeans.thorough + ["session"]) func whatOutlivesAnExtensionDependsOnTheMeansOfTheKill(
        means: String
    )
        async throws
    {
        let bundles = try TestBundles.withPuppet()
        try bundles.addHostile("leaksFarther")
        try await withTestDaemon(applications: [bundles.path], arguments: ["--tree-kill", means]) { daemon in
            #expect(try await daemon.control.status().treeKill == means)
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin("org.exthost.tests.leaksFarther", items: [.text("x")])
            #expect(await request.outcome.cause == .crashed)
            _ = await request.exit
            #expect(output.text == "here\n")
            if means == "session" {
                let left = running(bundles.path, "leaksFarther")
                #expect(left.count == 1)
                for pid in left { #expect(kill(pid, SIGKILL) == 0) }
            }
            try await eventually { running(bundles.path, "leaksFarther").isEmpty }
        }
    }

    /// A guardian's process group goes with it; a control group holds also what has left that. One that is confined
    /// cannot signal it.
    @Test(
        arguments: [("guardian", "killsItsGuardian")]
            + (TreeKillMeans.hasGroups ? [("cgroup", "killsItsGuardianAndEscapes")] : []))
    func anExtensionThatKillsItsGuardianGoesWithIt(means: String, act: String) async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addHostile(act)
        try await besideAHealthyRequest(bundles, arguments: ["--tree-kill", means, "--sandbox", "none"]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin("org.exthost.tests.\(act)", items: [.text("x")])
            #expect(await request.outcome.cause == .crashed)
            #expect(await request.exit?.record.signal == Int(SIGKILL))
            let pids = output.text.split(separator: "\n").compactMap { pid_t($0) }
            #expect(pids.count == 2 && pids.last == request.processIdentifier.map(pid_t.init))
            try await eventually { pids.allSatisfy(isGone) }
        }
    }

    @Test func aResultThatComesAfterTheDismissalChangesNothing() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addHostile("completesLate")
        try await besideAHealthyRequest(bundles, arguments: ["--timer", "idle=20ms"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.completesLate", items: [.text("x")])
            try await request.cancel()
            #expect(await request.outcome.cause == .cancelledByHost)
            _ = await request.exit
            let ends = try await daemon.events().filter {
                $0.request == request.identifier && EventName.ends.contains($0.event)
            }
            #expect(ends.map(\.cause) == [.cancelledByHost])
        }
    }

    @Test func anAnswerToARequestThatWaitsForADebuggerIsNoneAndTheRequestEndsWithItsProcess() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addHostile("answersBeforeDelivery")
        let hostile = "org.exthost.tests.answersBeforeDelivery"
        try await besideAHealthyRequest(bundles) { daemon in
            let host = try await daemon.host("notes")
            let held = try host.application.start(hostile, items: [.text("x")], waitsForDebugger: true)
            #expect(await held.held() != nil)
            let request = try await host.begin(hostile, items: [order("", "\(held.identifier)")])
            #expect(await request.outcome.kind == .completed)
            let end = try await daemon.event { $0.request == held.identifier && EventName.ends.contains($0.event) }
            #expect(end.cause == .crashed)
        }
    }

    @Test func aProcessThatOutlivesATimedOutRequestDecidesOnItsOwnEnd() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let patient = try await host.begin(puppet, items: [order("hang")])
            let late = try await host.begin(puppet, items: [order("hang")], timeout: .seconds(4))
            try await daemon.clock.advance(by: .seconds(4))
            #expect(await late.outcome.cause == .requestTimeout)
            let leaving = try await host.begin(puppet, items: [order("exit", "3")])
            #expect(await leaving.outcome.cause == .exitedEarly)
            #expect(await patient.exit?.record.status == 3)
            let death = try #require(try await daemon.control.exits().last)
            #expect(death.exit.cause == .exitedEarly && death.decidedBy == "extension")
        }
    }

    @Test func megabytesOnBothStreamsBlockNobodyAndTheLogHoldsTheirSizesOnly() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addHostile("prints")
        try await besideAHealthyRequest(bundles, arguments: ["--timer", "idle=20ms", "--timer", "expire=20ms"]) {
            daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.prints", items: [.text("x")])
            #expect(await request.outcome.kind == .completed)
            _ = await request.exit
            let events = try await daemon.events().filter { $0.pid == request.processIdentifier }
            let printed = events.filter { $0.event == EventName.processOutput.rawValue }.compactMap(\.detail)
            let sizes = printed.compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
            #expect(sizes.reduce(0, +) == 8 << 20)
            #expect(events.allSatisfy { $0.detail?.contains("secret") != true })
        }
    }
}
