// BuildSettings: the values of build settings, and texts in which they stand as $(NAME).

import Foundation
import Glibc
import LinuxSystem

/// What Xcode's build would put in, as far as a package tells it ("Build settings reference", "Information Property List": a value may
/// refer to a setting as `$(NAME)` or `${NAME}`).
struct BuildSettings {
    private(set) var values: [String: String] = [:]

    /// Settings that refer to settings end here, also when they go round in circles.
    private static let depthLimit = 8
    /// So many references are put into one text; what is beyond stays as it is. A setting that names itself twice would have no end.
    private static let referencesLimit = 1000

    init(_ values: [String: String] = [:]) { self.values = values }

    subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// With those of the other, which count more.
    func merging(_ other: BuildSettings) -> BuildSettings { BuildSettings(values.merging(other.values) { $1 }) }

    /// The lines `NAME = VALUE` of an `.xcconfig` file and of those that it includes; later ones count. A line with a condition
    /// counts where that holds for a device (docs/bundling.md). Lines of other kinds are refused.
    static func read(file: String) throws(ProjectError) -> BuildSettings {
        let read = try ConfigurationFile(file)
        var layers = SettingLayers([:], conditions: SettingConditions(configuration: "Debug"))
        layers.add(SettingLayer(assignments: read.assignments, files: [], missing: []))
        return BuildSettings(layers.values)
    }

    /// `NAME=VALUE`, as the command line has it too.
    static func assignment(_ text: String) -> (name: String, value: String)? {
        guard let sign = text.firstIndex(of: "=") else { return nil }
        let name = text[..<sign].trimmingCharacters(in: .whitespaces)
        guard isName(name) else { return nil }
        return (name, text[text.index(after: sign)...].trimmingCharacters(in: .whitespaces))
    }

    static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x5F }
    }

    /// The text with every known setting put in, passed through `written`; what is not known stays.
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

    /// The value of the reference that a text begins with, and where it ends. A reference within its name is put in first; what
    /// nobody knows has the value behind `:default=`, or none.
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

    /// The settings that texts refer to and that nobody knows, sorted; those within known ones too.
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

    /// The name of a file, or what of it stands before its ending.
    private static func lastPart(_ path: String, withEnding: Bool) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard !withEnding, let dot = name.lastIndex(of: ".") else { return name }
        return String(name[..<dot])
    }

    /// Where the mark that closes the first one stands; a reference has at most 4096 characters.
    private static func end(of text: Substring, _ open: Character, _ close: Character) -> String.Index? {
        var depth = 0
        for index in text.prefix(4096).indices {
            if text[index] == open { depth += 1 }
            if text[index] == close { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// The text as an identifier: a character that an identifier may not have becomes `filler`, and so does a digit at
    /// its start, as in Xcode. Xcode's `c99extidentifier` keeps letters of other scripts. They are replaced here, too,
    /// because a class is found by the mangled name of its module.
    static func spelled(_ text: String, with filler: Character) -> String {
        let spelled = text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : filler }
        guard let first = spelled.first, first.isNumber else { return String(spelled) }
        return String([filler] + spelled.dropFirst())
    }
}
