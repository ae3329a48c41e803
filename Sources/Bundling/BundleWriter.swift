// BundleWriter: the writing of an app with its extensions: staged beside the old one, linted, and placed in one step.

import BundleLint
import ExtensionPoints
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import PropertyListCoding
import SourceStamps

/// The writer of one app. If it fails, the previous app remains, except in an overlay's lower layer (`place`).
struct BundleWriter {
    let app: BundleProject.App
    /// The package. Resources that its targets leave beside the programs belong to the bundles.
    let package: PackageDescription?
    /// The folder of the built programs; nil before the build.
    let programs: String?
    /// The folder of the bundles.
    let output: String
    let lint: BundleLint
    /// Whether faults that Xcode accepts are warnings (`LintCode.isAcceptedByXcode`).
    let isLenient: Bool
    /// The stamps of the app's sources; nil if nobody will compare them.
    let stamps: SourceStamps?

    /// The author's file of each staged file.
    private struct Origins {
        var files: [String: String] = [:]
        /// The findings of the staging.
        var findings: [ProjectFinding] = []
        /// The staged files whose repeated keys were found in the author's file.
        var repeated: Set<String> = []
    }

    /// A finished bundle, with lint's findings that are no errors.
    typealias Written = (bundle: MadeBundle, findings: [ProjectFinding])

    /// Writes all apps. Each is staged before the first is placed, so a fault in one leaves all old apps unchanged.
    static func write(_ writers: [BundleWriter]) throws -> [Written] { try write(writers[...], after: []) }

    private static func write(
        _ writers: ArraySlice<BundleWriter>, after made: [(writer: BundleWriter, staged: String, written: Written)]
    ) throws -> [Written] {
        guard let writer = writers.first else {
            for app in made { try app.writer.place(app.staged, at: app.written.bundle.path) }
            return made.map(\.written)
        }
        return try writer.stage { staged, bundle, findings in
            guard !findings.contains(where: { $0.severity == .error }) else { throw ProjectError(findings) }
            return try write(writers.dropFirst(), after: made + [(writer, staged, (bundle, findings))])
        }
    }

    /// Moves a staged bundle into place in one step, so a reader finds a whole bundle, unless the file system prevents
    /// it.
    private func place(_ staged: String, at path: String) throws {
        do {
            do throws(SystemError) {
                try placeFile(staged, at: path)
            } catch  where error.code == EXDEV {
                // The old bundle lies in a lower layer of an overlay, as in a container's image. Folders there cannot
                // be renamed (overlayfs of the kernel's documentation, "renaming directories"). For a short time there
                // is no bundle, and none is left if the disk fills up in that time.
                try removeTree(path)
                try placeFile(staged, at: path)
            }
        } catch {
            throw failure(path, error)
        }
    }

    /// Throws lint's errors about the bundle without its programs.
    func examine() throws {
        try stage { _, _, findings in
            let known = findings.filter { $0.code != LintCode.executableFileMissing.rawValue }
            guard !known.contains(where: { $0.severity == .error }) else { throw ProjectError(known) }
        }
    }

    /// Makes the bundle in its own folder, which is deleted when `body` returns.
    private func stage<Result>(_ body: (String, MadeBundle, [ProjectFinding]) throws -> Result) throws -> Result {
        let path = "\(output)/\(app.part.bundleName).app"
        let folder: TemporaryDirectory
        do {
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            removeAbandoned()
            folder = try TemporaryDirectory(prefix: Self.stagePrefix, in: output)
        } catch {
            throw failure(path, error)
        }
        defer { try? folder.remove() }
        let staged = "\(folder.path)/\(app.part.bundleName).app"
        var origins = Origins()
        var bundle = MadeBundle(
            path: path, identifier: app.part.identifier ?? "",
            extensions: app.extensions.map { .init(identifier: $0.identifier ?? "", name: $0.name) }, programs: [])
        do {
            try write(app.part, to: staged, &origins, &bundle, in: staged)
            for part in app.inner {
                try write(part, to: "\(staged)/\(part.placeInApp)", &origins, &bundle, in: staged)
            }
            try embedLibraries(in: staged, bundle)
            if let stamps {
                try write(stamps.encoded, to: "\(staged)/\(SourceStamps.fileName)", from: stamps.project, &origins)
            }
        } catch let error as ProjectError {
            throw error
        } catch {
            throw failure(path, error)
        }
        return try body(staged, bundle, origins.findings + (try check(staged, path, origins)))
    }

    private static let stagePrefix = ".exthost-bundle"

    /// Removes staging folders that killed processes left at least an hour ago.
    private func removeAbandoned() {
        for name in (try? listDirectory(output, maximumCount: 10_000)) ?? []
        where name.hasPrefix(Self.stagePrefix + "-") {
            var status = stat()
            guard lstat("\(output)/\(name)", &status) == 0, time(nil) - status.st_mtim.tv_sec > 3600 else { continue }
            try? removeTree("\(output)/\(name)")
        }
    }

    private func failure(_ path: String, _ error: any Error) -> ProjectError {
        ProjectError(
            ProjectFinding(
                .notWritten, path,
                "the bundle cannot be written: \((error as? SystemError).map { "\($0)" } ?? error.localizedDescription)",
                remedy: "Make \(output) writable, with free space, or name another folder with --output"))
    }

    // MARK: Files

    private func write(
        _ part: BundlePart, to bundle: String, _ origins: inout Origins, _ made: inout MadeBundle, in app: String
    )
        throws
    {
        try FileManager.default.createDirectory(
            atPath: bundle, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        switch part.program {
        case .none: break
        case .script(let name): try copyFolder(of: part, program: name, to: bundle)
        case .product(let name): try place(name, of: part, in: bundle, app, &made)
        }
        let information = part.information.written(
            part.settings, adding: part.additions(app: self.app.part), principalClass: part.principalClass,
            dropsStoryboard: part.origin != nil, intents: part.origin?.intents ?? [:])
        try write(information, to: bundle + "/Info.plist", from: part.information.path, &origins)
        if !part.information.repeated.isEmpty { origins.repeated.insert(bundle + "/Info.plist") }
        origins.findings += part.information.repeated.map { key in
            ProjectFinding(
                LintCode.keyRepeated, part.information.path, key: key.path, line: key.line, RepeatedKey.message,
                remedy: RepeatedKey.remedy)
        }
        if let file = part.entitlements {
            try write(expanded(file, part.settings), to: "\(bundle)/\(Entitlements.fileName)", from: file, &origins)
        }
        try copyResources(of: part, to: bundle, &origins)
        try LocalizedInformation.complete(in: bundle, with: information)
    }

    /// Copies a built program. Lint reports a missing one.
    private func place(_ name: String, of part: BundlePart, in bundle: String, _ app: String, _ made: inout MadeBundle)
        throws
    {
        guard let programs else { return }
        let source = "\(programs)/\(part.file(of: name))"
        var status = stat()
        guard stat(source, &status) == 0 else { return }
        let executable = part.executable(of: name)
        guard !executable.isEmpty, !executable.contains("/"), executable != ".", executable != ".." else { return }
        try copy(source, to: "\(bundle)/\(executable)", mode: 0o755)
        guard !part.isFramework else { return }
        made.programs.append(
            MadeBundle.Program(
                path: "\(made.path)\(bundle.dropFirst(app.count))/\(executable)",
                identifier: part.identifier ?? part.name,
                isExtension: part.isExtension, size: Int(status.st_size)))
    }

    private func write(_ bytes: [UInt8], to path: String, from source: String, _ origins: inout Origins) throws {
        origins.files[path] = source
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o644)
    }

    /// Expands settings in a file of entitlements. A file that is no text stays unchanged, and lint reads it.
    private func expanded(_ file: String, _ settings: BuildSettings) throws -> [UInt8] {
        let bytes = try readFile(file, maximumSize: 1 << 20)
        guard !bytes.starts(with: "bplist".utf8), let text = String(validating: bytes, as: UTF8.self) else {
            return bytes
        }
        return Array(settings.expanded(text).utf8)
    }

    private func copy(_ source: String, to target: String, mode: mode_t) throws {
        let descriptor = try openForReading(source)
        let size = try FileStatus(of: descriptor.raw).size
        let written = try createFile(target)
        _ = try copyFile(from: descriptor.raw, to: written.raw, size: size) { _ in true }
        guard fchmod(written.raw, mode) == 0 else { throw SystemError("fchmod") }
    }

    /// Copies a script with the files beside it: regular files only, no hidden ones, and none that made the bundle
    /// itself.
    private func copyFolder(of part: BundlePart, program: String, to bundle: String) throws {
        let skipped = [".xcconfig", ".entitlements", ".pyc"]
        let own = ["Info.plist", Entitlements.fileName]
        var queue = [""]
        while let folder = queue.popLast() {
            for name in try listDirectory(part.folder + "/" + folder, maximumCount: 10_000)
            where !name.hasPrefix(".") && name != "__pycache__" && !skipped.contains(where: name.hasSuffix) {
                let path = folder + name
                // The files that make the bundle itself are at its top.
                guard !own.contains(path) else { continue }
                var status = stat()
                guard lstat("\(part.folder)/\(path)", &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR {
                    // A folder with its own `Info.plist` is another bundle.
                    guard access("\(part.folder)/\(path)/Info.plist", F_OK) != 0 else { continue }
                    try FileManager.default.createDirectory(
                        atPath: "\(bundle)/\(path)", withIntermediateDirectories: false)
                    queue.append(path + "/")
                } else if status.st_mode & S_IFMT == S_IFREG {
                    let isProgram = path == program || status.st_mode & 0o111 != 0
                    try copy("\(part.folder)/\(path)", to: "\(bundle)/\(path)", mode: isProgram ? 0o755 : 0o644)
                }
            }
        }
    }

    /// Copies the resource bundles that SwiftPM made. Resources of the part itself are flat, as in Xcode.
    private func copyResources(of part: BundlePart, to bundle: String, _ origins: inout Origins) throws {
        var layout = ResourceLayout(
            bundle: bundle, module: part.target?.moduleName ?? part.settings.expanded("$(PRODUCT_MODULE_NAME)"),
            principal: part.principalInterfaces)
        let resources = part.resources
        // If a storyboard exists in several languages, that of the base language comes first.
        for resource in resources where resource.name.hasPrefix("Base.lproj/") { try layout.place(resource) }
        for resource in resources where !resource.name.hasPrefix("Base.lproj/") { try layout.place(resource) }
        origins.findings += layout.findings
        guard let package, let target = part.target, let programs, part.origin == nil else { return }
        for name in package.closure(of: target).map({ "\(package.name)_\($0.name).resources" })
        where access("\(programs)/\(name)", F_OK) == 0 {
            try FileManager.default.copyItem(atPath: "\(programs)/\(name)", toPath: "\(bundle)/\(name)")
        }
        let own = "\(programs)/\(package.name)_\(target.name).resources"
        var flat = ResourceLayout(
            bundle: bundle, module: target.moduleName, principal: part.principalInterfaces)
        for name in ((try? listDirectory(own, maximumCount: 10_000)) ?? []).sorted()
        where access("\(bundle)/\(name)", F_OK) != 0 {
            try flat.place(XcodeFile(path: "\(own)/\(name)", name: name))
        }
    }

    /// Embeds the libraries that programs and frameworks need and the build made, and the libraries that those need in
    /// turn.
    private func embedLibraries(in staged: String, _ bundle: MadeBundle) throws {
        guard let programs else { return }
        var queue =
            bundle.programs.map { staged + $0.path.dropFirst(bundle.path.count) }
            + app.frameworks.map { "\(staged)/\($0.placeInApp)/\($0.executable(of: $0.name))" }
        var placed: Set<String> = []
        while let file = queue.popLast() {
            for name in neededLibraries(of: file) where !name.contains("/") && access("\(programs)/\(name)", F_OK) == 0
            {
                guard placed.insert(name).inserted else { continue }
                let frameworks = staged + "/Frameworks"
                try FileManager.default.createDirectory(
                    atPath: frameworks, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
                try copy("\(programs)/\(name)", to: "\(frameworks)/\(name)", mode: 0o755)
                queue.append("\(frameworks)/\(name)")
            }
        }
    }

    // MARK: The end

    private func check(_ staged: String, _ path: String, _ origins: Origins) throws -> [ProjectFinding] {
        do throws(LintError) {
            return try lint.lint(staged).compactMap { finding in
                // The staged file may be binary, and has no lines then.
                guard finding.code != .keyRepeated || !origins.repeated.contains(finding.file) else { return nil }
                return ProjectFinding(finding, isLenient: isLenient) { text in
                    origins.files[text] ?? text.replacingOccurrences(of: staged, with: path)
                }
            }
        } catch {
            throw ProjectError(ProjectFinding(.notWritten, path, error.message, remedy: error.remedy))
        }
    }
}
