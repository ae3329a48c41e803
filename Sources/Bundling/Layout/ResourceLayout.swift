// ResourceLayout: the placement of resources at the top of a bundle, as in Xcode.

import Foundation
import Glibc
import LinuxSystem

/// The placement of files in one bundle. It never replaces an existing file: it skips such a resource, with a warning.
struct ResourceLayout {
    /// The bundle's folder.
    let bundle: String
    /// The module of the classes for which a storyboard names no module.
    let module: String
    /// The names of the interfaces that an extension begins with, without ending: it cannot run without them.
    let principal: Set<String>
    private(set) var findings: [ProjectFinding] = []
    private var count = 0

    /// The maximum number of files in one bundle, and the maximum depth of folders.
    private static let (filesLimit, depthLimit) = (20_000, 16)

    init(bundle: String, module: String, principal: Set<String> = []) {
        self.bundle = bundle
        self.module = module
        self.principal = principal
    }

    /// Copies a file or a folder, or compiles it as Xcode's compilers do.
    ///
    /// - Throws: `SystemError`; `ProjectError` for a storyboard or a catalog that cannot be read.
    mutating func place(_ resource: XcodeFile) throws {
        let source = resource.path
        var status = stat()
        guard stat(source, &status) == 0 else {
            return leaveOut(source, "it does not exist", "Add it, or remove it from the target's resources")
        }
        guard Self.isName(resource.name) else {
            return leaveOut(source, "“\(resource.name)” is not a valid name in a bundle", "Rename it")
        }
        if resource.name == "Info.plist" { return }
        switch resource.name.split(separator: ".").last.map({ $0.lowercased() }) ?? "" {
        case "storyboard", "xib": try placeInterface(resource)
        case "xcassets": try placeCatalog(source)
        case "xcstrings": try placeStrings(resource)
        case _ where FileKind(source) == .model || source.hasSuffix(".icon"):
            leaveOut(source, "only Xcode compiles it", "Remove it from the target's resources")
        default: try copy(source, to: resource.name, depth: 0)
        }
    }

    /// Whether a name is below the bundle, is not hidden, and is not one that the bundle itself uses.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let own = ["PlugIns", "Frameworks", "Contents", "Entitlements.plist", "SourceStamps.json"]
        return !parts.contains { $0.isEmpty || $0 == "." || $0 == ".." || $0.utf8.contains(0) }
            && !own.contains(String(parts[0]))
            && !parts[0].hasPrefix(".")
    }

    private mutating func leaveOut(_ path: String, _ why: String, _ remedy: String) {
        findings.append(ProjectFinding(.resourceLeftOut, path, "it is not in the bundle: \(why)", remedy: remedy))
    }

    // MARK: Copies

    private mutating func copy(_ source: String, to name: String, depth: Int) throws {
        var status = stat()
        // A path that the project names may be a link. Links inside a named folder are not followed.
        guard (depth == 0 ? stat(source, &status) : lstat(source, &status)) == 0 else { return }
        let target = "\(bundle)/\(name)"
        if status.st_mode & S_IFMT == S_IFDIR {
            guard depth < Self.depthLimit else {
                return leaveOut(source, "too many folders are nested", "Nest fewer folders")
            }
            count += 1
            guard count <= Self.filesLimit else { return }
            try makeFolder(name)
            for child in try listDirectory(source, maximumCount: Self.filesLimit).sorted() where !child.hasPrefix(".") {
                try copy("\(source)/\(child)", to: "\(name)/\(child)", depth: depth + 1)
            }
        } else if status.st_mode & S_IFMT == S_IFREG, isFree(name, source) {
            try makeFolder(of: name)
            let descriptor = try openForReading(source)
            let written = try createFile(target)
            _ = try copyFile(from: descriptor.raw, to: written.raw, size: Int(status.st_size)) { _ in true }
            guard fchmod(written.raw, 0o644) == 0 else { throw SystemError("fchmod") }
        }
    }

    /// Counts a file before it is written. Returns false if another file is in its place.
    private mutating func isFree(_ name: String, _ source: String) -> Bool {
        count += 1
        guard count <= Self.filesLimit else {
            if count == Self.filesLimit + 1 {
                leaveOut(source, "a bundle has at most \(Self.filesLimit) files", "Combine several files into one")
            }
            return false
        }
        guard access("\(bundle)/\(name)", F_OK) != 0 else {
            leaveOut(source, "another file has the name \(name)", "Rename one of the two")
            return false
        }
        return true
    }

    private func makeFolder(of name: String) throws {
        guard let slash = name.lastIndex(of: "/") else { return }
        try makeFolder(String(name[..<slash]))
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(bundle)/\(name)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    private mutating func write(_ bytes: [UInt8], to name: String, from source: String) throws {
        guard isFree(name, source) else { return }
        try makeFolder(of: name)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(bundle)/\(name)"))
        chmod("\(bundle)/\(name)", 0o644)
    }

    // MARK: What Xcode compiles

    /// Places images under the names by which they are requested, with their scales, and colors and data in a catalog.
    private mutating func placeCatalog(_ source: String) throws {
        let catalog = try AssetCatalog(source)
        for file in catalog.images + catalog.sets where Self.isName(file.name) {
            try copy(file.path, to: file.name, depth: 0)
        }
    }

    /// Places a list of strings for each language.
    private mutating func placeStrings(_ resource: XcodeFile) throws {
        let name =
            resource.name.split(separator: "/").last.map { String($0.dropLast(".xcstrings".count)) } ?? "Localizable"
        for (language, bytes) in try StringCatalog(resource.path).lists {
            try write(bytes, to: "\(language).lproj/\(name).strings", from: resource.path)
        }
    }

    private mutating func placeInterface(_ resource: XcodeFile) throws {
        let file = resource.name.split(separator: "/").last ?? ""
        let isPrincipal = principal.contains(String(file.lastIndex(of: ".").map { file[..<$0] } ?? file))
        if !isPrincipal, let obstacle = InterfaceCompiler.obstacle(resource.path) {
            return leaveOut(
                resource.path, obstacle,
                "Remove it from the target's resources, if the target is not for the Mac, or save it with a later Xcode"
            )
        }
        let compiled = try InterfaceCompiler.compile(resource.path, module: module)
        findings += compiled.findings
        let isStoryboard = resource.name.hasSuffix(".storyboard")
        let stem = resource.name.dropLast(isStoryboard ? ".storyboard".count : ".xib".count)
        let ending = isStoryboard ? ".storyboardc" : ".nib"
        guard stem.contains("/") else { return try write(compiled.bytes, to: stem + ending, from: resource.path) }
        // The base language's file is found without a language; so is the first one if there is no base.
        let name = stem.split(separator: "/").last.map(String.init) ?? String(stem)
        if access("\(bundle)/\(name)\(ending)", F_OK) != 0 {
            try write(compiled.bytes, to: name + ending, from: resource.path)
        }
        guard !stem.hasPrefix("Base.lproj/") else { return }
        try write(compiled.bytes, to: stem + ending, from: resource.path)
    }
}

extension BundlePart {
    /// The resources at the top of the bundle. For a project's target, they are the files that its phases list.
    ///
    /// For a package's target, they are the files beside `Info.plist` that are neither sources nor known to the tools.
    var resources: [XcodeFile] {
        if let origin { return origin.resources }
        guard case .product = program else { return [] }
        let own = URL(fileURLWithPath: information.path).deletingLastPathComponent().path
        return Set([folder, own]).sorted().flatMap { place in
            ((try? listDirectory(place, maximumCount: 10_000)) ?? []).sorted().filter(Self.isResource).flatMap { name in
                guard name.hasSuffix(".lproj") else { return [XcodeFile(path: "\(place)/\(name)", name: name)] }
                // Each file is placed by itself, because storyboards are compiled.
                return BundlePart.files(in: "\(place)/\(name)", ending: "").filter { !$0.hasPrefix(".") }
                    .map { XcodeFile(path: "\(place)/\(name)/\($0)", name: "\(name)/\($0)") }
            }
        }
    }

    private static func isResource(_ name: String) -> Bool {
        let known = ["Package.swift", "Package.resolved", "Makefile", "LICENSE"]
        let endings = [".plist", ".storyboard", ".xib", ".xcassets", ".xcstrings", ".lproj", ".bundle"]
        guard !name.hasPrefix("."), !known.contains(name), !name.hasSuffix("Info.plist"),
            !name.hasSuffix("Entitlements.plist")
        else {
            return false
        }
        // Other folders are not searched, and a file without an extension is no resource, as far as its name tells.
        return endings.contains(where: name.hasSuffix) || (FileKind(name) == .resource && isFileName(name))
    }

    /// Whether a name has an extension, and is none that tools leave behind.
    private static func isFileName(_ name: String) -> Bool {
        name.contains(".")
            && ![".o", ".d", ".pyc", ".orig", ".rej", ".swp", ".bak", "~"].contains(where: name.hasSuffix)
    }
}
