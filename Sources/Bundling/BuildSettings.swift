// BuildSettings: the values of build settings, and their expansion in texts that contain $(NAME).

import Foundation
import Glibc
import LinuxSystem

/// The values that Xcode's build would insert, as far as a package states them.
///
/// A value may refer to a setting as `$(NAME)` or `${NAME}` ("Build settings reference", "Information Property List").
struct BuildSettings {
    private(set) var values: [String: String] = [:]

    /// The maximum depth of settings that refer to settings; it also ends cycles.
    private static let depthLimit = 8
    /// The maximum number of references that are expanded in one text; the others remain unchanged.
    ///
    /// A setting that refers to itself twice would otherwise never end.
    private static let referencesLimit = 1000

    init(_ values: [String: String] = [:]) { self.values = values }

    subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Returns these settings merged with those of the other, which take precedence.
    func merging(_ other: BuildSettings) -> BuildSettings { BuildSettings(values.merging(other.values) { $1 }) }

    /// Reads the lines `NAME = VALUE` of an `.xcconfig` file and of its includes; later lines take precedence.
    ///
    /// A line with a condition counts if the condition holds for a device (docs/bundling.md). Lines of other kinds are
    /// refused.
    static func read(file: String) throws(ProjectError) -> BuildSettings {
        let read = try ConfigurationFile(file)
        var layers = SettingLayers([:], conditions: SettingConditions(configuration: "Debug"))
        layers.add(SettingLayer(assignments: read.assignments, files: [], missing: []))
        return BuildSettings(layers.values)
    }

    /// Parses `NAME=VALUE`, which is also the form on the command line.
    static func assignment(_ text: String) -> (name: String, value: String)? {
        guard let sign = text.firstIndex(of: "=") else { return nil }
        let name = text[..<sign].trimmingCharacters(in: .whitespaces)
        guard isName(name) else { return nil }
        return (name, text[text.index(after: sign)...].trimmingCharacters(in: .whitespaces))
    }

    static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x5F }
    }

    /// Returns the text with every known setting expanded and passed through `written`; unknown ones remain.
    func expanded(_ text: String, written: (String) -> String = { $0 }) -> String {
        var left = Self.referencesLimit
        return expanded(text, written, depth: 0, &left)
    }

    private func expanded(_ text: String, _ written: (String) -> String, depth: Int, _ left: inout Int) -> String {
        guard depth < Self.depthLimit else { return text }
        var result = ""
        var rest = text[...]
        while let sign = rest.firstIndex(of: "$") {
            result += rest[..<sign]
            rest = rest[sign...]
            guard let (value, end) = reference(at: rest, depth, &left) else {
                result.append(rest.removeFirst())
                continue
            }
            result += written(value)
            rest = rest[end...]
        }
        return result + rest
    }

    /// Returns the value of the reference at the start of a text, and the place where the reference ends.
    ///
    /// A reference inside its name is expanded first. An unknown setting has the value behind `:default=`, or none.
    private func reference(at text: Substring, _ depth: Int, _ left: inout Int) -> (value: String, end: String.Index)? {
        let inside = text.dropFirst()
        guard let open = inside.first, let close = [Character("("): Character(")"), "{": "}"][open],
            let end = Self.end(of: inside, open, close)
        else { return nil }
        var content = String(inside[inside.index(after: inside.startIndex)..<end])
        if content.contains("$") {
            guard left > 0 else { return nil }
            left -= 1
            content = expanded(content, { $0 }, depth: depth + 1, &left)
        }
        let words = content.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = words.first, Self.isName(name) else { return nil }
        let known = values[String(name)]
        guard let text = known ?? Self.fallback(words) else { return nil }
        guard left > 0 else { return nil }
        left -= 1
        var value = expanded(text, { $0 }, depth: depth + 1, &left)
        for operation in words.dropFirst() {
            switch operation {
            case "rfc1034identifier": value = Self.spelled(value, with: "-")
            case "c99extidentifier", "identifier": value = Self.spelled(value, with: "_")
            case "lower": value = value.lowercased()
            case "upper": value = value.uppercased()
            case "file", "base": value = Self.lastPart(value, withEnding: operation == "file")
            case _ where operation.hasPrefix("default="): if value.isEmpty { value = Self.fallback(words) ?? "" }
            default: return nil
            }
        }
        return (value, inside.index(after: end))
    }

    /// Returns the unknown settings that texts refer to, sorted, including those inside known ones.
    func unknown(in texts: [String]) -> [String] {
        var found: Set<String> = []
        for text in texts {
            for part in expanded(text).components(separatedBy: "$").dropFirst() {
                guard let open = part.first, open == "(" || open == "{" else { continue }
                let name = part.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
                let end = part.dropFirst(1 + name.count).first
                if !name.isEmpty, values[String(name)] == nil, end == ")" || end == "}" || end == ":" {
                    found.insert(String(name))
                }
            }
        }
        return found.sorted()
    }

    private static func fallback(_ words: [Substring]) -> String? {
        words.dropFirst().first { $0.hasPrefix("default=") }.map { String($0.dropFirst("default=".count)) }
    }

    /// Returns the name of a file, or the part before its extension.
    private static func lastPart(_ path: String, withEnding: Bool) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard !withEnding, let dot = name.lastIndex(of: ".") else { return name }
        return String(name[..<dot])
    }

    /// Returns the place of the mark that closes the first one; a reference has at most 4096 characters.
    private static func end(of text: Substring, _ open: Character, _ close: Character) -> String.Index? {
        var depth = 0
        for index in text.prefix(4096).indices {
            if text[index] == open { depth += 1 }
            if text[index] == close { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// Returns the text as an identifier: an invalid character becomes `filler`, and so does a digit at its start, as
    /// in Xcode.
    ///
    /// Xcode's `c99extidentifier` keeps letters of other scripts. They are replaced here as well, because a class is
    /// found by the mangled name of its module.
    static func spelled(_ text: String, with filler: Character) -> String {
        let spelled = text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : filler }
        guard let first = spelled.first, first.isNumber else { return String(spelled) }
        return String([filler] + spelled.dropFirst())
    }
}
