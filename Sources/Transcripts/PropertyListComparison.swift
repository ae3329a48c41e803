// PropertyListComparison: the first place at which two property lists differ, by its path.

public import PropertyListCoding

/// A place at which two property lists differ.
public struct PropertyListDifference: Sendable, Hashable, CustomStringConvertible {
    /// The place, such as `payload[0].userInfo.shared`; empty for the whole.
    public var path: String
    /// The recorded value. Nil if nothing was expected.
    public var expected: PropertyList?
    /// The current value. Nil if there is none.
    public var found: PropertyList?

    public init(path: String, expected: PropertyList?, found: PropertyList?) {
        self.path = path
        self.expected = expected
        self.found = found
    }

    /// The difference as lines of a unified diff.
    public var description: String {
        "\(path.isEmpty ? "the whole" : path)\n- \(expected.map(Self.text) ?? "nothing")\n+ \(found.map(Self.text) ?? "nothing")"
    }

    /// The number of a value's bytes that are shown.
    private static let longest = 400

    private static func text(_ value: PropertyList) -> String {
        var writer = JSONWriter()
        writer.write(value)
        let text = writer.text
        return text.count > longest ? text.prefix(longest) + "…" : text
    }
}

/// A comparison of a recorded value with a current one.
///
/// It accepts what differs from run to run: dates, and identifiers (UUIDs), each of which must stand for the same one
/// in all places.
public struct PropertyListComparison: Sendable {
    /// The paths that are not compared, with everything below them; `*` stands for any one key or place.
    public var ignored: [String]
    /// The recorded identifiers and the current ones that stand for them, learned as they occur.
    private var identifiers: [String: String] = [:]
    private var recorded: [String: String] = [:]

    public init(ignoring paths: [String] = []) { ignored = paths }

    /// Records that `found` stands for `expected` from now on. False if either stands for another one already.
    @discardableResult
    public mutating func pair(_ expected: String, _ found: String) -> Bool {
        if let known = identifiers[expected] { return known == found }
        guard recorded[found] == nil else { return false }
        identifiers[expected] = found
        recorded[found] = expected
        return true
    }

    /// Returns the current identifier that stands for a recorded one.
    public func current(_ expected: String) -> String? { identifiers[expected] }

    /// Returns the first difference, with dictionary keys in alphabetical order. Nil if there is none.
    public mutating func firstDifference(
        _ expected: PropertyList, _ found: PropertyList, at path: String = ""
    ) -> PropertyListDifference? {
        if isIgnored(path) { return nil }
        switch (expected, found) {
        case (.dictionary(let expected), .dictionary(let found)):
            for key in Set(expected.keys + found.keys).sorted() {
                let inner = Self.path(path, key: key)
                if let difference = compare(expected[key], found[key], at: inner) { return difference }
            }
            return nil
        case (.array(let expected), .array(let found)):
            for index in 0..<max(expected.count, found.count) {
                let one = index < expected.count ? expected[index] : nil
                let other = index < found.count ? found[index] : nil
                if let difference = compare(one, other, at: "\(path)[\(index)]") { return difference }
            }
            return nil
        case (.date, .date): return nil
        case (.real(let one), .real(let other)) where one.isNaN && other.isNaN: return nil
        case (.string(let one), .string(let other)) where areSame(one, other): return nil
        default: return expected == found ? nil : PropertyListDifference(path: path, expected: expected, found: found)
        }
    }

    private mutating func compare(_ expected: PropertyList?, _ found: PropertyList?, at path: String)
        -> PropertyListDifference?
    {
        if let expected, let found { return firstDifference(expected, found, at: path) }
        return isIgnored(path) ? nil : PropertyListDifference(path: path, expected: expected, found: found)
    }

    // MARK: Paths

    /// Returns the path extended by a key. A key that is not a word is quoted.
    public static func path(_ path: String, key: String) -> String {
        let isWord =
            !key.isEmpty
            && key.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "$") || $0.isLetterOrDigit }
        if !isWord { return "\(path)[\"\(key)\"]" }
        return path.isEmpty ? key : "\(path).\(key)"
    }

    private func isIgnored(_ path: String) -> Bool {
        guard !ignored.isEmpty, !path.isEmpty else { return false }
        let parts = Self.parts(of: path)
        return ignored.contains { pattern in
            let wanted = Self.parts(of: pattern)
            return !wanted.isEmpty && wanted.count <= parts.count
                && zip(wanted, parts).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }

    /// Returns the parts of a path: `a.b[0]["c.d"]` as `a`, `b`, `0`, `c.d`.
    static func parts(of path: String) -> [String] {
        var parts: [String] = []
        var part = ""
        var isQuoted = false
        for character in path {
            switch character {
            case "\"": isQuoted.toggle()
            case "." where !isQuoted, "[" where !isQuoted, "]" where !isQuoted:
                if !part.isEmpty { parts.append(part) }
                part = ""
            default: part.append(character)
            }
        }
        return part.isEmpty ? parts : parts + [part]
    }

    // MARK: Identifiers

    /// Whether two strings are equal except for identifiers, which stand for one another.
    private mutating func areSame(_ expected: String, _ found: String) -> Bool {
        if expected == found && Self.identifiers(in: expected).isEmpty { return true }
        let (ours, theirs) = (Self.identifiers(in: expected), Self.identifiers(in: found))
        guard ours.count == theirs.count, Self.rest(of: expected, ours) == Self.rest(of: found, theirs) else {
            return false
        }
        for (one, other) in zip(ours, theirs) where !pair(Self.text(expected, one), Self.text(found, other)) {
            return false
        }
        return true
    }

    private static func text(_ string: String, _ range: Range<Int>) -> String {
        String(decoding: Array(string.utf8)[range], as: UTF8.self).uppercased()
    }

    private static func rest(of string: String, _ ranges: [Range<Int>]) -> [UInt8] {
        var bytes = Array(string.utf8)
        for range in ranges.reversed() { bytes.replaceSubrange(range, with: [0]) }
        return bytes
    }

    /// Returns the ranges of UUIDs, in UTF-8 units.
    static func identifiers(in string: String) -> [Range<Int>] {
        let bytes = Array(string.utf8)
        guard bytes.count >= 36 else { return [] }
        var found: [Range<Int>] = []
        var start = 0
        while start + 36 <= bytes.count {
            let isOne = (0..<36).allSatisfy { offset in
                let byte = bytes[start + offset]
                return [8, 13, 18, 23].contains(offset) ? byte == UInt8(ascii: "-") : byte.isHexadecimal
            }
            if isOne { found.append(start..<start + 36) }
            start += isOne ? 36 : 1
        }
        return found
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    fileprivate var isHexadecimal: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
