// Shell: lines of a page, or a test's own, as a person in a terminal gives them.

import Foundation
import LinuxSystem
import Testing

/// Runs command lines in a folder, with the built programs on the `PATH` and folders of its own for everything else.
struct Shell {
    struct Ending {
        let status: Int32
        /// Standard output and standard error as they came.
        let output: String
    }

    let folder: String
    /// A build of a whole package may take this long where the machine is busy.
    private static let patience = 540

    /// Bounded by timeout(1), which takes everything along that the line has started.
    func run(_ line: String) async throws -> Ending {
        let temporary = try TemporaryDirectory(prefix: "exthost-shell")
        defer { try? temporary.remove() }
        let file = temporary.path + "/output"
        try Data().write(to: URL(fileURLWithPath: file))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = ["--kill-after=10", "\(Self.patience)", "/bin/sh", "-c", line]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        var variables = ProcessInfo.processInfo.environment
        variables["PATH"] = SampleApplications.buildFolder + ":" + (variables["PATH"] ?? "")
        // Nor is a person's terminal a run of continuous integration, also where these tests run in one.
        for name in ["EXTHOST_SOCKET", "EXTHOST_APPLICATIONS", "EXTHOSTD", "CI"] { variables[name] = nil }
        variables["EXTHOST_EXTENSION_POINTS"] = temporary.path + "/none"
        process.environment = variables
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: file)
        process.standardError = process.standardOutput
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return Ending(status: status, output: try String(contentsOfFile: file, encoding: .utf8))
    }
}
