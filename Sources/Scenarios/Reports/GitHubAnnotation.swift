// GitHubAnnotation: a failure as GitHub Actions shows it beside its line.

/// The form of the workflow command `error` (GitHub's documentation, "Workflow commands for GitHub Actions").
public enum GitHubAnnotation {
    /// - Parameter path: converts the path of a file to one relative to the root of the repository.
    /// - Returns: a line without its end; nil for a test that has not failed.
    public static func line(_ result: TestResult, path: (String) -> String) -> String? {
        guard let failure = result.failure else { return nil }
        var properties: [String] = []
        if let (file, line) = place(of: failure, in: result) {
            properties = ["file=\(property(path(file)))", "line=\(line)"]
        }
        properties.append("title=\(property(visible(result.name)))")
        let parts = failure.parts.filter { $0.name != "at" }.map { "\($0.name): \(visible($0.text))" }
        return "::error \(properties.joined(separator: ","))::\(message(parts.joined(separator: "\n")))"
    }

    private static func place(of failure: TestFailure, in result: TestResult) -> (file: String, line: Int)? {
        if let place = failure.place, let colon = place.lastIndex(of: ":"),
            let line = Int(place[place.index(after: colon)...])
        {
            return (String(place[..<colon]), line)
        }
        return result.line.map { (result.group, $0) }
    }

    private static func message(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": escaped += "%25"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func property(_ text: String) -> String {
        var escaped = ""
        for scalar in message(text).unicodeScalars {
            switch scalar {
            case ":": escaped += "%3A"
            case ",": escaped += "%2C"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
