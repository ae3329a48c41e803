// AuthorFolder: the place of an author who builds packages, and takes the steps of pages.

import LinuxSystem
import Testing

/// The folder of an author, who runs `exthostctl` and SwiftPM there.
final class AuthorFolder {
    /// The folder in which packages are built, beside the programs of this tree. It stays.
    enum Builds: String {
        case plain = "author"
        /// The source step has its own: with its option for the compiler, SwiftPM compiles every module again.
        case rewritten = "author-rewritten"

        var folder: String { SampleApplications.buildFolder + "/" + rawValue }
    }

    private let directory: TemporaryDirectory
    private let builds: Builds
    var path: String { directory.path }

    init(_ builds: Builds) throws {
        directory = try TemporaryDirectory(prefix: "exthost-author")
        self.builds = builds
    }

    deinit { try? directory.remove() }

    func run(_ line: String, in folder: String) async throws -> Shell.Ending {
        try await Shell(folder: folder).run("export SWIFTPM_BUILD_DIR='\(builds.folder)'; \(line)")
    }

    /// Takes every step of a page.
    func follow(_ name: String) async throws {
        let page = try GuidePage(name)
        #expect(page.steps.count > 5)
        let lines = try await page.follow(in: path) { line, place in try await self.run(line, in: place) }
        print("docs/\(name):", lines.filter { $0.contains("outcome after") }.joined(separator: "; "))
    }
}
