// StubListing: the missing modules that a package's sources import, with the names used from them.

import Foundation
import Glibc
import LinuxSystem

extension StubModules {
    /// Finds the missing modules in the sources of a package's programs and of the targets that they depend on.
    ///
    /// It blocks, and builds the source step's tool if that is missing.
    ///
    /// - Parameters:
    ///   - package: the folder of a `Package.swift`.
    ///   - progress: called with the current step, for people.
    /// - Returns: the modules, sorted by name.
    /// - Throws: `ProjectError` if the package cannot be read, or the tool is missing.
    public static func missing(
        in package: String, progress: @escaping @Sendable (String) -> Void
    ) throws -> [Module] {
        let folder = URL(fileURLWithPath: package).standardizedFileURL.path
        guard access(folder + "/Package.swift", F_OK) == 0 else {
            throw ProjectError(
                ProjectFinding(
                    .nothingToBundle, folder, "it has no Package.swift",
                    remedy: "Name the folder of a package; exthostctl bundle makes one for an Xcode project"))
        }
        let build = PackageBuild(
            package: folder, mode: .staticStandardLibrary, isRelease: false, scratch: nil, progress: progress)
        progress("reading the package")
        let description = try build.describe()
        let checkouts = ((try? listDirectory(build.scratchFolder + "/checkouts", maximumCount: 1000)) ?? [])
            .sorted().map { "\(build.scratchFolder)/checkouts/\($0)" }
        return try missing(in: description, at: folder, among: description.localPackages + checkouts, build)
    }

    private static func missing(
        in description: PackageDescription, at folder: String, among packages: [String], _ build: PackageBuild
    ) throws -> [Module] {
        var targets: [PackageDescription.Target] = []
        for target in description.targets.filter(\.isProgram).flatMap({ description.closure(of: $0) })
        where !targets.contains(where: { $0.name == target.name }) { targets.append(target) }
        let toolchain = Toolchain.current
        let known =
            Set(description.targets.map(\.moduleName)).union(toolchain.modules).union(packages.flatMap(Self.modules))
        let tool = try SourceStepTool(packages: packages, scratch: build.scratchFolder, progress: build.progress)
            .path(for: folder + "/Package.swift")
        var given = SourceStepDescription(
            targets: targets.map { target in
                SourceStepDescription.Target(
                    module: target.moduleName,
                    files: target.sources.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\(target.path)/\($0)" },
                    known: known.sorted())
            })
        given.listsNames = true
        given.knownModules = toolchain.compiled
        // The listed targets' sources are parsed anyway.
        let others = description.targets.filter { other in
            !targets.contains { $0.name == other.name } && other.type != "test"
        }
        given.knownSources = packages.map { $0 + "/Sources" } + others.map { "\(folder)/\($0.path)" }
        build.progress("reading the sources")
        let place = build.scratchFolder + "/exthost-source/stub"
        return modules(of: try SourceStepProcess.run(tool, given, output: place))
    }

    /// Returns the missing modules. A name may come from each missing module that its file imports.
    static func modules(of report: SourceStepReport) -> [Module] {
        var found: [String: Module] = [:]
        for target in report.targets {
            let importing = Dictionary(grouping: target.missingModules, by: \.file)
            for missing in target.missingModules where found[missing.name] == nil {
                found[missing.name] = Module(name: missing.name)
            }
            for use in target.undeclared ?? [] {
                for name in Set((importing[use.file] ?? []).map(\.name)) {
                    found[name]?.uses.append(Use(name: use.name, file: use.file, line: use.line))
                }
            }
        }
        return found.values.sorted { $0.name < $1.name }
    }

    /// Returns the modules of a package, from its folders of sources and the names in its manifest.
    private static func modules(of package: String) -> [String] {
        let folders = (try? listDirectory(package + "/Sources", maximumCount: 1000)) ?? []
        let manifest = (try? String(contentsOfFile: package + "/Package.swift", encoding: .utf8)) ?? ""
        let names = manifest.components(separatedBy: "name: \"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
        return folders + names
    }
}

/// The modules that come with Swift.
struct Toolchain {
    /// The names of the modules.
    let modules: Set<String>
    /// The paths of the compiled modules.
    let compiled: [String]

    static var current: Toolchain {
        let found = PackageBuild.locate().map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path } ?? ""
        let folder = (found as NSString).deletingLastPathComponent + "/../lib/swift/linux"
        let names =
            (try? listDirectory(folder, maximumCount: 1000))?.filter { $0.hasSuffix(".swiftmodule") }.sorted() ?? []
        // Only the compiled module of this machine's architecture is there.
        let compiled = names.flatMap { name in
            BundlePart.files(in: "\(folder)/\(name)", ending: ".swiftmodule").map { "\(folder)/\(name)/\($0)" }
        }
        return Toolchain(modules: Set(names.map { String($0.dropLast(".swiftmodule".count)) }), compiled: compiled)
    }
}
