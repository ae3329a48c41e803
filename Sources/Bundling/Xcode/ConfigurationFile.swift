// ConfigurationFile: the lines of an .xcconfig file and of its includes.

import Foundation
import Glibc
import LinuxSystem

/// A line `NAME[CONDITION] = VALUE`.
struct SettingAssignment: Hashable {
    let name: String
    /// The conditions, each like `sdk=iphoneos*`; all must hold.
    var conditions: [String] = []
    let value: String

    /// Parses the name with its conditions, which a project's dictionary of settings has too. Nil if the name is
    /// invalid.
    init?(_ key: String, value: String) {
        let parts = key.trimmingCharacters(in: .whitespaces).split(
            separator: "[", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].trimmingCharacters(in: .whitespaces)
        guard BuildSettings.isName(name) else { return nil }
        self.name = name
        self.value = value
        guard parts.count == 2 else { return }
        guard parts[1].hasSuffix("]") else { return nil }
        // The forms are `[config=Debug][arch=*]` and `[sdk=iphoneos*,arch=arm64]`.
        conditions = parts[1].dropLast().split { "[],".contains($0) }.map { $0.trimmingCharacters(in: .whitespaces) }
        guard conditions.allSatisfy({ $0.contains("=") }) else { return nil }
    }
}

struct ConfigurationFile {
    private(set) var assignments: [SettingAssignment] = []
    /// The file itself and the included files, as absolute paths.
    private(set) var files: [String] = []
    /// The included files that do not exist, if that is allowed.
    private(set) var missing: [String] = []

    /// The maximum size of one value and of a file, in bytes. `depthLimit` bounds nested files, `filesLimit` all files.
    static let (valueLimit, fileLimit) = (4096, 1 << 20)
    private static let (depthLimit, filesLimit) = (16, 128)

    /// Reads a file. Comments begin with `//`. An invalid line is an error; a file that `#include?` names may be
    /// missing.
    ///
    /// - Parameter root: the project's folder, which is also searched for included files. With a root, any included
    ///   file may be missing, as in Xcode: files with secrets are not published.
    init(_ path: String, root: String? = nil) throws(ProjectError) {
        try read(path, root: root, around: [])
    }

    private mutating func read(_ path: String, root: String?, around: [String]) throws(ProjectError) {
        func failure(_ line: Int?, _ message: String, _ remedy: String) -> ProjectError {
            ProjectError(ProjectFinding(.settingInvalid, path, line: line, message, remedy: remedy))
        }
        guard around.count < Self.depthLimit, files.count < Self.filesLimit else {
            throw failure(
                nil, "it includes more than \(Self.filesLimit) files, or more than \(Self.depthLimit) deep",
                "Include fewer")
        }
        files.append(path)
        guard let bytes = try? readFile(path, maximumSize: Self.fileLimit),
            let text = String(validating: bytes, as: UTF8.self)
        else {
            throw failure(nil, "it cannot be read as text", "Make it readable, in UTF-8")
        }
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = (line.range(of: "//").map { line[..<$0.lowerBound] } ?? line).trimmingCharacters(
                in: .whitespaces)
            guard !words.isEmpty else { continue }
            if words.hasPrefix("#include") {
                // The name of a file may contain “//”; a comment behind it is rare.
                let quoted = words.split(separator: "\"", omittingEmptySubsequences: false)
                guard quoted.count == 3 else {
                    throw failure(
                        index + 1, "“\(words.prefix(64))” names no file", "Write #include \"NAME.xcconfig\"")
                }
                try include(
                    String(quoted[1]), isOptional: words.hasPrefix("#include?"), from: path, line: index + 1,
                    root: root,
                    around: around)
                continue
            }
            let sign = Self.sign(in: words)
            guard let sign, words.utf8.count <= Self.valueLimit,
                let assignment = SettingAssignment(
                    String(words[..<sign]),
                    value: words[words.index(after: sign)...].trimmingCharacters(in: .whitespaces))
            else {
                throw failure(
                    index + 1, "“\(words.prefix(64))” is not a setting",
                    "Write NAME = VALUE, in at most \(Self.valueLimit) bytes")
            }
            assignments.append(assignment)
        }
    }

    /// Returns the first `=` outside a condition.
    private static func sign(in words: String) -> String.Index? {
        var depth = 0
        return words.indices.first { index in
            switch words[index] {
            case "[": depth += 1
            case "]": depth -= 1
            default: break
            }
            return words[index] == "=" && depth == 0
        }
    }

    private mutating func include(
        _ name: String, isOptional: Bool, from path: String, line: Int, root: String?, around: [String]
    ) throws(ProjectError) {
        let own = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let places = name.hasPrefix("/") ? [name] : [own, root].compactMap { $0 }.map { "\($0)/\(name)" }
        let found = places.map(ProjectPaths.standardized).first { access($0, R_OK) == 0 }
        guard let found else {
            if isOptional { return }
            if root != nil { return missing.append("\(own)/\(name)") }
            throw ProjectError(
                ProjectFinding(
                    .settingInvalid, path, line: line, "there is no file \(name) to include",
                    remedy: "Add the file, or write #include?"))
        }
        guard !around.contains(found), found != path else {
            throw ProjectError(
                ProjectFinding(.settingInvalid, path, line: line, "\(name) includes itself", remedy: "Remove the line"))
        }
        try read(found, root: root, around: around + [path])
    }
}
