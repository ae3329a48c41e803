// BundleMaker: the build of apps from a folder of sources.

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
        /// The name of the target or of the folder.
        public let name: String
    }

    public struct Program: Sendable, Hashable {
        public let path: String
        /// The identifier of the bundle.
        public let identifier: String
        public let isExtension: Bool
        /// The size in bytes.
        public let size: Int
    }

    /// The absolute path, which ends in `.app`.
    public let path: String
    public let identifier: String
    /// The extensions, including scripts.
    public let extensions: [Extension]
    /// The programs that were built, without scripts.
    public internal(set) var programs: [Program]
}

/// The build of the apps of a folder: a SwiftPM package, or scripts with their `Info.plist`.
///
/// Each target or folder that has an `Info.plist` becomes an extension if the list has `NSExtension`, a framework if its
/// package type is `FMWK`, else an app.
/// docs/bundling.md has the rules. It reads files, runs `swift`, and waits for it, so it never runs on a loop.
public struct BundleMaker: Sendable {
    /// The folder of the sources.
    public var folder: String
    public var mode = LinkMode.staticStandardLibrary
    /// Whether the build is optimised, and checked as a store would check it.
    public var isRelease = false
    /// The folder for the apps; nil for `.build/bundles` in the folder.
    public var output: String?
    /// The folder in which SwiftPM builds; nil for `.build` below the folder, in a place that depends on the mode.
    public var scratch: String?
    /// A folder of programs that are already built; nil to build them.
    public var programs: String?
    /// The build settings, each `NAME=VALUE`.
    public var settings: [String] = []
    /// The names of the requested extensions; empty for all, or for all buildable ones of a project file.
    public var only: Set<String> = []
    /// The configuration of a project file; nil for `Debug`, or for `Release` if `isRelease`.
    public var configuration: String?
    /// The packages that the generated package of a project file depends on.
    public var kit: KitModules?
    /// Whether the sources of a project's app are built as well.
    public var includesApp = false
    /// Whether missing modules that a project's extensions import are written as stubs, beside the project.
    public var writesStubs = false
    /// Whether each error of lint keeps a project's bundle from being made, even one that Xcode accepts.
    public var isStrict = false

    /// - Parameter folder: the folder of a package or of scripts; or an `.xcodeproj`, or the folder of one.
    public init(folder: String) { self.folder = folder }

    /// The bundles that were made, and lint's warnings.
    public struct Result: Sendable {
        public var bundles: [MadeBundle] = []
        public var findings: [ProjectFinding] = []
        /// The files that were written into the author's sources.
        public var entryPoints: [String] = []
        /// The modules that were written as stubs.
        public var stubs: [String] = []
        /// The time that SwiftPM took.
        public var buildTime = Duration.zero
    }

    /// Makes all apps, or none: if one fails, all old bundles remain.
    ///
    /// - Parameters:
    ///   - lint: the linter with the known points. Its findings count.
    ///   - progress: called with the current step, for people, on the caller's thread.
    /// - Throws: `ProjectError` with all faults.
    public func make(lint: BundleLint, progress: @escaping @Sendable (String) -> Void) throws -> Result {
        let folder = URL(fileURLWithPath: folder).standardizedFileURL.path
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ProjectError(
                ProjectFinding(
                    .nothingToBundle, folder, "the folder does not exist", remedy: "Name the folder of a package"))
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

    /// Generates the package that represents a project.
    private func generate(_ path: String) throws(ProjectError) -> GeneratedPackage {
        let path = ProjectPaths.standardized(path)
        guard let kit else {
            throw ProjectError(
                ProjectFinding(
                    .kitMissing, path,
                    "the folder of exthost's own package, on which the extensions depend, is not known",
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

    /// - Parameter generated: the package in `folder`, if it was generated from a project file.
    private func make(
        _ folder: String, generated: GeneratedPackage?, _ lint: BundleLint,
        _ progress: @escaping @Sendable (String) -> Void
    ) throws -> Result {
        let isPackage = access(folder + "/Package.swift", F_OK) == 0
        var build = PackageBuild(
            package: folder, mode: mode, isRelease: isRelease, scratch: scratch, progress: progress)
        progress("reading the package")
        let description = isPackage && programs == nil ? try build.describe() : nil
        let project = try BundleProject(
            folder: folder, package: description, given: try givenSettings(folder), only: only,
            origins: generated?.origins)

        let output = URL(fileURLWithPath: output ?? (generated?.project.folder ?? folder) + "/.build/bundles")
            .standardizedFileURL
            .path
        var stamps: SourceStamps?
        func writer(_ app: BundleProject.App, _ programs: String?) -> BundleWriter {
            BundleWriter(
                app: app, package: description, programs: programs, output: output, lint: lint,
                isLenient: generated != nil && !isStrict && !isRelease, stamps: stamps)
        }
        var result = Result()
        var built = programs.map { URL(fileURLWithPath: $0).standardizedFileURL.path } ?? folder
        if description != nil {
            // Faults that need no program are reported before the compiler runs.
            for app in project.apps { try writer(app, nil).examine() }
            result.entryPoints = try writeEntryPoints(project)
        }
        // The stamps are taken before the build reads the files, so an edit during the build counts as a change. A
        // release is for others, and needs none.
        if !isRelease { stamps = generated?.stamps ?? sourceStamps(project, description) }
        if description != nil {
            let products = Set(project.parts.compactMap(\.product)).sorted()
            result.buildTime = try ContinuousClock().measure {
                built = try compile(project, &build, products, &result.findings)
            }
        }
        progress("writing the bundle")
        for (bundle, findings) in try BundleWriter.write(project.apps.map { writer($0, built) }) {
            result.bundles.append(bundle)
            result.findings += findings
        }
        return result
    }

    /// Builds the programs, from rewritten copies if the sources use names of Apple's systems.
    private func compile(
        _ project: BundleProject, _ build: inout PackageBuild, _ products: [String], _ findings: inout [ProjectFinding]
    ) throws -> String {
        let libraries = Set(project.parts.filter(\.isFramework).compactMap(\.product))
        guard let description = project.package else { return try build.build(products, libraries: libraries) }
        // The source step reads the sources of these packages.
        if description.fetchesPackages, access(build.scratchFolder + "/checkouts", F_OK) != 0 { try build.resolve() }
        let step = SourceStepRun(
            package: project.folder, description: description, scratch: build.scratchFolder, isRelease: isRelease,
            progress: build.progress)
        let rewritten = try step.run(project.parts.filter { $0.product != nil }.compactMap(\.target))
        build.overlay = rewritten.overlay
        findings += rewritten.findings
        do {
            return try build.build(products, libraries: libraries)
        } catch let error as ProjectError {
            throw ProjectError(error.findings + rewritten.findings)
        }
    }

    /// Whether a path is an `.xcodeproj`, or a folder that has one and is no package. Accesses files.
    public static func isXcodeProject(_ path: String) -> Bool { XcodeProject.find(in: path) != nil }

    /// Whether a folder is a package, is or has a project file, or has an `Info.plist` in it. Accesses files.
    public static func hasSources(_ folder: String) -> Bool {
        XcodeProject.find(in: folder) != nil || access(folder + "/Package.swift", F_OK) == 0
            || !BundleProject.foldersWithInformation(folder).isEmpty
    }

    /// Returns the stamps of the files that the bundles are made from.
    ///
    /// These are the files of the bundles and of their programs' targets, the package's own, and those of packages in
    /// other folders. Programs that were built elsewhere count as sources too.
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
            files += parts.compactMap { part in part.product.map { "\(place)/\(part.file(of: $0))" } }
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
                        .settingInvalid, folder, "“\(text)” is not a setting",
                        remedy: "Write NAME=VALUE, as MARKETING_VERSION=1.2"))
            }
            given[name] = value
        }
        return given
    }

    /// Writes an entry point for each extension's target that has no `main`. Returns the paths.
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
