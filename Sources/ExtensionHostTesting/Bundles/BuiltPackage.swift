// BuiltPackage: the apps of the package under test, bundled from the programs that this test run has built.

import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import SourceStamps

extension TestDaemon {
    /// Makes the apps of a package from the programs beside the running test, as `exthostctl bundle --programs` does.
    ///
    /// `swift test` has built these programs. Each package is bundled once for a test run.
    ///
    /// - Parameter package: the package's folder, or a path in it, such as `#filePath`.
    /// - Returns: the paths of the apps.
    /// - Throws: `ExtensionHostError` `invalidArgument` with the package's problem, `noDaemon` without an `exthostctl`.
    public static func bundle(package: String) async throws -> [String] {
        try await BuiltPackages.shared.bundles(of: package)
    }
}

/// The packages of this process's tests.
private actor BuiltPackages {
    static let shared = BuiltPackages()

    private var bundles: [String: Task<[String], any Error>] = [:]

    func bundles(of path: String) async throws -> [String] {
        let package = try BuiltPackage(containing: path)
        let task = bundles[package.folder] ?? Task { try await DaemonProcess.onThread { try package.bundle() } }
        bundles[package.folder] = task
        return try await task.value
    }
}

private struct BuiltPackage: Sendable {
    /// The absolute path of the package's folder.
    let folder: String

    /// Finds the nearest `Package.swift`, upwards.
    init(containing path: String) throws {
        var place = URL(fileURLWithPath: path).standardizedFileURL
        while access(place.path + "/Package.swift", F_OK) != 0 {
            guard place.path != "/" else {
                throw ExtensionHostError(
                    .invalidArgument, "no folder above \(path) has a Package.swift",
                    remedy: "Name the package's folder, or #filePath")
            }
            place.deleteLastPathComponent()
        }
        folder = place.path
    }

    /// The output of `exthostctl bundle --json`.
    private struct Report: Decodable {
        struct Bundle: Decodable { let path: String }
        struct Finding: Decodable {
            let severity: String
            let file: String
            let line: Int?
            let message: String
            let remedy: String
        }

        let bundles: [Bundle]
        let findings: [Finding]
    }

    /// Makes the apps and waits for them.
    ///
    /// Another process of the same test run may run beside this one: the first makes the apps, the others find them
    /// made.
    func bundle() throws -> [String] {
        let programs = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .deletingLastPathComponent().path
        let output = "\(programs)/exthost-tests/\(URL(fileURLWithPath: folder).lastPathComponent)"
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        // The lock ends with the descriptor.
        let lock = open("\(output).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard lock >= 0 else { throw SystemError("open") }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 { guard errno == EINTR else { throw SystemError("flock") } }

        let made = apps(in: output)
        if !made.isEmpty, made.allSatisfy(isCurrent) { return made }
        let report = try bundle(programs, output)
        let paths = report.bundles.map(\.path).sorted()
        // The app belongs to a target that the package no longer has.
        for app in made where !paths.contains(app) { try removeTree(app) }
        return paths
    }

    private func apps(in output: String) -> [String] {
        ((try? listDirectory(output, maximumCount: 1000)) ?? []).filter { $0.hasSuffix(".app") }.sorted().map {
            "\(output)/\($0)"
        }
    }

    private func isCurrent(_ app: String) -> Bool {
        guard let stamps = SourceStamps(app: app) else { return false }
        return stamps.project == folder && stamps.difference == nil
    }

    private func bundle(_ programs: String, _ output: String) throws -> Report {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try DaemonProgram.locateTool())
        process.arguments = ["bundle", folder, "--programs", programs, "--output", output, "--json"]
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        try process.run()
        let written = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard let report = try? JSONDecoder().decode(Report.self, from: written),
            process.terminationStatus == 0 || !report.findings.isEmpty
        else {
            throw ExtensionHostError(
                .internalError, "exthostctl bundle \(folder) exited with status \(process.terminationStatus)",
                remedy: "Read the reason on standard error")
        }
        let errors = report.findings.filter { $0.severity == "error" }
        guard let first = errors.first else { return report }
        let lines = errors.map { finding in
            let place = finding.line.map { "\(finding.file):\($0)" } ?? finding.file
            return printable("\(place): \(finding.message). \(finding.remedy)")
        }
        throw ExtensionHostError(
            .invalidArgument, "\(folder) cannot be bundled: \(printable(first.message))",
            remedy: printable(first.remedy),
            cause: lines.joined(separator: "\n"))
    }
}
