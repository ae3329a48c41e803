// FolderVerbTests: a folder of sources, which test and lint take as run does.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct FolderVerbTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path + "/Words" }

    init() async throws {
        directory = try TemporaryDirectory(prefix: "exthost-folder-tests")
        let made = try await Program.run(
            "/bin/sh",
            [
                "-c",
                "cd \(directory.path) && exec \(SampleApplications.buildFolder)/exthostctl new services Words --language python",
            ],
            socket: "/nonexistent"
        ).ending()
        try #require(made.status == 0, "\(made)")
    }

    private func run(_ words: [String]) async throws -> Program.Ending {
        try await Program.control(words, socket: "/nonexistent").ending()
    }

    @Test func theScenarioInItIsTried() async throws {
        defer { try? directory.remove() }
        for path in [folder, folder + "/"] {
            let ending = try await run(["test", path])
            #expect(ending.status == 0 && ending.output.contains("ok 1 - "), "\(ending)")
        }
        // It need not name the extension that it lies beside.
        let scenario = folder + "/Words.scenario"
        let text = try String(contentsOfFile: scenario, encoding: .utf8).replacingOccurrences(
            of: "extension .\n", with: "")
        try text.write(toFile: scenario, atomically: true, encoding: .utf8)
        let unnamed = try await run(["test", folder])
        #expect(unnamed.status == 0, "\(unnamed)")
        #expect(try await run(["test", scenario]).status == 64)

        try FileManager.default.copyItem(atPath: scenario, toPath: folder + "/Other.scenario")
        let several = try await run(["test", folder])
        #expect(several.status == 64 && several.errors.contains("Other.scenario, \(scenario)"), "\(several)")
    }

    @Test func itsAppIsMadeAndLinted() async throws {
        defer { try? directory.remove() }
        let sound = try await run(["lint", folder])
        #expect(sound.status == 0 && sound.errors.contains("0 errors"), "\(sound)")
        let place = folder + "/Words/Info.plist"
        let text = try String(contentsOfFile: place, encoding: .utf8)
        try text.replacingOccurrences(of: "NSExtensionPointIdentifier", with: "NSExtensionPointIdentifiers")
            .write(toFile: place, atomically: true, encoding: .utf8)
        let faulty = try await run(["lint", folder, "--json"])
        let findings = try #require(
            try JSONSerialization.jsonObject(with: Data(faulty.output.utf8)) as? [[String: Any]], "\(faulty)")
        #expect(faulty.status == 1 && findings.contains { $0["severity"] as? String == "error" }, "\(faulty)")
    }
}
