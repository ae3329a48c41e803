// SourceStepTool: the location of the program exthost-source, and its build.

import Foundation
import Glibc
import LinuxSystem

struct SourceStepTool {
    static let name = "exthost-source"
    static let variable = "EXTHOST_SOURCE_STEP"
    /// The folder of its package, below that of exthost.
    static let package = "Packages/SourceStep"

    /// The folders of packages that may be exthost's.
    let packages: [String]
    /// The folder in which the tool is built if its package's own folder is not ours to write in.
    let scratch: String
    let progress: @Sendable (String) -> Void

    /// Returns the tool's path. If its package is newer, the tool is built first; that takes minutes once.
    ///
    /// - Throws: `ProjectError` if there is no tool. Such sources cannot be built without it.
    func path(for file: String) throws -> String {
        if let named = ProcessInfo.processInfo.environment[Self.variable], !named.isEmpty {
            guard access(named, X_OK) == 0 else {
                throw missing(file, "\(Self.variable) names \(named), which is not a program")
            }
            return named
        }
        if let installed = Self.installed { return installed }
        guard let folder = (packages + Self.around).map({ "\($0)/\(Self.package)" }).first(where: Self.isPackage) else {
            throw missing(file, "there is no \(Self.name) to rewrite the sources")
        }
        return try build(folder, file)
    }

    private func missing(_ file: String, _ message: String) -> ProjectError {
        ProjectError(
            ProjectFinding(
                .sourceStepMissing, file, "it has words of Objective-C, and \(message)",
                remedy:
                    "Make the package depend on a checkout of exthost, install it (Scripts/install), or name it in "
                    + Self.variable))
    }

    // MARK: Where it lies

    private static var ownFolder: String? {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
    }

    private static var installed: String? {
        guard let own = ownFolder else { return nil }
        return ["\(own)/\(name)", "\(own)/../libexec/exthost/\(name)"].map {
            URL(fileURLWithPath: $0).standardizedFileURL.path
        }
        .first { access($0, X_OK) == 0 }
    }

    /// The folders around this program, which may lie in the build folder of exthost's own package.
    private static var around: [String] {
        var folders: [String] = []
        var folder = ownFolder.map { URL(fileURLWithPath: $0) }
        while let one = folder, one.path != "/" {
            folders.append(one.path)
            folder = one.deletingLastPathComponent()
        }
        return folders
    }

    private static func isPackage(_ folder: String) -> Bool { access(folder + "/Package.swift", F_OK) == 0 }

    // MARK: Building it

    private func build(_ folder: String, _ file: String) throws -> String {
        // SwiftPM owns its checkouts, so nothing is built there.
        let isOwn = !folder.contains("/checkouts/") && access(folder, W_OK) == 0
        let place = isOwn ? folder + "/.build" : scratch + "/source-step"
        let built = "\(place)/debug/\(Self.name)"
        if Self.isNewer(built, than: folder) { return built }
        progress("building \(Self.name), once: this takes some minutes")
        let build = PackageBuild(package: folder, mode: .dynamic, isRelease: false, scratch: place, progress: progress)
        do {
            return "\(try build.build([Self.name]))/\(Self.name)"
        } catch let error as ProjectError {
            throw missing(
                file, "\(Self.name) cannot be built: \(error.findings.first?.message ?? "swift build failed")")
        }
    }

    /// Whether the program is newer than the last change of its sources.
    private static func isNewer(_ program: String, than folder: String) -> Bool {
        guard let made = modified(program) else { return false }
        let names = FileManager.default.enumerator(atPath: folder + "/Sources")?.compactMap { $0 as? String } ?? []
        let sources = ["Package.swift"] + names.map { "Sources/\($0)" }
        return sources.allSatisfy { (modified("\(folder)/\($0)") ?? made) <= made }
    }

    private static func modified(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}
