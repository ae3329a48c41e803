// TAPReport: results in the Test Anything Protocol, version 14 (testanything.org), with a YAML block for each failure.

/// A report that writes each result as soon as it is known, after the plan.
public struct TAPReport: Sendable {
    private var number = 0

    public init() {}

    /// Returns the lines above the results of `count` tests.
    public func head(count: Int) -> String { "TAP version 14\n1..\(count)\n" }

    public mutating func text(_ result: TestResult) -> String {
        number += 1
        let name = Self.escaped(result.name)
        switch result.verdict {
        case .passed: return "ok \(number) - \(name) # time=\(Self.milliseconds(result.seconds))ms\n"
        case .skipped(let why): return "ok \(number) - \(name) # SKIP \(Self.escaped(why))\n"
        case .failed(let failure):
            return "not ok \(number) - \(name) # time=\(Self.milliseconds(result.seconds))ms\n"
                + Self.diagnosis(failure)
        }
    }

    /// Returns the line that a consumer takes for the end of all tests.
    public static func bailOut(_ why: String) -> String { "Bail out! \(escaped(why))\n" }

    private static func milliseconds(_ seconds: Double) -> Int { Int((seconds * 1000).rounded()) }

    private static func diagnosis(_ failure: TestFailure) -> String {
        var text = "  ---\n"
        for (name, value) in failure.parts { text += "  \(name): \(quoted(value))\n" }
        for (name, lines) in [("timeline", failure.timeline), ("output", failure.output)] where !lines.isEmpty {
            text += "  \(name):\n" + lines.map { "    - \(quoted($0))\n" }.joined()
        }
        return text + "  ...\n"
    }

    /// Returns the text escaped: `#` would begin a directive, and a line break a new line of the protocol.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in visible(text).unicodeScalars {
            if scalar == "#" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// Returns the text in YAML's double quotes, where every character can be escaped.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case let scalar where isControl(scalar):
                let digits = String(scalar.value, radix: 16)
                result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// Returns the text with each control character as a name, so that none affects a terminal, a protocol or a parser.
func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        if isControl(scalar) {
            result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// Whether the character is one of C0, DEL or C1, changes the direction of text, or is not allowed in XML.
func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069, 0xfffe, 0xffff: true
    default: false
    }
}
