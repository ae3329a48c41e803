// StaleAppTests: an app that is older than its sources is never tested without a word.

import ExtensionHostTesting
import Foundation
import LinuxSystem
import Testing

/// In Python: an app is made without a compiler.
@Suite struct StaleAppTests {
    private let folder: TemporaryDirectory
    private var shell: Shell { Shell(folder: folder.path) }
    private var app: String { folder.path + "/Words/.build/bundles/WordsApp.app" }
    private var script: String { folder.path + "/Words/Words/words.py" }

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    private func bundle(_ options: String = "") async throws {
        let made = try await shell.run(
            "test -d Words || exthostctl new services Words --language python -q; exthostctl bundle Words -q \(options)"
        )
        try #require(made.status == 0 && made.output.isEmpty, "\(made)")
    }

    private func change() throws {
        let text = try String(contentsOfFile: script, encoding: .utf8)
        try Data((text + "# changed\n").utf8).write(to: URL(fileURLWithPath: script))
    }

    private func list(_ environment: String) async throws -> Shell.Ending {
        try await shell.run("\(environment) exthostctl with --applications Words/.build/bundles -- exthostctl list -q")
    }

    @Test func itIsAWarningAndAnErrorInContinuousIntegrationUntilItIsMadeAgain() async throws {
        defer { try? folder.remove() }
        try await bundle()
        for environment in ["CI=", "CI=true"] {
            let fresh = try await list(environment)
            #expect(fresh.status == 0 && !fresh.output.contains("older"), "\(fresh)")
        }
        try change()
        let difference = "WordsApp.app is older than its sources: \(script) was changed since"
        let warned = try await list("CI=")
        #expect(warned.status == 0 && warned.output.contains("warning: "), "\(warned)")
        #expect(
            warned.output.contains(difference) && warned.output.contains("org.example.words.extension"), "\(warned)")
        let refused = try await list("CI=true")
        #expect(refused.status == 64 && refused.output.contains(difference), "\(refused)")
        #expect(refused.output.contains("Bundle it again with exthostctl bundle"), "\(refused)")
        #expect(!refused.output.contains("org.example.words.extension"), "\(refused)")
        // Also where its extension is run by its path.
        let run = "exthostctl --ephemeral run ./Words/.build/bundles/WordsApp.app/PlugIns/Words.appex --text x"
        let old = try await shell.run("CI= \(run)")
        #expect(old.status == 0 && old.output.contains("warning: ") && old.output.contains(difference), "\(old)")
        #expect(try await shell.run("CI=true \(run)").status == 64)
        try await bundle()
        #expect(try await list("CI=true").status == 0)
    }

    /// The kit's process is this one, and so is its environment.
    @Test func theTimelineBeginsWithTheWarning() async {
        defer { try? folder.remove() }
        await #expect(processExitsWith: .success) {
            // In continuous integration the kit throws instead.
            unsetenv("CI")
            try await StaleAppTests().seeTheWarningInTheTimeline()
        }
    }

    private func seeTheWarningInTheTimeline() async throws {
        defer { try? folder.remove() }
        try await bundle()
        try await withTestDaemon(applications: [app]) { #expect($0.warnings.isEmpty) }
        try change()
        let other = "# added\n"
        try Data(other.utf8).write(to: URL(fileURLWithPath: folder.path + "/Words/Words/other.py"))
        // An app is compared once a process: this one was.
        try await withTestDaemon(applications: [app]) { #expect($0.warnings.isEmpty) }
        try await bundle()
        try change()
        try await withTestDaemon(applications: [folder.path + "/Words/.build/bundles"]) { daemon in
            #expect(daemon.warnings.count == 1)
            let timeline = try await daemon.timeline()
            #expect(
                timeline.hasPrefix("\n  warning: the app \(app) is older than its sources: \(script) was changed"),
                "\(timeline)")
        }
    }

    /// A release is for others, and its sources are nobody's business.
    @Test func aReleaseHasNoStamps() async throws {
        defer { try? folder.remove() }
        try await bundle()
        let stamps = try String(contentsOfFile: app + "/SourceStamps.json", encoding: .utf8)
        #expect(stamps.contains(script))
        try await bundle("--release")
        #expect(!FileManager.default.fileExists(atPath: app + "/SourceStamps.json"))
    }
}
