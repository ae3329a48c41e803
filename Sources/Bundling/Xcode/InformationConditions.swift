// InformationConditions: the conditions in an Info.plist that Xcode passes through the preprocessor of C.

/// The lines of an `Info.plist` with `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else`, `#endif`, `#define` and `#undef`.
///
/// Xcode reads them with `INFOPLIST_PREPROCESS`. Names are not replaced in other lines. Lines keep their numbers.
struct InformationConditions {
    /// The defined names with their values.
    private var defined: [String: String]
    /// The open conditions: whether the lines of each count, and whether one of its branches has counted.
    private var open: [(isActive: Bool, hasMatched: Bool)] = []

    private static let depthLimit = 64

    /// - Parameter definitions: the value of `INFOPLIST_PREPROCESSOR_DEFINITIONS`, such as `BETA LEVEL=2`.
    init(definitions: String) {
        defined = [:]
        for definition in definitions.split(whereSeparator: \.isWhitespace) {
            let parts = definition.split(separator: "=", maxSplits: 1)
            guard let name = parts.first else { continue }
            defined[String(name)] = parts.count > 1 ? String(parts[1]) : "1"
        }
    }

    /// Returns the bytes without the lines that do not count; nil for a directive or a condition that is not understood.
    mutating func apply(to bytes: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if !result.isEmpty || line.startIndex > 0 { result.append(0x0A) }
            let text = line.drop { $0 == 0x20 || $0 == 0x09 }
            if text.first == UInt8(ascii: "#") {
                guard directive(String(decoding: text.dropFirst(), as: UTF8.self)) else { return nil }
            } else if isActive {
                result += line
            }
        }
        return open.isEmpty ? result : nil
    }

    private var isActive: Bool { open.allSatisfy(\.isActive) }

    private mutating func directive(_ text: String) -> Bool {
        guard let text = Self.withoutComments(text) else { return false }
        let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        let rest = words.count > 1 ? Self.trimmed(words[1]) : ""
        switch words.first {
        case "if", "ifdef", "ifndef":
            // C evaluates no condition among lines that do not count.
            guard isActive else { return enter((false, true)) }
            let holds = words[0] == "if" ? condition(rest) : Self.isName(rest) ? defined[rest] != nil : nil
            return holds.map { enter(words[0] == "ifndef" ? (!$0, !$0) : ($0, $0)) } ?? false
        case "elif":
            guard let last = open.popLast() else { return false }
            if !isActive || last.hasMatched {
                open.append((false, true))
            } else {
                guard let holds = condition(rest) else { return false }
                open.append((holds, holds))
            }
        case "else":
            guard let last = open.popLast() else { return false }
            open.append((!last.hasMatched, true))
        case "endif": return open.popLast() != nil
        case "define", "undef":
            guard isActive else { return true }
            let parts = rest.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            guard let name = parts.first.map(String.init), Self.isName(name) else { return false }
            defined[name] = words.first == "undef" ? nil : parts.count > 1 ? Self.trimmed(parts[1]) : ""
        default: return !isActive
        }
        return true
    }

    private mutating func enter(_ condition: (isActive: Bool, hasMatched: Bool)) -> Bool {
        guard open.count < Self.depthLimit else { return false }
        open.append(condition)
        return true
    }

    /// Returns whether a condition holds: a number, a name, or `defined(NAME)`, each behind any number of `!`.
    ///
    /// Nil stands for a condition that is not understood. It may be a name whose value is no number.
    private func condition(_ text: String) -> Bool? {
        let operand = text.drop { $0 == "!" || $0.isWhitespace }
        let isNegated = text[..<operand.startIndex].count { $0 == "!" } % 2 == 1
        return value(of: String(operand)).map { $0 != isNegated }
    }

    private func value(of text: String) -> Bool? {
        if text.hasPrefix("defined"),
            text.dropFirst("defined".count).first.map({ $0.isWhitespace || $0 == "(" }) == true
        {
            var name = Self.trimmed(text.dropFirst("defined".count))
            if name.hasPrefix("("), name.hasSuffix(")") { name = Self.trimmed(name.dropFirst().dropLast()) }
            return Self.isName(name) ? defined[name] != nil : nil
        }
        if let number = Int(text) { return number != 0 }
        guard Self.isName(text) else { return nil }
        // A name that is not defined is 0, as in C.
        guard let value = defined[text] else { return false }
        return Int(value).map { $0 != 0 }
    }

    /// Returns the text without C's comments; nil if one of them does not end in the line.
    private static func withoutComments(_ text: String) -> String? {
        guard text.contains("/") else { return text }
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "/"), let next = rest.first else {
                result.append(byte)
                continue
            }
            if next == UInt8(ascii: "/") { break }
            guard next == UInt8(ascii: "*") else {
                result.append(byte)
                continue
            }
            rest = rest.dropFirst()
            var last: UInt8 = 0
            while let byte = rest.first, last != UInt8(ascii: "*") || byte != UInt8(ascii: "/") {
                last = byte
                rest = rest.dropFirst()
            }
            guard rest.popFirst() != nil else { return nil }
            result.append(UInt8(ascii: " "))
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
            && text.utf8.allSatisfy { byte in
                byte == 0x5F || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            }
    }
}
