// SourceStepRun: the source step of a package: copies beside the build, which the compiler reads.

import Foundation
import Glibc
import LinuxSystem

struct SourceStepRun {
    /// Absolute: of the package.
    let package: String
    let description: PackageDescription
    /// SwiftPM's folder of the build.
    let scratch: String
    let isRelease: Bool
    let progress: @Sendable (String) -> Void

    /// What the step did for a build.
    struct Result {
        /// A file for the compiler's `-vfsoverlay`; nil where no file had to be rewritten.
        var overlay: String?
        /// Warnings.
        var findings: [ProjectFinding] = []
    }

    /// Products of exthost that bring `ExtensionFoundation`.
    private static let kit: Set<String> = [
        "ExtensionFoundation", "UIKit", "Social", "QuartzCore", "CoreGraphics", "SafariServices",
    ]

    /// Debug and release have objects of their own, and so what they were made of.
    private var folder: String { scratch + "/exthost-source/" + (isRelease ? "release" : "debug") }

    /// Rewrites the targets that have words of Apple's systems, and the packages of others that ask for the kit's
    /// modules. Runs nothing where no target has such words. Blocks.
    ///
    /// - Parameter wanted: the programs' targets; those that they depend on are looked at, too.
    func run(_ wanted: [PackageDescription.Target]) throws -> Result {
        var targets: [PackageDescription.Target] = []
        for target in wanted.flatMap({ description.closure(of: $0) })
        where !targets.contains(where: { $0.name == target.name }) {
            if AppleWords.appear(in: sources(target)) { targets.append(target) }
        }
        var report = SourceStepReport(targets: [])
        if let first = targets.flatMap(sources).first(where: { AppleWords.appear(in: [$0]) }) {
            report = try rewrite(targets, first)
        }
        if wanted.contains(where: hasKit) {
            report.targets += try ForeignPackages(
                packages: description.localPackages + checkouts, output: folder + "/packages"
            ).targets()
        }
        guard !report.targets.isEmpty else { return Result() }
        let overlay = try SourceOverlay(folder: folder).write(report)
        for module in overlay.stale { try? FileManager.default.removeItem(atPath: objects(of: module)) }
        return Result(overlay: overlay.path, findings: report.targets.flatMap(\.notes).map(ProjectFinding.init))
    }

    private func hasKit(_ target: PackageDescription.Target) -> Bool {
        description.closure(of: target).contains { !Self.kit.isDisjoint(with: $0.products) }
    }

    private func rewrite(_ targets: [PackageDescription.Target], _ first: String) throws -> SourceStepReport {
        let tool = try SourceStepTool(
            packages: description.localPackages + checkouts, scratch: scratch, progress: progress
        ).path(for: first)
        progress("rewriting the sources")
        let given = SourceStepDescription(
            targets: targets.map { target in
                SourceStepDescription.Target(
                    module: target.moduleName, files: sources(target), known: hasKit(target) ? nil : [])
            })
        return try SourceStepProcess.run(tool, given, output: folder)
    }

    private func sources(_ target: PackageDescription.Target) -> [String] {
        target.sources.filter { $0.hasSuffix(".swift") }.map { "\(package)/\(target.path)/\($0)" }
    }

    private var checkouts: [String] {
        let names = (try? listDirectory(scratch + "/checkouts", maximumCount: 1000)) ?? []
        return names.sorted().map { "\(scratch)/checkouts/\($0)" }
    }

    /// SwiftPM looks at the time of the original, which may not tell that the copy is another.
    private func objects(of module: String) -> String {
        "\(scratch)/\(isRelease ? "release" : "debug")/\(module).build"
    }
}

/// One run of the tool.
enum SourceStepProcess {
    static func run(
        _ tool: String, _ description: SourceStepDescription, output: String
    ) throws -> SourceStepReport {
        let input = output + "/description.json"
        do {
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            try JSONEncoder().encode(description).write(to: URL(fileURLWithPath: input), options: .atomic)
        } catch {
            throw ProjectError(
                ProjectFinding(
                    .notWritten, output, "\(error.localizedDescription)", remedy: "Let the folder be writable"))
        }
        var said = ""
        do {
            let compiler = try Compiler(
                tool, ["--output", output, "--description", input], ProcessInfo.processInfo.environment)
            let answer = compiler.output.readDataToEndOfFile()
            let status = try compiler.status()
            said =
                String(decoding: compiler.errors(atMost: 4096), as: UTF8.self).split(separator: "\n").first.map(
                    String.init) ?? ""
            if status == 0 { return try JSONDecoder().decode(SourceStepReport.self, from: answer) }
        } catch let error as SystemError {
            said = "\(error)"
        } catch is DecodingError {
            said = "its report is not understood"
        }
        throw ProjectError(
            ProjectFinding(
                .sourceStepMissing, tool, "the source step failed: \(said)",
                remedy: "Use the \(SourceStepTool.name) that came with this exthostctl"))
    }
}
