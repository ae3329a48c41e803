// ExplorerTests: the explorer finds the mistakes that were planted, by the shortest order of events, and finds nothing
// where none was.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite(.serialized) struct ExplorerTests {
    /// A mistake of Tests/Fixtures/Racer, how it shows, and the shortest order that shows it.
    struct Race: Sendable, CustomTestStringConvertible {
        let act: String
        let kind: Breakage.Kind
        let order: String
        var testDescription: String { act }
    }

    /// Those that few schedules find.
    static let quickRaces = [
        Race(act: "forcesCleared", kind: .crash, order: "begin, cancel"),
        Race(act: "ignoresExpiry", kind: .overrun, order: "begin, background"),
        Race(act: "sharesState", kind: .wrongAnswer, order: "begin, second"),
        Race(act: "trustsFile", kind: .crash, order: "begin, answer 1, kill"),
        Race(act: "firstIsEnough", kind: .wrongAnswer, order: "begin, answer 2"),
        Race(act: "deadlocks", kind: .hang, order: "begin, answer 2"),
    ]
    static let slowRaces = [
        Race(act: "completesTwice", kind: .misuse, order: "begin, answer 1, background"),
        Race(act: "writesInBackground", kind: .wrongAnswer, order: "begin, answer 1, background"),
        Race(act: "keepsLock", kind: .hang, order: "begin, second, cancel"),
        Race(act: "keepsCancelled", kind: .wrongAnswer, order: "begin, answer 1, cancel, second"),
    ]
    /// Those that show only where what an extension says takes its time, or its host is inactive and no more.
    static let fineRaces = [
        Race(act: "staysPaused", kind: .hang, order: "begin, inactive"),
        Race(act: "refusesWhileFinishing", kind: .wrongAnswer, order: "begin, hold, answer 1, answer 2, second"),
    ]
    private static let limit = 200

    /// The racer's, for as long as the test runs.
    private let bundles: TestBundles

    init() throws {
        bundles = try TestBundles()
        try bundles.add("racer", program: SampleApplications.buildFolder + "/Racer", principalClass: "Racer.Racer")
    }

    private func explorer(_ act: String) -> ExtensionExplorer {
        let order = NSExtensionItem()
        order.userInfo = ["do": act]
        let words = NSExtensionItem()
        words.attachments = ["first", "second"].map {
            NSItemProvider(item: $0 as NSString, typeIdentifier: "public.plain-text")
        }
        return ExtensionExplorer(
            ExplorationSubject("org.exthost.tests.racer", in: [bundles.path], items: [order, words]))
    }

    @Test func aRaceIsFoundByTheShortestOrderWhichBreaksItAgain() async throws {
        let explorer = explorer("firstIsEnough")
        let found = try await explorer.explore(seed: 1, schedules: 50)
        let finding = try #require(found.finding)
        #expect(finding.breakage.kind == .wrongAnswer)
        #expect(finding.schedule.description == "begin, answer 2")
        #expect(finding.timeline.contains(EventName.itemLoadStarted.rawValue))
        let again = try await explorer.play(try #require(Schedule(finding.schedule.description)))
        #expect(again.finding?.breakage == finding.breakage)
        // The same seed tries the same.
        let repeated = try await explorer.explore(seed: 1, schedules: 50)
        #expect(repeated.schedules == found.schedules && repeated.finding?.schedule == finding.schedule)
    }

    @Test(arguments: quickRaces + fineRaces.prefix(1))
    func aPlantedRaceIsFoundAndBreaksAgainByItsSeedAndByItsOrder(_ race: Race) async throws { try await expect(race) }

    @Test(
        .enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"),
        arguments: slowRaces + fineRaces.dropFirst())
    func theOtherPlantedRacesAreFoundAndBreakAgain(_ race: Race) async throws { try await expect(race) }

    /// What is found is what was planted, and the seed and the order that are printed bring it about again.
    private func expect(_ race: Race) async throws {
        let explorer = explorer(race.act)
        let found = try await explorer.explore(seed: 1, schedules: Self.limit)
        let finding = try #require(found.finding)
        #expect(finding.breakage.kind == race.kind && finding.schedule.description == race.order, "\(finding)")
        let again = try await explorer.play(try #require(Schedule(race.order)))
        #expect(again.finding?.breakage.kind == race.kind)
        let repeated = try await explorer.explore(seed: found.seed, schedules: Self.limit)
        #expect(repeated.schedules == found.schedules && repeated.finding?.schedule == finding.schedule)
    }

    /// It takes a hundred schedules and more to find it, and one to show it.
    @Test func whatIsSaidOnTheWayOfAnAnswerIsHeldBackUntilItIsLetThrough() async throws {
        let order = try #require(Schedule("begin, hold, answer 1, answer 2, second"))
        let found = try await explorer("refusesWhileFinishing").play(order)
        #expect(found.finding?.breakage.kind == .wrongAnswer, "\(String(describing: found.finding))")
        let without = try #require(Schedule("begin, answer 1, answer 2, second"))
        #expect(try await explorer("refusesWhileFinishing").play(without).finding == nil)
        #expect(try await explorer("sound").play(order).finding == nil)
    }

    /// What is open in a suspended process does not end by itself: the host comes back first.
    @Test func anOrderThatLeavesTheHostAwayEnds() async throws {
        let error = await #expect(throws: ExtensionHostError.self) {
            _ = try await explorer("sound").play(try #require(Schedule("begin, background, second, answer 9")))
        }
        #expect(error?.code == .invalidArgument)
    }

    /// It cannot be told from one that hangs, and what is printed says so.
    @Test func anExtensionThatSleepsInRealTimeIsToldToBeTakenForOneThatHangs() async throws {
        let finding = try #require(try await explorer("sleeps").explore(seed: 1, schedules: 1).finding)
        #expect(
            finding.breakage.kind == .hang && finding.breakage.detail.contains("sleeps in real time"),
            "\(finding.breakage)")
    }

    @Test(arguments: ["sound", "soundInBackground"])
    func inASoundExtensionNothingIsFound(act: String) async throws {
        let found = try await explorer(act).explore(seed: 1, schedules: 25)
        #expect(found.finding == nil, "\(found.finding.map { "\($0.breakage)\n\($0.schedule)\($0.timeline)" } ?? "")")
    }

    @Test func anOrderThatCannotBeIsNoneThatBreaksNothing() async throws {
        let error = await #expect(throws: ExtensionHostError.self) {
            _ = try await explorer("sound").play(try #require(Schedule("begin, answer 1, answer 3, cancel")))
        }
        #expect(
            error?.code == .invalidArgument && error?.description.contains("begin, answer 1”") == true,
            "\(String(describing: error))")
    }

    @Test func whatCannotBeReachedIsNoSoundExtension() async throws {
        let nobody = ExtensionExplorer(ExplorationSubject("org.exthost.tests.nobody", in: [bundles.path], items: []))
        await expectNoExtension { try await nobody.explore(schedules: 5) }
        await expectNoExtension { try await nobody.play(Schedule()) }
    }

    private func expectNoExtension(_ body: () async throws -> Exploration) async {
        let error = await #expect(throws: ExtensionHostError.self) { _ = try await body() }
        #expect(error?.code == .noSuchExtension)
    }

    /// Of ten planted races at least nine, in a median of at most 50 schedules; beside it a random walk.
    @Test(.enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"))
    func theExplorerFindsThePlantedRacesAndNothingInSoundExtensions() async throws {
        var rows: [String] = []
        var counts: [Int] = []
        for race in Self.quickRaces + Self.slowRaces + Self.fineRaces {
            let act = race.act
            let found = try await explorer(act).explore(seed: 1, schedules: Self.limit)
            let walk = try await explorer(act).explore(seed: 1, schedules: Self.limit, by: .randomWalk)
            if found.finding != nil { counts.append(found.schedules) }
            func words(_ exploration: Exploration) -> String {
                exploration.finding == nil ? "> \(exploration.schedules)" : "\(exploration.schedules)"
            }
            let finding = found.finding.map { "\($0.breakage.kind.rawValue) | \($0.schedule)" } ?? "nothing |"
            rows.append("| \(act) | \(words(found)) | \(words(walk)) | \(finding) |")
            StandardStreams.writeError(rows.last! + "\n")
        }
        counts.sort()
        #expect(counts.count >= 11, "\(rows.joined(separator: "\n"))")
        #expect((counts.isEmpty ? .max : counts[counts.count / 2]) <= 50, "\(counts)")
        for act in ["sound", "soundInBackground"] {
            let found = try await explorer(act).explore(seed: 1, schedules: Self.limit)
            StandardStreams.writeError("| \(act) | nothing in \(found.schedules) | | |\n")
            #expect(
                found.finding == nil,
                "\(act): \(found.finding.map { "\($0.breakage)\n\($0.schedule)\($0.timeline)" } ?? "")")
        }
    }

    @Test func theVerbPrintsTheOrderAndEndsWithOne() async throws {
        let program = SampleApplications.buildFolder + "/exthostctl"
        let items = bundles.path + "/items.json"
        let json =
            #"[{"userInfo": {"do": "firstIsEnough"}}, {"attachments": [{"types": ["public.plain-text"], "values": {"public.plain-text": "first"}}, {"types": ["public.plain-text"], "values": {"public.plain-text": "second"}}]}]"#
        try Data(json.utf8).write(to: URL(fileURLWithPath: items))
        let arguments = ["explore", "org.exthost.tests.racer", "--applications", bundles.path, "--items", items]
        let ending = try await Program.run(program, arguments + ["--schedules", "50"], socket: "").ending()
        #expect(ending.status == 1, "\(ending.errors)")
        #expect(ending.output.contains("begin, answer 2") && ending.output.contains("seed 1"), "\(ending.output)")
        let replay = try await Program.run(program, arguments + ["--order", "begin", "--json"], socket: "").ending()
        #expect(
            replay.status == 0 && replay.output.contains(#""finding":null"#)
                || replay.output.contains(#""finding": null"#))
        let nonsense = try await Program.run(program, arguments + ["--order", "answer"], socket: "").ending()
        #expect(nonsense.status == 64)
    }
}
