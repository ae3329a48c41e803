// FaultsOnDemandTests: each fault that a daemon lets happen on demand has its consequence, and hurts nobody else.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct FaultsOnDemandTests {
    /// What follows of a fault for a request that loads an item and returns it, with 30 s to do so.
    struct Consequence: Sendable, CustomTestStringConvertible {
        let kind: FaultKind
        let point: FaultPoint
        var sent = false
        /// Seconds that a connection is slow.
        var delay = 1.0
        let cause: Cause
        let exit: Cause

        var testDescription: String {
            "\(kind.rawValue) at \(point.rawValue)\(sent ? ", sent" : "")\(delay == 1 ? "" : " for \(delay) s")"
        }
    }

    private static let consequences = [
        Consequence(kind: .kill, point: .loadOpen, cause: .crashed, exit: .crashed),
        Consequence(kind: .crash, point: .loadAnswered, cause: .crashed, exit: .crashed),
        Consequence(kind: .crash, point: .launching, cause: .crashed, exit: .crashed),
        Consequence(kind: .kill, point: .answered, cause: .completed, exit: .crashed),
        Consequence(kind: .stop, point: .delivered, cause: .requestTimeout, exit: .requestTimeout),
        Consequence(kind: .truncate, point: .delivered, cause: .protocolViolation, exit: .protocolViolation),
        Consequence(kind: .truncate, point: .launching, cause: .protocolViolation, exit: .protocolViolation),
        Consequence(kind: .duplicate, point: .delivered, cause: .protocolViolation, exit: .protocolViolation),
        Consequence(kind: .reorder, point: .delivered, cause: .protocolViolation, exit: .protocolViolation),
        Consequence(kind: .garbage, point: .loadOpen, cause: .protocolViolation, exit: .protocolViolation),
        Consequence(kind: .slow, point: .delivered, delay: 20, cause: .completed, exit: .idle),
        Consequence(kind: .slow, point: .delivered, delay: 40, cause: .requestTimeout, exit: .requestTimeout),
        Consequence(kind: .slow, point: .loadAnswered, sent: true, delay: 20, cause: .completed, exit: .idle),
        Consequence(
            kind: .slow, point: .delivered, sent: true, delay: 40, cause: .requestTimeout, exit: .requestTimeout),
        Consequence(kind: .cut, point: .loadOpen, cause: .completed, exit: .idle),
        Consequence(kind: .exit, point: .loadOpen, cause: .exitedEarly, exit: .exitedEarly),
        Consequence(kind: .closeSocket, point: .loadOpen, cause: .protocolViolation, exit: .protocolViolation),
        Consequence(kind: .hostCancel, point: .delivered, cause: .cancelledByHost, exit: .idle),
        Consequence(kind: .hostCancel, point: .idle, cause: .completed, exit: .idle),
        Consequence(
            kind: .operatorKill, point: .loadAnswered, cause: .terminatedByOperator, exit: .terminatedByOperator),
        Consequence(kind: .truncate, point: .delivered, sent: true, cause: .exitedEarly, exit: .exitedEarly),
        Consequence(kind: .duplicate, point: .loadAnswered, sent: true, cause: .exitedEarly, exit: .exitedEarly),
        Consequence(kind: .reorder, point: .loadAnswered, sent: true, cause: .exitedEarly, exit: .exitedEarly),
        Consequence(kind: .garbage, point: .loadAnswered, sent: true, cause: .exitedEarly, exit: .exitedEarly),
    ]

    @Test(arguments: consequences)
    func aFaultOfAnExtensionHasItsConsequenceAndNoOther(_ expected: Consequence) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: ["--timer", "load=24h"]) {
            daemon in
            try await daemon.faults.add(
                expected.kind, at: expected.point, of: puppet, delay: .seconds(expected.delay), sent: expected.sent)
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [loading], timeout: .seconds(30))
            // Whatever time limits there are, and the process's end.
            try await pass(daemon, host)
            #expect(await request.outcome.cause == expected.cause)
            #expect(await request.exit?.record.cause == expected.exit)
            try await expectInjected("\(expected.kind.rawValue) at \(expected.point.rawValue)", times: 1, in: daemon)
            // It happened once.
            let next = try await host.begin(puppet, items: [loading])
            #expect(await next.outcome.cause == .completed)
            #expect(try await daemon.faults.orders.map(\.struck) == [1])
        }
    }

    /// In either order.
    @Test(arguments: [(20, 10), (10, 20)])
    func aConnectionThatIsSlowTwiceAtOnceIsSlowForTheLongerTime(first: Int, second: Int) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: ["--timer", "load=24h"]) {
            daemon in
            try await daemon.faults.add(.slow, at: .delivered, delay: .seconds(first))
            try await daemon.faults.add(.slow, at: .delivered, delay: .seconds(second))
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [loading], timeout: .seconds(30))
            try await daemon.clock.advance(by: .milliseconds(19_999))
            try await daemon.settle(host)
            #expect(try await daemon.control.requests().count == 1)
            try await daemon.clock.advance(by: .milliseconds(1))
            #expect(await request.outcome.kind == .completed)
            // Nothing is left of either.
            let next = try await host.begin(puppet, items: [loading])
            #expect(await next.outcome.kind == .completed)
        }
    }

    @Test func aConnectionThatBreaksIsTakenUpAgain() async throws {
        let bundles = try TestBundles.withPuppet()
        // So long an extension has to come back: a second is little on a busy machine.
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "term=1min"]) { daemon in
            try await daemon.faults.add(.cut, at: .delivered)
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [loading])
            #expect(await request.outcome.cause == .completed)
            let names = try await daemon.events().map(\.event)
            #expect(
                names.contains(EventName.connectionLost.rawValue)
                    && names.contains(EventName.connectionResumed.rawValue))
        }
    }

    @Test(arguments: [TestDaemon.ClockKind.real, .virtual])
    func aHostThatIsGoneLosesItsRequestsAndNobodyElseDoes(clock: TestDaemon.ClockKind) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: clock) { daemon in
            try await daemon.faults.add(.hostGone, at: .loadOpen)
            let (notes, mail) = (try await daemon.host("notes"), try await daemon.host("mail"))
            let request = try await notes.begin(puppet, items: [loading])
            #expect(await request.outcome.cause == .connectionLost)
            try await daemon.event { $0.event == EventName.hostDisconnected.rawValue && $0.host == "notes" }
            let ends = try await daemon.events().filter {
                $0.request == request.identifier && $0.event == EventName.requestCancelled.rawValue
            }
            #expect(ends.map(\.cause) == [.cancelledByHost])
            let next = try await mail.begin(puppet, items: [loading])
            #expect(await next.outcome.cause == .completed)
        }
    }

    @Test(arguments: [TestDaemon.ClockKind.real, .virtual])
    func aBundleThatIsRemovedUnderwayEndsItsRequestsAndCanBeAddedAgain(clock: TestDaemon.ClockKind) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: clock) { daemon in
            try await daemon.faults.add(.removeBundle, at: .loadOpen)
            let host = try await daemon.host("notes")
            let path = "\(bundles.path)/Tests.app/PlugIns/puppet.appex"
            // One that hangs, as its load may be answered before another thread has removed it.
            try await daemon.faults.add(.slow, at: .loadOpen, delay: .seconds(20))
            let request = try await host.begin(puppet, items: [loading])
            #expect(await request.outcome.cause == .terminatedByOperator)
            await #expect(throws: ExtensionHostError.self) { _ = try await host.begin(puppet, items: [loading]) }
            _ = try await daemon.control.add(path: path)
            let next = try await host.begin(puppet, items: [loading])
            #expect(await next.outcome.cause == .completed)
        }
    }

    @Test(arguments: [FaultKind.noDescriptors, .noMemory, .fullDisk])
    func aLaunchForWhichSomethingHasRunOutFailsByNameAndTheNextDoesNot(kind: FaultKind) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            try await daemon.faults.add(kind, at: .spawning)
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("count")])
            #expect(await request.outcome.cause == .launchFailed)
            let why = try #require(await request.explanation)
            let words = [
                FaultKind.noDescriptors: "Too many open files", .noMemory: "Cannot allocate memory",
                .fullDisk: "No space left",
            ]
            #expect(why.description.contains(try #require(words[kind])), "\(why)")
            #expect(why.remedy?.isEmpty == false)
            #expect(why.remedy?.contains("runs by itself") == false, "\(why)")
            let next = try await host.begin(puppet, items: [order("count")])
            #expect(await next.outcome.cause == .completed)
        }
    }

    @Test func aBusThatGoesIsSaidAndEverythingElseGoesOn() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--bus", "private"]) { daemon in
            try await daemon.faults.add(.busGone, at: .delivered)
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("count")])
            #expect(await request.outcome.cause == .completed)
            try await daemon.event { $0.event == EventName.busLost.rawValue }
            #expect(try await daemon.control.status().bus == nil)
        }
    }

    @Test func aDaemonThatCannotListenSaysWhyAndDoesNotComeUp() async throws {
        let error = await #expect(throws: ExtensionHostError.self) { () async throws in
            _ = try await TestDaemon.start(applications: [], arguments: ["--fault", "starting=noDescriptors"])
        }
        #expect(error?.code == .noDaemon)
    }

    @Test func aDaemonThatOthersUseLetsNoFaultsHappen() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let daemon = try await Program.daemon(in: folder.path, [])
        let ending = try await Program.control(
            ["fault", "add", "idle", "kill"], socket: folder.path + "/exthost/host.sock"
        ).ending()
        #expect(ending.status == 77 && ending.errors.contains("exthostd --ephemeral"), "\(ending.errors)")
        withExtendedLifetime(daemon) {}
        let refused = try await Program.run(
            SampleApplications.buildFolder + "/exthostd", ["--fault", "idle=kill"], socket: ""
        ).ending()
        #expect(refused.status == 64 && refused.errors.contains("--ephemeral"), "\(refused.errors)")
    }

    // MARK: The same seed

    private static let runs = ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] == nil ? 4 : 100

    @Test(arguments: [1, 2, 3], Language.allCases)
    func theSameSeedGivesTheSameEventLogEachTime(seed: Int, language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        var first: NormalForm?
        for run in 1...Self.runs {
            let signature = try await signature(of: bundles, seed: seed)
            if let first {
                let difference = signature.firstDifference(from: first)
                #expect(
                    difference == nil,
                    "run \(run) of seed \(seed) in \(language):\n\(signature)\nand at first\n\(first)")
            } else {
                first = signature
                #expect(signature.lines.contains { $0.contains(EventName.faultInjected.rawValue) })
            }
        }
    }

    /// Three requests, one after the other, and faults that the seed picks.
    private func signature(of bundles: TestBundles, seed: Int) async throws -> NormalForm {
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            try await daemon.faults.addRandom(6, seed: seed)
            let host = try await daemon.host("notes")
            for _ in 1...3 {
                // Not waiting for it: a slow hello takes time, which moves below.
                let request = try host.application.start(puppet, items: [loading], timeout: .seconds(30))
                try await pass(daemon, host)
                _ = await request.outcome
            }
            return NormalForm(try await daemon.events(), isExact: false)
        }
    }

    // MARK: The verbs

    @Test func theVerbsListAddShowAndClear() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let list = try await control(["fault", "list"], daemon).output
            for point in FaultPoint.allCases { #expect(list.contains("\(point.rawValue) "), "\(point)") }
            for kind in FaultKind.allCases { #expect(list.contains("\(kind.rawValue) "), "\(kind)") }
            let catalogue = try await json(["fault", "list"], daemon)
            #expect((catalogue["points"] as? [[String: Any]])?.count == FaultPoint.allCases.count)
            #expect((catalogue["faults"] as? [[String: Any]])?.count == FaultKind.allCases.count)

            #expect(
                try await control(["fault", "add", "delivered", "kill", "--times", "2", "--extension", puppet], daemon)
                    .status
                    == 0)
            let picked = try await control(["fault", "add", "--random", "3", "--seed", "5", "--json"], daemon)
            #expect(picked.status == 0)
            #expect(
                try await control(["fault", "add", "--random", "3", "--seed", "5", "--json"], daemon).output
                    == picked.output)
            let host = try await daemon.host("notes")
            let killed = try await host.begin(puppet, items: [order("count")])
            #expect(await killed.outcome.cause == .crashed)
            let orders = try await control(["fault", "orders"], daemon).output
            #expect(orders.contains("delivered") && orders.contains("STRUCK"), "\(orders)")
            #expect(try await daemon.faults.orders.map(\.struck) == [1, 0, 0, 0, 0, 0, 0])
            #expect(try await control(["fault", "clear"], daemon).status == 0)
            #expect(try await daemon.faults.orders.isEmpty)
            let served = try await host.begin(puppet, items: [order("count")])
            #expect(await served.outcome.cause == .completed)
        }
    }

    @Test(arguments: [
        ["add"], ["add", "nowhere", "kill"], ["add", "idle", "luck"], ["add", "spawning", "kill"],
        ["add", "idle", "kill", "--sent"],
        ["add", "starting", "noMemory"], ["add", "idle", "kill", "--for", "3s"],
        ["add", "idle", "kill", "--times", "0"],
        ["add", "idle", "--random", "3"], ["add", "--random", "0"],
    ])
    func whatCannotBeOrderedIs64InOneLine(arguments: [String]) async throws {
        let ending = try await Program.control(["fault"] + arguments, socket: "/nonexistent/host.sock").ending()
        #expect(ending.status == 64)
        #expect(ending.errors.split(separator: "\n").count == 1, "\(ending.errors)")
    }

    // MARK: Parts

    private var loading: NSExtensionItem {
        order(
            "load",
            attachments: [NSItemProvider(item: NSURL(string: "https://example.org"), typeIdentifier: "public.url")])
    }

    /// Whatever time limits there are, and the process's end, second by second: what an instant causes has happened
    /// before the next one.
    private func pass(_ daemon: TestDaemon, _ host: FakeHost) async throws {
        for _ in 0..<45 {
            try await daemon.settle(host)
            try await daemon.clock.advance(by: .seconds(1))
        }
        try await daemon.settle(host)
    }

    private func expectInjected(_ words: String, times: Int, in daemon: TestDaemon) async throws {
        let injected = try await daemon.events().filter { $0.event == EventName.faultInjected.rawValue }
        #expect(injected.count == times && injected.allSatisfy { $0.detail?.hasPrefix(words) == true }, "\(injected)")
    }
}
