// SourceStepRun: the source step of a package, which writes copies beside the build for the compiler.

import Foundation
import Glibc
import LinuxSystem

struct SourceStepRun {
    /// The absolute path of the package.
    let package: String
    let description: PackageDescription
    /// SwiftPM's folder of the build.
    let scratch: String
    let isRelease: Bool
    let progress: @Sendable (String) -> Void

    /// The result of the step for a build.
    struct Result {
        /// The file for the compiler's `-vfsoverlay`; nil if no file had to be rewritten.
        var overlay: String?
        /// The warnings of the step.
        var findings: [ProjectFinding] = []
    }

    /// The products of exthost that include `ExtensionFoundation`.
    static let kit: Set<String> = [
        "ExtensionFoundation", "UIKit", "Social", "QuartzCore", "CoreGraphics", "SafariServices", "NotificationCenter",
        "UserNotifications", "UserNotificationsUI", "Intents", "IntentsUI", "Photos", "PhotosUI", "CoreSpotlight",
        "FileProvider", "FileProviderUI", "AudioToolbox", "CoreAudioKit", "AVFoundation", "NetworkExtension",
        "KeyboardService", "DocumentPickerService", "BackgroundTransfers", "IdentityLookup", "IdentityLookupUI",
        "QuickLook", "QuickLookUI", "QuickLookThumbnailing", "CallKit", "ImageIO", "AVKit", "ReplayKit",
        "AuthenticationServices", "Messages", "MapKit", "MetalKit", "CoreImage",
        "MediaPlayer", "SpriteKit", "SceneKit", "ClassKit", "CryptoTokenKit",
    ]

    /// The step's folder. Debug and release have separate objects, and thus separate copies.
    private var folder: String { scratch + "/exthost-source/" + (isRelease ? "release" : "debug") }

    /// Rewrites the targets that use names of Apple's systems, and other authors' packages with conditions on the kit's
    /// modules.
    ///
    /// It runs nothing if no target uses such names. Blocks.
    ///
    /// - Parameter wanted: the programs' targets; the targets that they depend on are checked as well.
    func run(_ wanted: [PackageDescription.Target]) throws -> Result {
        var targets: [PackageDescription.Target] = []
        var first: String?
        for target in wanted.flatMap({ description.closure(of: $0) })
        where !targets.contains(where: { $0.name == target.name }) {
            guard let file = AppleWords.first(in: sources(target)) else { continue }
            targets.append(target)
            first = first ?? file
        }
        var report = SourceStepReport(targets: [])
        if let first { report = try rewrite(targets, first) }
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
                    module: target.moduleName, files: sources(target), known: hasKit(target) ? nil : [],
                    transfers: description.closure(of: target).contains {
                        $0.products.contains(KitModules.transfers)
                    },
                    keychain: description.closure(of: target).contains {
                        $0.products.contains(KitModules.keychain)
                    })
            })
        return try SourceStepProcess.run(tool, given, output: folder)
    }

    /// Returns the files of a target. The entry point may have been written after SwiftPM described the package.
    private func sources(_ target: PackageDescription.Target) -> [String] {
        let named = target.sources.filter { $0.hasSuffix(".swift") }
        let entry = [EntryPoint.fileName].filter {
            target.isProgram && !named.contains($0) && access("\(package)/\(target.path)/\($0)", F_OK) == 0
        }
        return (named + entry).map { "\(package)/\(target.path)/\($0)" }
    }

    private var checkouts: [String] {
        let names = (try? listDirectory(scratch + "/checkouts", maximumCount: 1000)) ?? []
        return names.sorted().map { "\(scratch)/checkouts/\($0)" }
    }

    /// Returns the folder of a module's objects. SwiftPM compares the time of the original, not of the copy.
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
                    .notWritten, output, "\(error.localizedDescription)", remedy: "Make the folder writable"))
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
                remedy: "Use the \(SourceStepTool.name) of this exthostctl's version"))
    }
}
