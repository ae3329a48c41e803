// DaemonKillTests: the daemon is killed before and after each thing that it does, and at random under load; no request is lost or doubled, nor
// the end of its process.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Synchronization
import Testing

private let isThorough = ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] != nil

@Suite(.serialized) struct DaemonKillTests {
    /// How requests ended, by name; and which.
    private struct Tally: Sendable {
        var outcomes: [String: Int] = [:]
        var completed: [RequestIdentifier] = []
        /// Those that ended as nobody should see it.
        var wrong: [String] = []
        /// Those that a process had of whose end their host did not hear.
        var unended: [String] = []

        mutating func take(_ request: ExtensionRequest, _ outcome: RequestOutcome, expecting cause: Cause) {
            outcomes["\(outcome.cause)", default: 0] += 1
            if outcome.cause == .completed { completed.append(request.identifier) }
            if outcome.cause != cause, outcome.cause != .daemonRestarted { wrong.append("\(request.identifier): \(outcome)") }
        }

        mutating func add(_ other: Tally) {
            outcomes.merge(other.outcomes) { $0 + $1 }
            completed += other.completed
            wrong += other.wrong
            unended += other.unended
        }
    }

    private final class Switch: Sendable {
        private let state = Mutex(false)
        var isOn: Bool { state.withLock { $0 } }
        func turnOn() { state.withLock { $0 = true } }
    }

    private static func provider() -> NSItemProvider {
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: "public.url") { completion, _, _ in
            completion?(NSURL(string: "https://example.org/value"), nil)
        }
        return provider
    }

    /// Whoever is not connected yet has lost nothing.
    private static func connect(_ name: String, _ manager: StandInManager) async throws -> HostApplication {
        for _ in 0..<20 {
            if let host = try? await HostApplication.connect(name: name, to: manager.address, patience: .seconds(20)) {
                return host
            }
        }
        return try await HostApplication.connect(name: name, to: manager.address, patience: .seconds(20))
    }

    /// Ends what runs, and waits until every request that a process had has heard of that one's end; those that have not.
    private static func unended(_ requests: [ExtensionRequest], _ manager: StandInManager) async throws -> [String] {
        // Said again to the next daemon; 66: nothing runs any more.
        try await eventually {
            let ending = try await Program.control(["kill", puppet], socket: manager.address.path).ending()
            return ending.status == 0 || ending.status == 66
        }
        var unended: [String] = []
        for request in requests where request.processIdentifier != nil {
            do {
                try await eventually { request.currentExit != nil }
            } catch { unended.append("\(request.identifier)") }
        }
        return unended
    }

    /// A request that loads and completes, one that its host cancels, one with completion work, and two moves of the host.
    private static func story(_ manager: StandInManager, notes: String) async throws -> Tally {
        var tally = Tally()
        let host = try await connect("notes", manager)
        let first = try host.start(puppet, items: [order("noteAndLoad", notes, attachments: [provider()])])
        tally.take(first, await first.outcome, expecting: .completed)
        if case .completed(let items) = await first.outcome {
            #expect(items.first?.userInfo?["value"] as? String == "https://example.org/value")
        }
        try await host.setState(.background)
        try await host.setState(.active)
        let second = try host.start(puppet, items: [order("hang")])
        _ = try? await second.delivered()
        do {
            try await second.cancel()
        } catch let error as ExtensionHostError {
            #expect(error.code == .noSuchRequest, "\(error)")
        }
        tally.take(second, await second.outcome, expecting: .cancelledByHost)
        let third = try host.start(puppet, items: [order("handler", "0.02")])
        tally.take(third, await third.outcome, expecting: .completed)
        tally.unended = try await unended([first, second, third], manager)
        host.disconnect()
        return tally
    }

    /// One story with daemons that are killed at these points; nil when the last of them was not reached.
    private static func run(_ points: [Int]) async throws -> Tally? {
        let bundles = try TestBundles.withPuppet()
        return try await withRestartingDaemon(bundles: bundles, ["--sandbox", "none"], killPoints: points) { manager in
            let notes = manager.folder.path + "/notes"
            let tally = try await withThrowingTaskGroup(of: Tally?.self) { group in
                group.addTask { try await story(manager, notes: notes) }
                group.addTask {
                    try await Task.sleep(for: .seconds(180))
                    return nil
                }
                defer { group.cancelAll() }
                guard let tally = try await group.next(), let tally else {
                    Issue.record("killed at \(points): something is waited for in vain\n\(manager.words)")
                    manager.abandon()
                    throw CancellationError()
                }
                return tally
            }
            #expect(tally.wrong.isEmpty, "killed at \(points): \(tally.wrong)\n\(manager.words)")
            #expect(tally.unended.isEmpty, "killed at \(points): \(tally.unended)\n\(manager.words)")
            let lines = Self.lines(notes)
            #expect(Set(lines).count == lines.count, "killed at \(points): begun twice\n\(manager.words)")
            let deaths = manager.deaths
            try await manager.stop()
            // Nobody is left, and in order nothing to go on with.
            try await eventually { running(bundles.path).isEmpty }
            let wasKilledAsItStopped = manager.deaths > deaths
            #expect(
                wasKilledAsItStopped || access(manager.folder.path + "/exthost/kept.journal", F_OK) != 0,
                "\(points)\n\(manager.words)")
            return manager.deaths == points.count ? tally : nil
        }
    }

    private static func lines(_ path: String) -> [String] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map { String($0.prefix(36)) }
    }

    /// Each point in turn until a daemon lives to the end; several at once. Without EXTHOST_LONG_TESTS a part of them.
    private static func exhaust(after first: [Int], step: Int, from start: Int = 1) async throws -> (points: Int, tally: Tally) {
        var (point, count) = (start, 0)
        var tally = Tally()
        var isOver = false
        while !isOver {
            let batch = (0..<4).map { point + $0 * step }
            let found = try await withThrowingTaskGroup(of: Tally?.self) { group in
                for point in batch { group.addTask { try await run(first + [point]) } }
                var found: [Tally?] = []
                for try await one in group { found.append(one) }
                return found
            }
            for one in found {
                if let one {
                    tally.add(one)
                    count += 1
                } else {
                    isOver = true
                }
            }
            point += batch.count * step
        }
        return (count, tally)
    }

    /// For whoever looks for what one of them has found.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["EXTHOST_KILL_POINTS"] != nil))
    func aKillAtTheseLosesAndDoublesNothing() async throws {
        let points = ProcessInfo.processInfo.environment["EXTHOST_KILL_POINTS"] ?? ""
        _ = try await Self.run(points.split(separator: ",").compactMap { Int($0) })
    }

    @Test func aKillAtEachPointLosesAndDoublesNothing() async throws {
        let (count, tally) = try await Self.exhaust(after: [], step: isThorough ? 1 : 11)
        print("killed at \(count) points: \(tally.outcomes)")
        #expect(count > (isThorough ? 60 : 6))
    }

    /// The daemon that goes on is killed, too, at each of its points.
    @Test func aKillOfTheSuccessorLosesAndDoublesNothing() async throws {
        let (count, tally) = try await Self.exhaust(after: [40], step: isThorough ? 1 : 11)
        print("killed again at \(count) points: \(tally.outcomes)")
        #expect(count > (isThorough ? 40 : 4))
    }

    @Test func killsAtRandomUnderLoadLoseAndDoubleNothing() async throws {
        let kills = isThorough ? 200 : 12
        let bundles = try TestBundles.withPuppet()
        let bystander = try Program.run("/bin/sleep", ["1000"], socket: "none")
        try await withRestartingDaemon(bundles: bundles, ["--sandbox", "none"]) { manager in
            let notes = manager.folder.path + "/notes"
            let isOver = Switch()
            let (tally, begun) = try await withThrowingTaskGroup(of: (Tally, [ExtensionRequest], HostApplication).self) { group in
                for number in 0..<3 {
                    group.addTask {
                        var tally = Tally()
                        var begun: [ExtensionRequest] = []
                        let host = try await Self.connect("host-\(number)", manager)
                        try await withThrowingTaskGroup(of: (ExtensionRequest, RequestOutcome).self) { requests in
                            var open = 0
                            while !isOver.isOn {
                                let request = try host.start(
                                    puppet, items: [order("noteAndLoad", notes, attachments: [Self.provider()])])
                                requests.addTask { (request, await request.outcome) }
                                begun.append(request)
                                open += 1
                                if open >= 4, let (request, outcome) = try await requests.next() {
                                    tally.take(request, outcome, expecting: .completed)
                                    open -= 1
                                }
                            }
                            for try await (request, outcome) in requests { tally.take(request, outcome, expecting: .completed) }
                        }
                        return (tally, begun, host)
                    }
                }
                var generator = SeededGenerator(seed: 20)
                while manager.deaths < kills {
                    let before = manager.starts
                    try await Task.sleep(for: .milliseconds(Int.random(in: 50...350, using: &generator)))
                    manager.kill()
                    try await eventually { manager.starts > before }
                }
                isOver.turnOn()
                var (all, begun) = (Tally(), [ExtensionRequest]())
                var hosts: [HostApplication] = []
                for try await (tally, requests, host) in group {
                    all.add(tally)
                    begun += requests
                    hosts.append(host)
                }
                all.unended = try await Self.unended(begun, manager)
                for host in hosts { host.disconnect() }
                return (all, begun)
            }
            print("killed \(manager.deaths) times at random: \(tally.outcomes)")
            #expect(tally.wrong.isEmpty, "\(tally.wrong.prefix(5))\n\(manager.words.suffix(20_000))")
            #expect(begun.count == tally.outcomes.values.reduce(0, +))
            #expect(tally.unended.isEmpty, "\(tally.unended.prefix(5))\n\(manager.words.suffix(20_000))")
            let lines = Self.lines(notes)
            #expect(Set(lines).count == lines.count, "begun twice")
            let completed = Set(tally.completed.map { "\($0)" })
            #expect(completed.isSubset(of: Set(lines)))
            try await manager.stop()
            try await eventually { running(bundles.path).isEmpty }
            #expect(manager.kept.isEmpty)
        }
        #expect(!isGone(bystander.pid))
    }
}
