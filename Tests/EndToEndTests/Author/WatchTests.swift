// WatchTests: run --watch and test --watch, with the changes that an author makes.

import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite struct WatchTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    private var script: URL { URL(fileURLWithPath: "\(folder.path)/Words/Words/words.py") }

    private func makeWords() async throws -> String {
        let made = try await Shell(folder: folder.path).run("exthostctl new services Words --language python -q")
        try #require(made.status == 0, "\(made)")
        return try String(contentsOf: script, encoding: .utf8)
    }

    /// In place, as some editors do; or at once, where an empty file seen first would be one change more.
    private func write(_ text: String, _ options: Data.WritingOptions = []) throws {
        try Data(text.utf8).write(to: script, options: options)
    }

    @Test func anExtensionRunsAgainAfterEachChangeAndAChangeEndsARunThatHangs() async throws {
        defer { try? folder.remove() }
        let text = try await makeWords()
        try #require(text.contains("len(text.split())"))
        let program = try Program.control(["run", folder.path + "/Words", "--text", "a b c", "--watch"])
        try await program.shows("words: 3")
        try write(text.replacing("len(text.split())", with: "7"))
        try await program.shows("words.py changed")
        try await program.shows("words: 7")
        try write(text.replacing("context.complete(", with: "print('hangs', flush=True) or str("))
        try await program.shows("hangs")
        try write(text.replacing("len(text.split())", with: "8"))
        try await program.shows("words: 8")
        // What is broken is told, and mended by the next change.
        try write(text.replacing("import exthost", with: "import nothing_of_this_name"))
        try await program.shows("nothing_of_this_name")
        try write(text.replacing("len(text.split())", with: "9"))
        try await program.shows("words: 9")
        try program.kill()
    }

    /// Of the run, of its extension, and of the loop.
    @Test func aSignalEndsTheRunAndTheLoop() async throws {
        defer { try? folder.remove() }
        let text = try await makeWords()
        try write(text.replacing("context.complete(", with: "print('hangs', flush=True) or str("))
        let program = try Program.control(["run", folder.path + "/Words", "--text", "a b c", "--watch"])
        try await program.shows("hangs")
        try program.end()
        let ending = try await program.ending()
        #expect(ending.status == 128 + SIGTERM, "\(ending)")
        #expect(!ending.errors.contains("waiting for a change"))
    }

    @Test func aScenarioIsTriedAgainAfterAChangeOfItAndOfTheExtension() async throws {
        defer { try? folder.remove() }
        let text = try await makeWords()
        // What a run writes into the folder is no change.
        let results = "\(folder.path)/Words/results.xml"
        let program = try Program.control(["test", folder.path + "/Words", "--junit", results, "--watch"])
        try await program.shows("ok 1 - words are counted")
        try write(text.replacing("len(text.split())", with: "7"), .atomic)
        try await program.shows("not ok 1 - words are counted")
        try Data("extension .\n\ntest \"seven\"\n  begin --text a\n  expect item userInfo.words = 7\n".utf8).write(
            to: URL(fileURLWithPath: "\(folder.path)/Words/Words.scenario"), options: .atomic)
        try await program.shows("ok 1 - seven")
        try program.kill()
        let runs = try await program.ending().output.components(separatedBy: "TAP version 14").count - 1
        #expect(runs == 3)
        #expect(FileManager.default.fileExists(atPath: results))
    }

    @Test func whatIsNoFolderOfSourcesIsNotWatched() async throws {
        defer { try? folder.remove() }
        let refused = try await Program.control(["run", "org.example.share", "--text", "a", "--watch"]).ending()
        #expect(refused.status == 64 && refused.errors.contains("--watch needs a folder of sources"), "\(refused)")
        let made = try await Shell(folder: folder.path).run(
            "exthostctl new services Words --language python -q && exthostctl run Words --text a --watch")
        #expect(made.status == 64 && made.output.contains("--watch needs a folder of sources"), "\(made)")
    }
}
