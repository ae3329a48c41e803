// Shell: lines of a page, or a test's own, as a person in a terminal gives them.

import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

/// Runs command lines in a folder, with the built programs on the `PATH` and folders of its own for everything else.
struct Shell {
    struct Ending {
        let status: Int32
        /// Standard output and standard error as they came.
        let output: String
    }

    let folder: String
    /// The seconds that a build of a whole package may take on a slow machine: one processor took 600.
    private static let patience = 1_800

    /// Bounded by timeout(1), which takes everything along that the line has started.
    func run(_ line: String) async throws -> Ending {
        let temporary = try TemporaryDirectory(prefix: "exthost-shell")
        defer { try? temporary.remove() }
        let file = temporary.path + "/output"
        try Data().write(to: URL(fileURLWithPath: file))
        var variables = ProcessInfo.processInfo.environment
        variables["PATH"] = SampleApplications.buildFolder + ":" + (variables["PATH"] ?? "")
        // Nor is a person's terminal a run of continuous integration, also where these tests run in one.
        for name in ["EXTHOST_SOCKET", "EXTHOST_APPLICATIONS", "EXTHOSTD", "CI"] { variables[name] = nil }
        variables["EXTHOST_EXTENSION_POINTS"] = temporary.path + "/none"
        // A file, as what the line left would keep a pipe open.
        let output = SharedDescriptor(owning: open(file, O_WRONLY | O_APPEND | O_CLOEXEC))
        let program = try Program(
            "/usr/bin/timeout", ["--kill-after=10", "\(Self.patience)", "/bin/sh", "-c", line], environment: variables,
            in: folder, output: output, errors: output)
        let ending = try await program.ending(within: Int32(Self.patience + 60) * 1_000)
        return Ending(status: try #require(ending.status), output: try String(contentsOfFile: file, encoding: .utf8))
    }
}
