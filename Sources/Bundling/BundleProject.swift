// BundleProject: the apps and their extensions that a folder of sources yields.

import BundleLint
import Foundation
import Glibc
import LinuxSystem
import PropertyListCoding

struct BundleProject {
    struct App {
        var part: BundlePart
        var extensions: [BundlePart] = []
        var frameworks: [BundlePart] = []

        /// The bundles inside the app's.
        var inner: [BundlePart] { extensions + frameworks }
    }

    /// The absolute path of the folder.
    let folder: String
    let package: PackageDescription?
    private(set) var apps: [App] = []
    /// The apps with their extensions and frameworks.
    var parts: [BundlePart] { apps.flatMap { [$0.part] + $0.inner } }

    /// The maximum depth at which folders are searched. `foldersLimit` is the maximum number of folders.
    private static let depthLimit = 6
    private static let foldersLimit = 10_000

    /// Reads the folder. With a description, folders are matched to the package's targets.
    ///
    /// - Parameters:
    ///   - only: the names of the requested extensions; empty for all.
    ///   - given: the settings of the command line.
    ///   - origins: the data of a project file for the folders; nil without one.
    init(
        folder: String, package: PackageDescription?, given: BuildSettings, only: Set<String> = [],
        origins: [PartOrigin]? = nil
    ) throws {
        self.folder = folder
        self.package = package
        var settings = BuildSettings()
        for file in BundlePart.files(in: folder, ending: ".xcconfig") {
            settings = settings.merging(try BuildSettings.read(file: "\(folder)/\(file)"))
        }

        var findings: [ProjectFinding] = []
        var parts: [BundlePart] = []
        for origin in origins ?? [] {
            parts.append(
                BundlePart(origin, target: package?.targets.first { Self.folder(of: $0, in: folder) == origin.folder }))
        }
        for file in origins == nil ? Self.informationFiles(folder) : [] {
            do {
                let beside = String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)])
                let (place, target) = Self.part(beside, package, in: folder)
                parts.append(
                    try BundlePart(
                        folder: place, information: try InformationDraft(file), package: package, target: target,
                        shared: settings, given: given))
            } catch let error as ProjectError {
                findings += error.findings
            }
        }
        if origins == nil { findings += missingInformation(parts) }
        findings += missingKinds(parts, hasOther: !findings.isEmpty)
        let names = parts.filter(\.isExtension).map(\.name)
        for name in only.subtracting(names).sorted() {
            findings.append(
                ProjectFinding(
                    .noExtensionTarget, folder, "it has no extension \(name)",
                    remedy: "There are: \(names.joined(separator: ", "))"))
        }
        guard findings.isEmpty else { throw ProjectError(findings) }
        apps = parts.filter(\.isApp).map { App(part: $0) }
        for part in parts where part.isFramework || part.isExtension && (only.isEmpty || only.contains(part.name)) {
            try add(part)
        }
        try choosePrograms()
        // Only apps with requested extensions are made.
        apps = apps.filter { !$0.extensions.isEmpty }
        try checkNames()
    }

    private static func folder(of target: PackageDescription.Target, in package: String) -> String {
        URL(fileURLWithPath: package + "/" + target.path).standardizedFileURL.path
    }

    /// Returns the folder that a part's file belongs to, with its target.
    ///
    /// The file may lie in a folder inside the target's, as in Xcode's templates.
    private static func part(
        _ beside: String, _ package: PackageDescription?, in folder: String
    ) -> (folder: String, target: PackageDescription.Target?) {
        let targets = package?.targets ?? []
        if let own = targets.first(where: { Self.folder(of: $0, in: folder) == beside }) { return (beside, own) }
        let names = ["Resources", "Supporting Files", "SupportingFiles", "Supporting"]
        let above = beside.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        guard names.contains(where: { beside.hasSuffix("/" + $0) }),
            let around = targets.first(where: { Self.folder(of: $0, in: folder) == above })
        else { return (beside, nil) }
        return (above, around)
    }

    /// Returns one file for each folder, sorted by path: `Info.plist`, or the only one whose name ends in
    /// `-Info.plist`.
    static func informationFiles(_ root: String) -> [String] {
        foldersWithInformation(root).compactMap { folder in information(of: folder).map { "\(folder)/\($0)" } }.sorted()
    }

    private static func information(of folder: String) -> String? {
        if access(folder + "/Info.plist", F_OK) == 0 { return "Info.plist" }
        let named = BundlePart.files(in: folder, ending: "-Info.plist")
        return named.count == 1 ? named[0] : nil
    }

    /// Returns the folders with an `Info.plist`, sorted by path. It skips tests, and hidden, built and bundled folders.
    static func foldersWithInformation(_ root: String) -> [String] {
        var found: [String] = []
        var queue = [(path: root, depth: 0)]
        var next = 0
        while next < queue.count {
            let (path, depth) = queue[next]
            next += 1
            if information(of: path) != nil { found.append(path) }
            guard depth < depthLimit, let names = try? listDirectory(path, maximumCount: foldersLimit) else { continue }
            for name in names where !name.hasPrefix(".") && !["Tests", "node_modules"].contains(name) {
                let endings = [".app", ".appex", ".framework", ".xcodeproj", ".xcassets", ".lproj"]
                guard !endings.contains(where: name.hasSuffix), queue.count < foldersLimit else { continue }
                var status = stat()
                guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
                queue.append(("\(path)/\(name)", depth + 1))
            }
        }
        return found.sorted()
    }

    // MARK: What is missing

    /// Returns a finding for each program target that looks like an extension's and has no `Info.plist`.
    private func missingInformation(_ parts: [BundlePart]) -> [ProjectFinding] {
        guard let package else { return [] }
        let known = Set(parts.map(\.folder))
        return package.targets.filter { $0.isProgram }.compactMap { target in
            let place = Self.folder(of: target, in: folder)
            guard !known.contains(place), Self.information(of: place) == nil,
                EntryPoint.isExtension(target.sources.map { "\(place)/\($0)" })
            else { return nil }
            return ProjectFinding(
                .informationMissing, place + "/Info.plist", "the extension \(target.name) has no Info.plist",
                remedy: "Write one with CFBundleIdentifier and NSExtension; exthostctl new makes an example")
        }
    }

    private func missingKinds(_ parts: [BundlePart], hasOther: Bool) -> [ProjectFinding] {
        guard !parts.isEmpty else {
            guard !hasOther else { return [] }
            return [
                ProjectFinding(
                    .nothingToBundle, folder, "none of its folders has an Info.plist",
                    remedy:
                        "Write one in the folder of the app's target, and in that of each extension; exthostctl new makes an example"
                )
            ]
        }
        var findings: [ProjectFinding] = []
        if !parts.contains(where: \.isApp) {
            findings.append(
                ProjectFinding(
                    .noAppTarget, folder, "none of its Info.plists describes an app",
                    remedy:
                        "Add an app for the extensions: a target or a folder whose Info.plist has a CFBundleIdentifier and no NSExtension"
                ))
        }
        if !parts.contains(where: \.isExtension), !hasOther {
            let app = parts.first?.information.path ?? folder
            findings.append(
                ProjectFinding(
                    .noExtensionTarget, folder, key: "NSExtension",
                    "none of its Info.plists has NSExtension, only \(app)",
                    remedy: "Add a target with an Info.plist that names its NSExtensionPointIdentifier"))
        }
        return findings
    }

    // MARK: What belongs together

    /// Adds an extension or a framework to the app whose identifier is a prefix of its own, the longest one if there are
    /// several.
    ///
    /// If there is only one app, it is added to that one, and lint compares the identifiers.
    private mutating func add(_ part: BundlePart) throws(ProjectError) {
        var part = part
        let own = part.information.dictionary["CFBundleIdentifier"]?.string ?? ""
        // A bundle without its own setting is named after its app.
        let setting = part.settings["PRODUCT_BUNDLE_IDENTIFIER"]
        let isDerived =
            (part.origin == nil || setting == nil) && (own.isEmpty || own.contains("PRODUCT_BUNDLE_IDENTIFIER"))
            && (setting == nil || apps.contains { $0.part.settings["PRODUCT_BUNDLE_IDENTIFIER"] == setting })
        let matching = apps.indices.filter { index in
            guard let prefix = apps[index].part.identifier else { return false }
            return !isDerived && part.identifier?.hasPrefix(prefix + ".") == true
        }
        let longest = matching.max { (apps[$0].part.identifier ?? "").count < (apps[$1].part.identifier ?? "").count }
        guard let index = longest ?? (apps.count == 1 ? 0 : nil) else {
            throw ProjectError(
                ProjectFinding(
                    .appUnclear, part.information.path, key: "CFBundleIdentifier",
                    "\(part.identifier ?? part.name) belongs to none of the apps \(apps.map { $0.part.identifier ?? $0.part.name }.joined(separator: ", "))",
                    remedy: "Begin it with the identifier of its app, and a dot"))
        }
        if isDerived, let prefix = apps[index].part.identifier {
            part.settings["PRODUCT_BUNDLE_IDENTIFIER"] = "\(prefix).\(BuildSettings.spelled(part.name, with: "-"))"
        }
        if part.isExtension { apps[index].extensions.append(part) } else { apps[index].frameworks.append(part) }
    }

    /// Chooses the program of each part: a file of its folder, a product of the package, or a program built elsewhere.
    private mutating func choosePrograms() throws(ProjectError) {
        var findings: [ProjectFinding] = []
        func choose(_ part: inout BundlePart) {
            let key = "CFBundleExecutable"
            let named = part.information.text(key, part.settings)
            let isName = named.map { !$0.isEmpty && !$0.contains("/") && $0 != "." && $0 != ".." } ?? true
            // Lint reports an invalid name.
            guard isName else { return }
            var status = stat()
            if part.isFramework {
                chooseLibrary(&part)
            } else if part.origin != nil {
                if let target = part.target, target.isProgram { part.program = .product(target.name) }
            } else if let named, lstat("\(part.folder)/\(named)", &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                part.program = .script(named)
            } else if let named {
                let products = package?.products.filter(\.isProgram).map(\.name)
                guard products?.contains(named) ?? true else {
                    findings.append(
                        ProjectFinding(
                            .programUnknown, part.information.path, key: key,
                            "“\(named)” is neither a product of the package nor a file in \(part.folder)",
                            remedy: "Write $(EXECUTABLE_NAME), or omit the key"
                                + (part.target == nil ? "" : ": the target's program is \(part.name)")))
                    return
                }
                part.program = .product(named)
            } else if part.target?.isProgram == true || package == nil && part.isExtension {
                part.program = .product(part.name)
            }
        }
        func chooseLibrary(_ part: inout BundlePart) {
            guard let package else { return part.program = .product(part.name) }
            guard let library = part.target.flatMap(package.library) else {
                findings.append(
                    ProjectFinding(
                        .frameworkNotDynamic, part.information.path,
                        "the framework \(part.name) has no dynamic library in the package",
                        remedy:
                            "Add to the products .library(name: \"\(part.name)\", type: .dynamic, targets: [\"\(part.name)\"])"
                    ))
                return
            }
            part.program = .product(library)
        }
        for index in apps.indices {
            choose(&apps[index].part)
            for place in apps[index].frameworks.indices { choose(&apps[index].frameworks[place]) }
            for place in apps[index].extensions.indices { choose(&apps[index].extensions[place]) }
        }
        guard findings.isEmpty else { throw ProjectError(findings) }
    }

    private func checkNames() throws(ProjectError) {
        let folders = [apps.map(\.part)] + apps.map(\.extensions) + apps.map(\.frameworks)
        for parts in folders {
            for (name, same) in Dictionary(grouping: parts, by: \.bundleName).sorted(by: { $0.key < $1.key })
            where same.count > 1 {
                throw ProjectError(
                    ProjectFinding(
                        .nameTaken, same[1].folder, "there is another \(name) in \(same[0].folder)",
                        remedy: "Rename one of the two"))
            }
        }
    }
}
