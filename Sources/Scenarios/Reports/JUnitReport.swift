// JUnitReport: results as the XML that continuous integration systems read.

/// One suite of all results.
///
/// No standard defines this form; its elements and attributes are those that readers agree on (`testsuites`,
/// `testsuite`, `testcase`, `failure`, `skipped`, `system-out`).
public struct JUnitReport: Sendable {
    private let name: String
    private let results: [TestResult]

    /// - Parameter name: the name of the suite: the file, or the extension.
    public init(name: String, results: [TestResult]) {
        self.name = name
        self.results = results
    }

    /// The whole document, in UTF-8.
    public var text: String {
        let failures = results.count { $0.failure != nil }
        let skipped = results.count { if case .skipped = $0.verdict { true } else { false } }
        let time = Self.seconds(results.reduce(0) { $0 + $1.seconds })
        let counts =
            "tests=\"\(results.count)\" failures=\"\(failures)\" errors=\"0\" skipped=\"\(skipped)\" time=\"\(time)\""
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(counts)>\n"
            + "  <testsuite name=\"\(Self.attribute(name))\" \(counts)>\n"
            + results.map(Self.element).joined() + "  </testsuite>\n</testsuites>\n"
    }

    private static func element(_ result: TestResult) -> String {
        var head = "    <testcase name=\"\(attribute(result.name))\" classname=\"\(attribute(result.group))\""
        if let line = result.line { head += " file=\"\(attribute(result.group))\" line=\"\(line)\"" }
        head += " time=\"\(seconds(result.seconds))\""
        switch result.verdict {
        case .passed: return head + "/>\n"
        case .skipped(let why): return head + ">\n      <skipped message=\"\(attribute(why))\"/>\n    </testcase>\n"
        case .failed(let failure):
            let words = failure.parts.map { "\($0.name): \($0.text)" } + [""] + failure.timeline
            var text =
                head
                + ">\n      <failure message=\"\(attribute("expected \(failure.expected), found \(failure.found)"))\""
            text += " type=\"failure\">\(content(words))</failure>\n"
            if !failure.output.isEmpty { text += "      <system-out>\(content(failure.output))</system-out>\n" }
            return text + "    </testcase>\n"
        }
    }

    /// Returns the seconds with three decimal places, whatever the language.
    private static func seconds(_ seconds: Double) -> String {
        let milliseconds = Int((seconds * 1000).rounded())
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    private static func content(_ lines: [String]) -> String { lines.map(escaped).joined(separator: "\n") }

    private static func attribute(_ text: String) -> String { escaped(text) }

    /// Returns the text escaped for XML. Most control characters cannot occur in XML 1.0, not even by number: they are
    /// shown by name.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in visible(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
