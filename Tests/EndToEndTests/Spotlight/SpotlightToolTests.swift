// SpotlightToolTests: `exthostctl run` and scenarios of a Spotlight index extension.

import ExtensionHostTesting
import Foundation
import LinuxSystem
import PointHosts
import TestPrograms
import Testing

@Suite struct SpotlightToolTests {
    private func run(_ arguments: String...) async throws -> Program.Ending {
        let index = try samples() + "/Samples.app/PlugIns/NoteIndex.appex"
        return try await Program.control(["run", index] + arguments).ending()
    }

    // spec: SI-20, PC-23
    @Test("SI-20, PC-23: run shows what was indexed, and searches") func runSearches() async throws {
        let all = try await run("--ephemeral")
        #expect(all.status == 0 && all.output.contains("added 5, replaced 0, deleted 0"), "\(all)")
        #expect(all.output.contains("Café with Zoë"))
        let found = try await run("--ephemeral", "--search", "coff")
        #expect(found.status == 0 && found.output.contains("2 found for coff"), "\(found)")
        #expect(found.output.contains("Shopping list") && found.output.contains("Coffee roasters"))
        #expect(!found.output.contains("Seeds"))
        let accents = try await run("--ephemeral", "--search", "cafe zoe", "--json")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(accents.output.utf8)) as? [String: Any])
        #expect(document["count"] as? Int == 1 && document["added"] as? Int == 5)
        #expect((document["items"] as? [[String: Any]])?.first?["uniqueIdentifier"] as? String == "3")
        let query = try await run("--ephemeral", "--query", #"domainIdentifier == "home*" && title != "*spring""#)
        #expect(query.status == 0 && query.output.contains("2 found"), "\(query)")
    }

    // spec: SI-20
    @Test("SI-20: run asks for items by their identifiers") func runAsksForItems() async throws {
        let some = try await run("--ephemeral", "--identifier", "3", "--identifier", "gone", "--json")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(some.output.utf8)) as? [String: Any])
        #expect(some.status == 0 && document["added"] as? Int == 1 && document["count"] as? Int == 1, "\(some)")
    }

    @Test func searchesWithoutAResultAndFaultyOnesAreTold() async throws {
        let none = try await run("--ephemeral", "--search", "xyz")
        #expect(none.status != 0 && none.output.contains("0 found"), "\(none)")
        let faulty = try await run("--ephemeral", "--query", "title ==")
        #expect(faulty.status == 64 && faulty.errors.contains("the query cannot be read"), "\(faulty)")
        let both = try await run("--ephemeral", "--query", "a == 1", "--search", "a")
        #expect(both.status == 64, "\(both)")
        let share = try await Program.control(
            ["run", try samples() + "/Samples.app/PlugIns/ShareLink.appex", "--ephemeral", "--search", "a"]
        ).ending()
        #expect(share.status == 64 && share.errors.contains("--search is for extensions of"), "\(share)")
    }

    // spec: PC-27, SI-20
    @Test("PC-27: a scenario asks for items, searches, and expects what is found") func scenarios() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let text = """
            extension org.exthost.samples.notes

            test "notes are found"
                reindex
                expect result indexed
                expect shown added = 5
                search coff
                expect result found
                expect shown count = 2
                expect shown items.0.title = "Coffee roasters"
                query 'title == "seeds*"c'
                expect shown items.0.uniqueIdentifier = "2"
                search "nothing of it"
                expect result nothing

            test "single notes are indexed"
                reindex 1 4
                expect shown added = 2
                search release
                expect shown count = 1
            """
        let path = folder.path + "/notes.scenario"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let ending = try await Program.control(["test", path, "--applications", try samples()]).ending()
        #expect(ending.status == 0, "\(ending)")
    }
}
