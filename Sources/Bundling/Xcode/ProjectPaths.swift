// ProjectPaths: where the files of a project lie: references resolved through the groups that hold them.

import Foundation
import Glibc
import LinuxSystem

/// Absolute paths of file references and groups. Nothing of a path is trusted: it is used only where a file is.
struct ProjectPaths {
    private let objects: ProjectObjects
    /// `SRCROOT`: the folder of the project, or the one that the project names.
    let sourceRoot: String
    private var parents: [String: String] = [:]

    /// Groups around a file.
    private static let depthLimit = 64
    /// Files of one synchronized folder.
    private static let filesLimit = 50_000

    /// - Parameter folder: the one in which the `.xcodeproj` lies.
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

    /// Where an object lies; nil for what is built, or lies in Xcode itself.
    func path(of object: ProjectObject) -> String? {
        path(of: object, depth: 0).map { Self.actual(Self.standardized($0)) }
    }

    /// The file that a path names where names differ in case only: volumes of Macs do not tell the two apart.
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
        // A variant group's path counts as that of any group.
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

    /// The files below a folder, each by its path in it; folders that Xcode takes for one file are not entered.
    static func files(below folder: String) -> [String] {
        var found: [String] = []
        var queue = [(path: "", depth: 0)]
        // A link may lead to a folder that was entered already.
        var entered: Set<[UInt]> = []
        while let (below, depth) = queue.popLast(), found.count < filesLimit {
            var own = stat()
            guard stat("\(folder)/\(below)", &own) == 0, entered.insert([UInt(own.st_dev), UInt(own.st_ino)]).inserted else {
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

/// What a file is to a target, by the ending of its name.
enum FileKind {
    case swift
    /// C, C++, Objective-C, assembler: what a mixed target has.
    case foreign
    /// Compiled by tools that only Xcode has: Core Data models, intents, Metal.
    case model
    /// Headers, settings, entitlements, documentation: nothing of them reaches a bundle.
    case ignored
    case resource

    init(_ path: String) {
        switch path.split(separator: "/").last?.split(separator: ".").last.map({ $0.lowercased() }) ?? "" {
        case "swift": self = .swift
        case "m", "mm", "c", "cc", "cpp", "cxx", "s": self = .foreign
        case "xcdatamodeld", "xcdatamodel", "xcmappingmodel", "intentdefinition", "metal", "mlmodel": self = .model
        case "h", "hh", "hpp", "pch", "modulemap", "xcconfig", "entitlements", "docc", "md", "xctestplan", "xcodeproj",
            "exp":
            self = .ignored
        default: self = .resource
        }
    }
}

extension String {
    /// Whether a folder of this name is one file to Xcode.
    var isOpaqueFolder: Bool {
        let endings = [
            ".xcassets", ".bundle", ".framework", ".xcframework", ".xcdatamodeld", ".docc", ".xcodeproj", ".icon",
            ".scnassets",
            ".playground", ".app", ".appex",
        ]
        return endings.contains(where: hasSuffix)
    }
}
