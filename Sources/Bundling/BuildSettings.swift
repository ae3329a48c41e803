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
    /// Bytes of one value, and of a file of them.
    private static let (valueLimit, fileLimit) = (4096, 1 << 20)

    init(_ values: [String: String] = [:]) { self.values = values }

    subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// With those of the other, which count more.
    func merging(_ other: BuildSettings) -> BuildSettings { BuildSettings(values.merging(other.values) { $1 }) }

    /// The lines `NAME = VALUE` of an `.xcconfig` file; comments begin with `//`. Lines of other kinds are refused.
    static func read(file: String) throws -> BuildSettings {
        var settings = BuildSettings()
        let text: String
        do {
            guard let read = String(validating: try readFile(file, maximumSize: fileLimit), as: UTF8.self) else {
                throw SystemError("read", code: EILSEQ)
            }
            text = read
        } catch {
            throw ProjectError(
                ProjectFinding(.settingInvalid, file, "it cannot be read as text", remedy: "Let it be UTF-8, and readable"))
        }
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = (line.range(of: "//").map { line[..<$0.lowerBound] } ?? line).trimmingCharacters(in: .whitespaces)
            guard !words.isEmpty else { continue }
            guard let (name, value) = assignment(words), value.utf8.count <= valueLimit else {
                throw ProjectError(
                    ProjectFinding(
                        .settingInvalid, file, line: index + 1, "“\(words.prefix(64))” is no setting",
                        remedy: "Write NAME = VALUE, in at most \(valueLimit) bytes; #include and conditions are not read"))
            }
            settings[name] = value
        }
        return settings
    }

    /// `NAME=VALUE`, as the command line has it too.
    static func assignment(_ text: String) -> (name: String, value: String)? {
        guard let sign = text.firstIndex(of: "=") else { return nil }
        let name = text[..<sign].trimmingCharacters(in: .whitespaces)
        guard isName(name) else { return nil }
        return (name, text[text.index(after: sign)...].trimmingCharacters(in: .whitespaces))
    }

    private static func isName(_ text: some StringProtocol) -> Bool {
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

    /// The value of the reference that a text begins with, and where it ends.
    private func reference(at text: Substring, _ depth: Int, _ left: inout Int) -> (value: String, end: String.Index)? {
        let inside = text.dropFirst()
        guard let open = inside.first, let close = [Character("("): Character(")"), "{": "}"][open],
            let end = inside.firstIndex(of: close)
        else { return nil }
        let words = inside[inside.index(after: inside.startIndex)..<end].split(separator: ":", omittingEmptySubsequences: false)
        guard let name = words.first, Self.isName(name), let known = values[String(name)] else { return nil }
        guard left > 0 else { return nil }
        left -= 1
        var value = expanded(known, { $0 }, depth: depth + 1, &left)
        for operation in words.dropFirst() {
            switch operation {
            case "rfc1034identifier": value = Self.spelled(value, with: "-")
            case "c99extidentifier", "identifier": value = Self.spelled(value, with: "_")
            case "lower": value = value.lowercased()
            case "upper": value = value.uppercased()
            default: return nil
            }
        }
        return (value, text.index(after: end))
    }

    /// Characters that such a name may not have become `filler`.
    static func spelled(_ text: String, with filler: Character) -> String {
        String(
            text.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == filler || filler == "-" && $0 == "." ? $0 : filler })
    }
}
