// InformationConditions: the conditions in an Info.plist that Xcode passes through the preprocessor of C.

/// The lines of an `Info.plist` with `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else`, `#endif`, `#define` and `#undef`.
///
/// Xcode reads them with `INFOPLIST_PREPROCESS`. Names are not replaced in other lines. Lines keep their numbers.
struct InformationConditions {
    /// The defined names with their values.
    private var defined: [String: String]
    /// For each open condition, whether its lines count, and whether one of its branches has counted.
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
            } else if open.allSatisfy(\.isActive) {
                result += line
            }
        }
        return open.isEmpty ? result : nil
    }

    private mutating func directive(_ text: String) -> Bool {
        let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        let rest = words.count > 1 ? words[1].filter { !$0.isWhitespace } : ""
        switch words.first {
        case "ifdef": return enter(defined[rest] != nil)
        case "ifndef": return enter(defined[rest] == nil)
        case "if": return condition(rest).map { enter($0) } ?? false
        case "elif":
            guard let last = open.popLast(), let holds = condition(rest) else { return false }
            open.append((!last.hasMatched && holds, last.hasMatched || holds))
        case "else":
            guard let last = open.popLast() else { return false }
            open.append((!last.hasMatched, true))
        case "endif": return open.popLast() != nil
        case "define", "undef":
            guard open.allSatisfy(\.isActive) else { return true }
            let parts = text.split(maxSplits: 2, whereSeparator: \.isWhitespace).map(String.init)
            guard parts.count > 1 else { return false }
            defined[parts[1]] = words.first == "undef" ? nil : parts.count > 2 ? parts[2] : ""
        default: return false
        }
        return true
    }

    private mutating func enter(_ holds: Bool) -> Bool {
        guard open.count < Self.depthLimit else { return false }
        open.append((holds, holds))
        return true
    }

    /// Returns whether a condition holds: a number, a name, or `defined(NAME)`, each with or without `!`.
    private func condition(_ text: String) -> Bool? {
        if text.hasPrefix("!") { return condition(String(text.dropFirst())).map { !$0 } }
        if text.hasPrefix("defined") {
            let name = text.dropFirst("defined".count).filter { $0 != "(" && $0 != ")" }
            return Self.isName(name) ? defined[name] != nil : nil
        }
        if let number = Int(text) { return number != 0 }
        guard Self.isName(text) else { return nil }
        // A name without a value is 0, as in C.
        return defined[text].map { Int($0) != 0 } ?? false
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
            && text.utf8.allSatisfy { byte in
                byte == 0x5F || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            }
    }
}
