// SampleApplications: the samples' app, bundled once for a test run out of what was built beside the tests.

import Foundation
import Glibc
import TestPrograms

/// The folder that holds `Samples.app`.
enum SampleApplications {
    /// Where this run's programs were built.
    static let buildFolder = URL(
        fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    )
    .deletingLastPathComponent().path

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// Bundled beside the programs, by one process at a time: the folder belongs to the build.
    static let folder: Result<String, any Error> = Result {
        removeThoseOfEndedRuns()
        let destination = buildFolder + prefix + String(getpid())
        try FileManager.default.createDirectory(atPath: destination, withIntermediateDirectories: true)
        guard try Program.status(of: root + "/Scripts/bundle-samples", [buildFolder, destination]) == 0 else {
            throw CocoaError(.fileNoSuchFile)
        }
        atexit { SampleApplications.remove() }
        return destination
    }

    private static let prefix = "/test-applications-"

    /// A run that was killed could not remove its folder of more than a gigabyte.
    private static func removeThoseOfEndedRuns() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: buildFolder)) ?? [] {
            guard "/\(name)".hasPrefix(prefix), let process = pid_t(name.dropFirst(prefix.count - 1)),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(atPath: "\(buildFolder)/\(name)")
        }
    }

    private static func remove() {
        if case .success(let path) = folder { try? FileManager.default.removeItem(atPath: path) }
    }
}

/// The folder, for a test that needs it.
func samples() throws -> String { try SampleApplications.folder.get() }
