// ResultReporter: results as they arrive: for people, as TAP, as one JSON document, and as JUnit's XML.

import ExtensionHostTesting
import Foundation
import Locks
import Scenarios

final class ResultReporter: Sendable {
    enum Form {
        case people, tap, json
    }

    private let name: String
    private let count: Int
    private let form: Form
    private let junit: String?
    private let isQuiet: Bool
    private let tap = Mutex(TAPReport())

    /// - Parameters:
    ///  - name: the name of the test subject: the file, or the extension.
    ///  - junit: a file to write; it is opened here, so that an error shows before anything runs.
    init(name: String, count: Int, form: Form, junit: String?, isQuiet: Bool) throws(CommandError) {
        self.name = name
        self.count = count
        self.form = form
        self.junit = junit
        self.isQuiet = isQuiet
        if let junit { try Self.write("", to: junit) }
    }

    func begin() throws(CommandError) {
        if form == .tap { try StandardOutput.write(tap.withLock { $0.head(count: count) }) }
    }

    /// Shows a result. It must be called in the order of the tests.
    ///
    /// For a failure people also get all events if `withTimeline` is true.
    func show(_ result: TestResult, withTimeline: Bool = true) throws(CommandError) {
        switch form {
        case .people:
            if !isQuiet || result.failure != nil { try StandardOutput.write(Self.text(result, withTimeline)) }
        case .tap: try StandardOutput.write(tap.withLock { $0.text(result) })
        case .json: break
        }
        annotate(result)
    }

    /// Writes an annotation that GitHub Actions shows beside the failed line in the changed file.
    private func annotate(_ result: TestResult) {
        let environment = ProcessInfo.processInfo.environment
        guard environment["GITHUB_ACTIONS"] == "true" else { return }
        let root = (environment["GITHUB_WORKSPACE"] ?? FileManager.default.currentDirectoryPath) + "/"
        let line = GitHubAnnotation.line(result) { file in
            let path = URL(fileURLWithPath: file).standardizedFileURL.path
            return path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
        }
        if let line { StandardError.line(line) }
    }

    func end(_ results: [TestResult]) throws(CommandError) {
        try writeFile(results)
        switch form {
        case .people: try StandardOutput.line(Self.summary(results))
        case .tap: break
        case .json: try StandardOutput.write(json(results).document)
        }
    }

    /// Writes the JUnit file, if the user named one.
    func writeFile(_ results: [TestResult]) throws(CommandError) {
        if let junit { try Self.write(JUnitReport(name: name, results: results).text, to: junit) }
    }

    private static func write(_ text: String, to path: String) throws(CommandError) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw .usage(
                "\(path) cannot be written: \(error.localizedDescription)", remedy: "Name a file that you may write")
        }
    }

    // MARK: For people

    private static func text(_ result: TestResult, _ withTimeline: Bool) -> String {
        let name = printable(result.name)
        switch result.verdict {
        case .passed: return "\(Colour.green("✓")) \(name)  \(written(seconds: result.seconds))\n"
        case .skipped(let why): return "\(Colour.yellow("–")) \(name)  \(printable(why))\n"
        case .failed(let failure):
            var text = "\(Colour.red("✗")) \(Colour.bold(name))  \(written(seconds: result.seconds))\n"
            for (title, words) in failure.parts {
                let lines = words.split(separator: "\n").map { printable(String($0)) }
                text += "  " + title + String(repeating: " ", count: max(0, 10 - title.count))
                text += lines.joined(separator: "\n" + String(repeating: " ", count: 12)) + "\n"
            }
            for (title, lines) in [("timeline", withTimeline ? failure.timeline : []), ("output", failure.output)]
            where !lines.isEmpty {
                text += "  \(title)\n" + lines.map { "    \(printable($0))\n" }.joined()
            }
            return text
        }
    }

    private static func summary(_ results: [TestResult]) -> String {
        let failed = results.count { $0.failure != nil }
        let skipped = results.count { if case .skipped = $0.verdict { true } else { false } }
        var text = "\(results.count) test\(results.count == 1 ? "" : "s"), "
        text += failed == 0 ? Colour.green("none failed") : Colour.red("\(failed) failed")
        return text + (skipped == 0 ? "" : ", \(skipped) skipped")
    }

    // MARK: For scripts

    private func json(_ results: [TestResult]) -> JSON {
        [
            "name": .string(name), "tests": .array(results.map(Self.json)),
            "passed": .integer(results.count { $0.verdict == .passed }),
            "failed": .integer(results.count { $0.failure != nil }),
            "skipped": .integer(results.count { if case .skipped = $0.verdict { true } else { false } }),
        ]
    }

    private static func json(_ result: TestResult) -> JSON {
        var members: [(name: String, value: JSON)] = [
            ("name", .string(result.name)), ("line", .optional(result.line)), ("seconds", .real(result.seconds)),
        ]
        switch result.verdict {
        case .passed: members.append(("verdict", "passed"))
        case .skipped(let why): members += [("verdict", "skipped"), ("why", .string(why))]
        case .failed(let failure):
            members.append(("verdict", "failed"))
            members += failure.parts.map { (name: $0.name, value: JSON.string($0.text)) }
            members.append(("timeline", .array(failure.timeline.map(JSON.string))))
            members.append(("output", .array(failure.output.map(JSON.string))))
        }
        return .object(members)
    }
}
