// ProjectPaths: the paths of a project's files, from references resolved through their groups.

import Foundation
import Glibc
import LinuxSystem

/// The absolute paths of file references and groups. A path is not trusted: it is used only if a file exists there.
struct ProjectPaths {
    private let objects: ProjectObjects
    /// The `SRCROOT`: the folder of the project, or the one that the project names.
    let sourceRoot: String
    private var parents: [String: String] = [:]

    /// The maximum number of groups around a file.
    private static let depthLimit = 64
    /// The maximum number of files in one synchronized folder.
    private static let filesLimit = 50_000

    /// - Parameter folder: the folder that contains the `.xcodeproj`.
    init(_ objects: ProjectObjects, folder: String) {
        self.objects = objects
        let below = [objects.root.text("projectDirPath"), objects.root.text("projectRoot")].compactMap { $0 }
            .first { !$0.isEmpty && !$0.hasPrefix("/") }
        sourceRoot = below.map { Self.standardized("\(folder)/\($0)") } ?? folder
        var queue = [objects.root.text("mainGroup")].compactMap { $0 }
        var seen = Set(queue)
        while let group = queue.popLast() {
            for child in objects[group]?.texts("children") ?? [] where seen.insert(child).inserted {
                parents[child] = group
                queue.append(child)
            }
        }
    }

    static func standardized(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

    /// Returns the path of an object; nil if it is built, or is part of Xcode itself.
    func path(of object: ProjectObject) -> String? {
        path(of: object, depth: 0).map { Self.actual(Self.standardized($0)) }
    }

    /// Returns the existing file if its name differs in case only: volumes of Macs usually ignore case.
    static func actual(_ path: String) -> String {
        guard access(path, F_OK) != 0 else { return path }
        var found = ""
        for part in path.split(separator: "/") {
            let exact = "\(found)/\(part)"
            guard access(exact, F_OK) != 0 else {
                found = exact
                continue
            }
            let name = (try? listDirectory(found.isEmpty ? "/" : found, maximumCount: filesLimit))?.sorted()
                .first { $0.lowercased() == part.lowercased() }
            guard let name else { return path }
            found += "/\(name)"
        }
        return found
    }

    private func path(of object: ProjectObject, depth: Int) -> String? {
        guard depth < Self.depthLimit else { return nil }
        // The path of a variant group counts like that of any group.
        let own = object.text("path") ?? ""
        guard !own.utf8.contains(0) else { return nil }
        switch object.text("sourceTree") ?? "<group>" {
        case "<absolute>": return own
        case "SOURCE_ROOT": return own.isEmpty ? sourceRoot : "\(sourceRoot)/\(own)"
        case "<group>":
            let above = parents[object.identifier].flatMap { objects[$0] }
            guard let base = above.map({ path(of: $0, depth: depth + 1) }) ?? sourceRoot else { return nil }
            return own.isEmpty ? base : "\(base)/\(own)"
        default: return nil
        }
    }

    /// Returns the files below a folder, each by its path in it. Folders that Xcode treats as one file are not entered.
    static func files(below folder: String) -> [String] {
        var found: [String] = []
        var queue = [(path: "", depth: 0)]
        // A link may lead to a folder that was entered before.
        var entered: Set<[UInt]> = []
        while let (below, depth) = queue.popLast(), found.count < filesLimit {
            var own = stat()
            guard stat("\(folder)/\(below)", &own) == 0, entered.insert([UInt(own.st_dev), UInt(own.st_ino)]).inserted
            else {
                continue
            }
            guard
                let names = try? listDirectory(below.isEmpty ? folder : "\(folder)/\(below)", maximumCount: filesLimit)
            else {
                continue
            }
            for name in names where !name.hasPrefix(".") {
                let path = below.isEmpty ? name : "\(below)/\(name)"
                var status = stat()
                guard stat("\(folder)/\(path)", &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFREG || path.isOpaqueFolder {
                    found.append(path)
                } else if status.st_mode & S_IFMT == S_IFDIR, depth < depthLimit {
                    queue.append((path, depth + 1))
                }
            }
        }
        return found.sorted()
    }
}

/// The role of a file in a target, by the extension of its name.
enum FileKind {
    case swift
    /// A source of a mixed target: C, C++, Objective-C, assembler.
    case foreign
    /// A file for Xcode's tools. Definitions of intents and models of Core ML become classes; Core Data models and
    /// Metal are left out.
    case model
    /// A file that never reaches a bundle: headers, settings, entitlements, documentation.
    case ignored
    case resource

    init(_ path: String) {
        switch path.split(separator: "/").last?.split(separator: ".").last.map({ $0.lowercased() }) ?? "" {
        case "swift": self = .swift
        case "m", "mm", "c", "cc", "cpp", "cxx", "s": self = .foreign
        case "xcdatamodeld", "xcdatamodel", "xcmappingmodel", "intentdefinition", "metal", "mlmodel", "mlpackage":
            self = .model
        case "h", "hh", "hpp", "pch", "modulemap", "xcconfig", "entitlements", "docc", "md", "xctestplan", "xcodeproj",
            "exp":
            self = .ignored
        default: self = .resource
        }
    }
}

extension String {
    /// Whether Xcode treats a folder of this name as one file.
    var isOpaqueFolder: Bool {
        let endings = [
            ".xcassets", ".bundle", ".framework", ".xcframework", ".xcdatamodeld", ".docc", ".xcodeproj", ".icon",
            ".scnassets", ".playground", ".app", ".appex", TargetModels.packageEnding,
        ]
        return endings.contains(where: hasSuffix)
    }
}
