// TrialEngine: a web engine, and its trials by the program PageTrial.

import Foundation
import Glibc
import LinuxSystem
import Testing

/// An engine. A case more, and a line in PageTrial, are all that an engine needs for the tests.
enum TrialEngine: String, CaseIterable, CustomTestStringConvertible {
    case wpe
    case chromium

    static var installed: [TrialEngine] { allCases.filter(\.isInstalled) }

    var testDescription: String { rawValue }

    var isInstalled: Bool { files.contains { access($0, F_OK) == 0 } }

    private var files: [String] {
        switch self {
        case .wpe:
            ["x86_64-linux-gnu/", "aarch64-linux-gnu/", ""].map { "/usr/lib/\($0)libWPEWebKit-1.1.so.0" }
        case .chromium:
            ["/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"]
        }
    }

    /// Runs a trial, with a home and a folder for temporary files that last as long as it.
    ///
    /// - Parameters:
    ///   - trial: the name of the trial.
    ///   - input: the standard input of the trial.
    /// - Returns: the output of the trial.
    @discardableResult
    func run(_ trial: String, input: [UInt8] = []) async throws -> String {
        let result = try await withCheckedThrowingContinuation { continuation in
            // The death of the thread would end the program.
            Thread.detachNewThread { continuation.resume(with: Result { try runHere(trial, input) }) }
        }
        #expect(result.ending.status == .exited(0), "\(rawValue) \(trial): \(result.output)")
        #expect(result.files == [], "files of \(rawValue) \(trial)")
        return result.output
    }

    private func runHere(_ trial: String, _ input: [UInt8]) throws -> (
        output: String, ending: ProcessEnding, files: [String]
    ) {
        let home = try TemporaryDirectory(prefix: "page-trial")
        defer { try? home.remove() }
        let temporary = try TemporaryDirectory(prefix: "tmp", in: home.path)
        let path = home.path + "/output"
        let output = OwnedDescriptor(owning: open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
        var attributes = SpawnAttributes(
            executable: Bundle.main.bundleURL.appending(path: "PageTrial").path, arguments: [rawValue, trial],
            environment: ["HOME=\(home.path)", "TMPDIR=\(temporary.path)", "PATH=/usr/bin:/bin", "TZ=UTC"])
        attributes.standardOutput = .descriptor(output.raw)
        try Data(input).write(to: URL(fileURLWithPath: home.path + "/input"))
        let given = OwnedDescriptor(owning: open(home.path + "/input", O_RDONLY | O_CLOEXEC))
        attributes.standardInput = .descriptor(given.raw)
        let process = try spawn(attributes)
        var entry = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        // The guard ends a trial that hangs.
        _ = poll(&entry, 1, 600_000)
        try process.signalTree(SIGKILL)
        while poll(&entry, 1, -1) < 0 {}
        let ending = try #require(try process.reap())
        // WebKit's compiler leaves a file behind when it refuses a list.
        let files = try FileManager.default.contentsOfDirectory(atPath: temporary.path)
            .filter { !$0.hasPrefix("ContentRuleList") }
        return (try String(contentsOfFile: path, encoding: .utf8), ending, files)
    }
}
