// MatrixTests: `exthostctl test --matrix`: which cells a sound extension handles, and which each bad one does not.

import ExtensionHostTesting
import Foundation
import TestPrograms
import Testing

@Suite struct MatrixTests {
    private func cells(_ run: TrialRun, _ arguments: [String]) async throws -> (
        status: Int32?, cells: [String: [String: Any]]
    ) {
        let ending = try await run.run(["--matrix"] + arguments + ["--json"])
        let document = try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any] ?? [:]
        let cells = document["cells"] as? [[String: Any]] ?? []
        return (ending.status, Dictionary(cells.map { ("\($0["shape"] ?? ""), \($0["policy"] ?? "")", $0) }) { $1 })
    }

    private static let shapes = ["url", "data", "file", "object"]
    private static let policies = ["fresh", "warm", "concurrent"]

    private static func all(_ shapes: [String] = shapes, _ policies: [String] = policies) -> Set<String> {
        Set(shapes.flatMap { shape in policies.map { "\(shape), \($0)" } })
    }

    /// The cells that are not handled, and words of what was found in each of them.
    private static let faults: [TrialExtension: (cells: Set<String>, found: String)] = [
        .goodLink: ([], ""),
        .forceCasts: (all(["data", "file", "object"]), ""),
        .crashesOnData: (all(["data", "object"]), "interrupted (crashed)"),
        .neverCompletes: (all(), "timedOut (requestTimeout)"),
        .completesTwice: (all(), "context.misused"),
        .ignoresExpiry: (all(), "process.exited (expired)"),
        .keepsState: (all(shapes, ["warm", "concurrent"]), "userInfo.shared is https://example.org/"),
        .notForTwo: (all(shapes, ["concurrent"]), "timedOut (requestTimeout)"),
        .exitsInstead: (all(), "interrupted (exitedEarly)"),
        .wrongItem: (all(["data", "object"]), "bytes, and not https://example.org/"),
    ]

    @Test(arguments: TrialExtension.allCases)
    func eachSampleIsFaultyInItsCellsAndInNoOther(sample: TrialExtension) async throws {
        let run = try TrialRun()
        let expected = try #require(Self.faults[sample])
        // A slow machine needs longer than the samples that never answer have.
        let limit = expected.found.hasPrefix("timedOut") ? "2s" : "20s"
        let (status, cells) = try await cells(run, [sample.identifier, "--limit", limit])
        #expect(status == (expected.cells.isEmpty ? 0 : 1))
        #expect(Set(cells.keys) == Self.all())
        let faulty = cells.filter { $0.value["verdict"] as? String == "notHandled" }
        #expect(Set(faulty.keys) == expected.cells, "\(faulty.mapValues { $0["found"] ?? "" })")
        for (name, cell) in faulty {
            let found = cell["found"] as? String ?? ""
            #expect(expected.found.isEmpty ? !found.isEmpty : found.contains(expected.found), "\(name): \(cell)")
            #expect((cell["remedy"] as? String)?.isEmpty == false, "\(name): \(cell)")
            #expect((cell["timeline"] as? [String])?.isEmpty == false)
        }
    }

    @Test func oneOfSeveralExtensionsIsChosenAsTheAdviceSays() async throws {
        let run = try TrialRun()
        let several = try await run.run(["--matrix", run.app])
        let id = TrialExtension.goodLink.identifier
        #expect(several.status == 64 && several.errors.contains("Choose one with --extension: "), "\(several)")
        #expect(several.errors.contains(id))
        let (status, cells) = try await cells(run, [run.app, "--extension", id, "--filter", "url, fresh"])
        #expect(status == 0 && cells.count == 1, "\(cells)")
        let twice = try await run.run(["--matrix", id, "--extension", id])
        #expect(twice.status == 64 && twice.errors.contains("--extension selects one of an app"), "\(twice)")
    }

    @Test func whatTheRuleDoesNotAcceptIsNoFault() async throws {
        let run = try TrialRun()
        let id = TrialExtension.goodLink.identifier
        let (status, cells) = try await cells(run, [id, "--text", "hello"])
        #expect(status == 0 && cells.values.allSatisfy { $0["verdict"] as? String == "notAccepted" }, "\(cells)")
        #expect((cells["url, fresh"]?["why"] as? String)?.isEmpty == false)
        let forced = try await self.cells(run, [id, "--text", "hello", "--force", "--filter", "fresh"])
        #expect(forced.status == 0 && forced.cells.count == 4, "\(forced.cells)")
        #expect(forced.cells.values.allSatisfy { $0["verdict"] as? String == "handled" })
    }

    @Test func oneRequestAProcessHasNoReuse() async throws {
        let run = try TrialRun()
        try run.bundles.add(
            "single", program: SampleApplications.buildFolder + "/Trial", point: "com.apple.app.non-ui-extension",
            principalClass: "Trial.GoodLink")
        let (status, cells) = try await cells(run, ["org.exthost.tests.single"])
        #expect(status == 0, "\(cells)")
        for (name, cell) in cells {
            #expect(
                cell["verdict"] as? String == (name.hasSuffix("fresh") ? "handled" : "impossible"), "\(name): \(cell)")
        }
        #expect((cells["url, warm"]?["why"] as? String)?.contains("serves one request") == true)
    }

    @Test func peopleGetATableAndProgramsTAPAndJUnit() async throws {
        let run = try TrialRun()
        let junit = run.bundles.path + "/matrix.xml"
        let ending = try await run.run([
            "--matrix", TrialExtension.crashesOnData.identifier, "--url", "https://example.org/x", "--junit", junit,
        ])
        #expect(
            ending.status == 1 && ending.output.hasPrefix("TAP version 14\n1..12\nok 1 - url, fresh #"), "\(ending)")
        #expect(ending.output.contains("not ok 4 - data, fresh"))
        #expect(ending.output.contains("  step: \"data in a new process\"\n"))
        let xml = try String(contentsOfFile: junit, encoding: .utf8)
        #expect(xml.contains("tests=\"12\" failures=\"6\"") && xml.contains("name=\"data, warm\""))
        for (arguments, words) in [
            (["--text", "a", "--text", "b"], "a matrix tests one content"), (["--title", "a"], "without a title"),
            (["--url", "nonsense"], "is not a link"), (["--filter", "x"], "no cell's name contains"),
        ] {
            let ending = try await run.run(["--matrix", TrialExtension.goodLink.identifier] + arguments)
            #expect(ending.status == 64 && ending.errors.contains(words), "\(arguments): \(ending)")
        }
    }
}
