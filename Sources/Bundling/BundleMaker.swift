// BundleMaker: from a folder of sources to its apps.

public import BundleLint
import ExtensionPoints
import Foundation
import Glibc
import LinuxSystem
import SourceStamps

/// An app that was made.
public struct MadeBundle: Sendable, Hashable {
    public struct Extension: Sendable, Hashable {
        public let identifier: String
        /// The target's or folder's.
        public let name: String
    }

    public struct Program: Sendable, Hashable {
        public let path: String
        /// The bundle's.
        public let identifier: String
        public let isExtension: Bool
        /// Bytes.
        public let size: Int
    }

    /// Absolute; ends in `.app`.
    public let path: String
    public let identifier: String
    /// Scripts too.
    public let extensions: [Extension]
    /// Those that were built; scripts are none.
    public internal(set) var programs: [Program]
}

/// Makes the apps of a folder: a SwiftPM package, or scripts with their `Info.plist`. Each target, or folder, that has an `Info.plist` is an
/// extension, if there is `NSExtension` in it, or else an app; docs/bundling.md has the rules. Reads files, runs `swift`, and waits for it:
/// never on a loop.
public struct BundleMaker: Sendable {
    /// The folder.
    public var folder: String
    public var mode = LinkMode.staticStandardLibrary
    /// Optimised, and judged as a store would.
    public var isRelease = false
    /// Where the apps go; nil for `.build/bundles` in the folder.
    public var output: String?
    /// Where SwiftPM builds; nil for `.build` below the folder, in a place that depends on the mode.
    public var scratch: String?
    /// A folder of programs that are built already; nil to build them.
    public var programs: String?
    /// Build settings, each `NAME=VALUE`.
    public var settings: [String] = []
    /// The names of the extensions that are wanted; empty for all, of a project file for all that can be built.
    public var only: Set<String> = []
    /// The configuration of a project file; nil for `Debug`, or `Release` where `isRelease`.
    public var configuration: String?
    /// The packages on which the one made of a project file depends.
    public var kit: KitModules?
    /// Whether the sources of a project's app are built, too.
    public var includesApp = false
    /// Whether modules that a project's extensions import and nobody has are written as stubs, beside the project.
    public var writesStubs = false

    /// - Parameter folder: of a package or of scripts; or an `.xcodeproj`, or the folder of one.
    public init(folder: String) { self.folder = folder }

    /// What was made, and what lint warns of.
    public struct Result: Sendable {
        public var bundles: [MadeBundle] = []
        public var findings: [ProjectFinding] = []
        /// Files that were written into the author's sources.
        public var entryPoints: [String] = []
        /// Modules that were written as stubs.
        public var stubs: [String] = []
        /// How long SwiftPM took.
        public var buildTime = Duration.zero
    }

    /// Makes all apps, or none: where one fails, the old bundles stay where they are.
    ///
    /// - Parameters:
    ///   - lint: which points are known; its findings count.
    ///   - progress: called with what is being done, for people, on the caller's thread.
    /// - Throws: `ProjectError` with everything that is wrong.
    public func make(lint: BundleLint, progress: @escaping @Sendable (String) -> Void) throws -> Result {
        let folder = URL(fileURLWithPath: folder).standardizedFileURL.path
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ProjectError(
                ProjectFinding(.nothingToBundle, folder, "there is no such folder", remedy: "Name the folder of a package"))
        }
        guard programs == nil, let project = XcodeProject.find(in: folder) else {
            return try make(folder, generated: nil, lint, progress)
        }
        progress("reading the project")
        let generated = try generate(project)
        do {
            try generated.write()
            var result = try make(generated.folder, generated: generated, lint, progress)
            result.findings = generated.findings + result.findings.map { $0.placed(generated.place) }
            result.entryPoints = []
            result.stubs = generated.stubs
            return result
        } catch let error as ProjectError {
            throw ProjectError(generated.findings + error.findings.map { $0.placed(generated.place) })
        }
    }

    /// The package that stands for a project.
    private func generate(_ path: String) throws(ProjectError) -> GeneratedPackage {
        let path = ProjectPaths.standardized(path)
        guard let kit else {
            throw ProjectError(
                ProjectFinding(
                    .kitMissing, path, "nothing says where exthost's own package lies, which its extensions are to stand on",
                    remedy: "Name its folder with --kit"))
        }
        let project = try XcodeProject(path, configuration: configuration ?? (isRelease ? "Release" : "Debug"))
        var wish = GeneratedPackage.Wish()
        wish.only = only
        wish.given = try givenSettings(path)
        wish.includesApp = includesApp
        wish.writesStubs = writesStubs
        let place = scratch.map { "\(ProjectPaths.standardized($0))/\(project.name)" }
        return try GeneratedPackage(
            project, kit: kit, folder: place ?? "\(project.folder)/.build/exthost/\(project.name)", wish: wish)
    }

    /// - Parameter generated: the package in `folder`, if it was made of a project file.
    private func make(
        _ folder: String, generated: GeneratedPackage?, _ lint: BundleLint, _ progress: @escaping @Sendable (String) -> Void
    ) throws -> Result {
        let isPackage = access(folder + "/Package.swift", F_OK) == 0
        var build = PackageBuild(package: folder, mode: mode, isRelease: isRelease, scratch: scratch, progress: progress)
        progress("reading the package")
        let description = isPackage && programs == nil ? try build.describe() : nil
        let project = try BundleProject(
            folder: folder, package: description, given: try givenSettings(folder), only: only, origins: generated?.origins)

        let output = URL(fileURLWithPath: output ?? (generated?.project.folder ?? folder) + "/.build/bundles").standardizedFileURL
            .path
        var stamps: SourceStamps?
        func writer(_ app: BundleProject.App, _ programs: String?) -> BundleWriter {
            BundleWriter(app: app, package: description, programs: programs, output: output, lint: lint, stamps: stamps)
        }
        var result = Result()
        var built = programs.map { URL(fileURLWithPath: $0).standardizedFileURL.path } ?? folder
        if description != nil {
            // What is wrong without any program need not wait for the compiler.
            for app in project.apps { try writer(app, nil).examine() }
            result.entryPoints = try writeEntryPoints(project)
        }
        // The files as they are before the build reads them: an edit during the build counts. A release is for others.
        if !isRelease { stamps = generated?.stamps ?? sourceStamps(project, description) }
        if description != nil {
            let products = Set(project.parts.compactMap(\.product)).sorted()
            result.buildTime = try ContinuousClock().measure { built = try compile(project, &build, products, &result.findings) }
        }
        progress("writing the bundle")
        for (bundle, findings) in try BundleWriter.write(project.apps.map { writer($0, built) }) {
            result.bundles.append(bundle)
            result.findings += findings
        }
        return result
    }

    /// Builds the programs, from rewritten copies where sources have words of Apple's systems.
    private func compile(
        _ project: BundleProject, _ build: inout PackageBuild, _ products: [String], _ findings: inout [ProjectFinding]
    ) throws -> String {
        guard let description = project.package else { return try build.build(products) }
        // The step looks at their sources.
        if description.fetchesPackages, access(build.scratchFolder + "/checkouts", F_OK) != 0 { try build.resolve() }
        let step = SourceStepRun(
            package: project.folder, description: description, scratch: build.scratchFolder, isRelease: isRelease,
            progress: build.progress)
        let rewritten = try step.run(project.parts.filter { $0.product != nil }.compactMap(\.target))
        build.overlay = rewritten.overlay
        findings += rewritten.findings
        do {
            return try build.build(products)
        } catch let error as ProjectError {
            throw ProjectError(error.findings + rewritten.findings)
        }
    }

    /// Whether a path is an `.xcodeproj`, or a folder that has one and is no package. Looks at files.
    public static func isXcodeProject(_ path: String) -> Bool { XcodeProject.find(in: path) != nil }

    /// Whether a folder is a package, is or has a project file, or has an `Info.plist` in it. Looks at files.
    public static func hasSources(_ folder: String) -> Bool {
        XcodeProject.find(in: folder) != nil || access(folder + "/Package.swift", F_OK) == 0
            || !BundleProject.foldersWithInformation(folder).isEmpty
    }

    /// The files of the bundles and of their programs' targets, the package's own, and those of packages in other
    /// folders. Programs that were built elsewhere are sources, too.
    private func sourceStamps(_ project: BundleProject, _ package: PackageDescription?) -> SourceStamps {
        func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
        let parts = project.parts
        let targets = parts.compactMap(\.target).flatMap { package?.closure(of: $0) ?? [] }
        var folders = parts.map(\.folder) + targets.map { "\(project.folder)/\($0.path)" }
        var files =
            (["Package.swift", "Package.resolved"] + BundlePart.files(in: project.folder, ending: ".xcconfig"))
            .map { "\(project.folder)/\($0)" }
        for local in package?.localPackages ?? [] {
            files.append(local + "/Package.swift")
            folders.append(isThere(local + "/Sources") ? local + "/Sources" : local)
        }
        if let programs {
            let place = URL(fileURLWithPath: programs).standardizedFileURL.path
            files += parts.compactMap(\.product).map { "\(place)/\($0)" }
            if isThere(project.folder + "/Package.swift") { folders.append(project.folder + "/Sources") }
        }
        return SourceStamps(project: project.folder, folders: folders, files: files)
    }

    private func givenSettings(_ folder: String) throws(ProjectError) -> BuildSettings {
        var given = BuildSettings()
        for text in settings {
            guard let (name, value) = BuildSettings.assignment(text) else {
                throw ProjectError(
                    ProjectFinding(
                        .settingInvalid, folder, "“\(text)” is no setting", remedy: "Write NAME=VALUE, as MARKETING_VERSION=1.2"))
            }
            given[name] = value
        }
        return given
    }

    /// For each extension's target without a `main`.
    private func writeEntryPoints(_ project: BundleProject) throws -> [String] {
        var written: [String] = []
        for part in project.apps.flatMap(\.extensions) where part.product != nil && part.target?.isProgram == true {
            guard !EntryPoint.exists(in: part.sources) else { continue }
            try EntryPoint.write(into: part.folder)
            written.append("\(part.folder)/\(EntryPoint.fileName)")
        }
        return written
    }
}

extension BundlePart {
    fileprivate var product: String? { if case .product(let name) = program { name } else { nil } }
}
