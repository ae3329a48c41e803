// DaemonKillTests: the daemon is killed before and after each thing that it does, and at random under load; no request
// is lost or doubled, nor the end of its process.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

private let isThorough = ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] != nil

@Suite(.serialized) struct DaemonKillTests {
    /// What a fixture says of how requests ended.
    private struct Tally: Sendable, Decodable {
        var begun = 0
        /// By the name of the cause.
        var outcomes: [String: Int] = [:]
        /// Those that completed and have to be in the puppet's notes.
        var noted: [String] = []
        /// Those that ended as nobody should see it.
        var wrong: [String] = []
        /// Those that a process had of whose end their host did not hear.
        var unended: [String] = []

        init() {}

        /// - Throws: the fixture has said something else.
        init(_ ending: Program.Ending) throws {
            guard let tally = try? JSONDecoder().decode(Self.self, from: Data(ending.output.utf8)) else {
                throw UnexpectedOutcome(outcome: "\(ending)")
            }
            self = tally
        }

        mutating func add(_ other: Tally) {
            begun += other.begun
            outcomes.merge(other.outcomes) { $0 + $1 }
            noted += other.noted
            wrong += other.wrong
            unended += other.unended
        }
    }

    /// Hosts in a program of their own, as in the booted systemd.
    private static func hosts(
        _ act: String, _ manager: StandInManager, notes: String, _ more: [String] = [], input: SharedDescriptor? = nil
    ) throws -> Program {
        try Program.run(
            SampleApplications.buildFolder + "/KillStory",
            [act, "--socket", manager.address.path, "--notes", notes] + more, socket: "none", input: input)
    }

    /// One story with daemons that are killed at these points; nil when the last of them was not reached.
    ///
    /// - Parameter prewarm: how many processes wait; then each request has one of its own.
    private static func run(_ story: String, _ points: [Int], prewarm: Int = 0) async throws -> Tally? {
        let bundles = try prewarm > 0 ? TestBundles.withPuppet(point: PrewarmingStage.point) : TestBundles.withPuppet()
        let arguments = try ["--sandbox", "none"] + PrewarmingStage.points(prewarm, in: bundles)
        return try await withRestartingDaemon(bundles: bundles, arguments, killPoints: points) { manager in
            let notes = manager.folder.path + "/notes"
            let hosts = try hosts(story, manager, notes: notes)
            let tally: Tally
            do {
                tally = try Tally(try await hosts.ending(within: 180_000))
            } catch {
                Issue.record("killed at \(points): \(error); something may be waited for in vain\n\(manager.words)")
                manager.abandon()
                throw error
            }
            #expect(tally.wrong.isEmpty, "killed at \(points): \(tally.wrong)\n\(manager.words)")
            #expect(tally.unended.isEmpty, "killed at \(points): \(tally.unended)\n\(manager.words)")
            let lines = Self.lines(notes)
            #expect(Set(lines).count == lines.count, "killed at \(points): begun twice\n\(manager.words)")
            #expect(Set(tally.noted).isSubset(of: Set(lines)), "killed at \(points)")
            #expect(tally.begun == tally.outcomes.values.reduce(0, +), "killed at \(points)")
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
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map {
            String($0.prefix(36))
        }
    }

    /// Each point in turn until a daemon lives to the end; several at once. Without EXTHOST_LONG_TESTS a part of them.
    private static func exhaust(
        _ story: String = "story", after first: [Int], step: Int, from start: Int = 1, prewarm: Int = 0
    )
        async throws -> (points: Int, tally: Tally)
    {
        var (point, count) = (start, 0)
        var tally = Tally()
        var isOver = false
        while !isOver {
            let batch = (0..<4).map { point + $0 * step }
            let found = try await withThrowingTaskGroup(of: Tally?.self) { group in
                for point in batch { group.addTask { try await run(story, first + [point], prewarm: prewarm) } }
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
        let story = ProcessInfo.processInfo.environment["EXTHOST_KILL_STORY"] ?? "story"
        _ = try await Self.run(story, points.split(separator: ",").compactMap { Int($0) })
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

    /// Its extension's process ends by itself meanwhile, and another serves.
    @Test func aKillBesideAProcessThatEndsLosesAndDoublesNothing() async throws {
        let (count, tally) = try await Self.exhaust("end", after: [], step: isThorough ? 1 : 17)
        print("killed at \(count) points, an extension ended: \(tally.outcomes)")
        #expect(count > (isThorough ? 80 : 4))
    }

    /// Some wait when the daemon is killed, some are being given their request.
    @Test func aKillWhileProcessesWaitLosesAndDoublesNothing() async throws {
        let (count, tally) = try await Self.exhaust(after: [], step: isThorough ? 1 : 17, prewarm: 2)
        print("killed at \(count) points, with processes that wait: \(tally.outcomes)")
        #expect(count > (isThorough ? 80 : 4))
    }

    @Test(arguments: [0, 3]) func killsAtRandomUnderLoadLoseAndDoubleNothing(prewarm: Int) async throws {
        let kills = isThorough ? 200 : 12
        let bundles = try prewarm > 0 ? TestBundles.withPuppet(point: PrewarmingStage.point) : TestBundles.withPuppet()
        let arguments = try ["--sandbox", "none"] + PrewarmingStage.points(prewarm, in: bundles)
        let bystander = try Program.run("/bin/sleep", ["1000"], socket: "none")
        try await withRestartingDaemon(bundles: bundles, arguments) { manager in
            let notes = manager.folder.path + "/notes"
            let (input, end) = try Program.pipe()
            let load = try Self.hosts("load", manager, notes: notes, ["--hosts", "3"], input: input)
            var generator = SeededGenerator(seed: 20)
            // On a busy processor no daemon may live for long enough to have a process that waits.
            if prewarm > 0 { try await eventually { manager.words.contains("prewarmed") } }
            while manager.deaths < kills {
                let before = manager.starts
                try await Task.sleep(for: .milliseconds(Int.random(in: 50...350, using: &generator)))
                manager.kill()
                try await eventually { manager.starts > before }
            }
            #expect(write(end.raw, "\n", 1) == 1)
            let tally = try Tally(try await load.ending(within: 120_000))
            print("killed \(manager.deaths) times at random: \(tally.outcomes)")
            #expect((prewarm > 0) == manager.words.contains("prewarmed"))
            #expect(tally.wrong.isEmpty, "\(tally.wrong.prefix(5))\n\(manager.words.suffix(20_000))")
            #expect(tally.begun == tally.outcomes.values.reduce(0, +))
            #expect(tally.unended.isEmpty, "\(tally.unended.prefix(5))\n\(manager.words.suffix(20_000))")
            let lines = Self.lines(notes)
            #expect(Set(lines).count == lines.count, "begun twice")
            #expect(Set(tally.noted).isSubset(of: Set(lines)))
            try await manager.stop()
            try await eventually { running(bundles.path).isEmpty }
            #expect(manager.kept.isEmpty)
        }
        #expect(!isGone(bystander.pid))
    }
}
