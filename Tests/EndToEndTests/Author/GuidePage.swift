// GuidePage: a page of the documentation as a list of steps that can be taken.

import Foundation
import Testing

/// The fenced blocks of a page. A block `console` has lines that begin with `$`, and below each what it prints; `…`
/// stands for anything. A block whose first line names a file after the language is the whole of that file.
struct GuidePage {
    enum Step {
        case command(String, printed: [String], line: Int)
        case file(path: String, text: String)
    }

    let steps: [Step]
    private let name: String

    init(_ name: String) throws {
        self.name = name
        let text = try TestBundles.source("docs/\(name)")
        var steps: [Step] = []
        var block: (head: [Substring], lines: [Substring], start: Int)?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.hasPrefix("```") else {
                block?.lines.append(line)
                continue
            }
            guard let ended = block else {
                block = (line.dropFirst(3).split(separator: " "), [], number + 2)
                continue
            }
            block = nil
            if ended.head.first == "console" {
                steps += Self.commands(ended.lines, ended.start)
            } else if ended.head.count == 2 {
                steps.append(.file(path: String(ended.head[1]), text: ended.lines.joined(separator: "\n") + "\n"))
            }
        }
        self.steps = steps
    }

    private static func commands(_ lines: [Substring], _ start: Int) -> [Step] {
        var steps: [Step] = []
        for (offset, line) in lines.enumerated() {
            if line.hasPrefix("$ ") {
                steps.append(.command(String(line.dropFirst(2)), printed: [], line: start + offset))
            } else if case .command(let words, let printed, let place) = steps.last {
                steps[steps.count - 1] = .command(words, printed: printed + [String(line)], line: place)
            }
        }
        return steps
    }

    /// Takes every step, and compares what is printed with what the page says. Returns all lines that were printed.
    ///
    /// - Parameter run: runs a command line in a folder.
    @discardableResult
    func follow(
        in folder: String, isolation: isolated (any Actor)? = #isolation,
        run: (_ line: String, _ folder: String) async throws -> Shell.Ending
    ) async throws -> [String] {
        var place = folder
        var all: [String] = []
        for step in steps {
            switch step {
            case .file(let path, let text):
                let file = URL(fileURLWithPath: "\(place)/\(path)")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                let text = text.replacing("/path/to/exthost", with: SampleApplications.root)
                try Data(text.utf8).write(to: file)
            case .command(let words, let printed, let line):
                if words.hasPrefix("cd ") {
                    place = URL(fileURLWithPath: "\(place)/\(words.dropFirst(3))").standardizedFileURL.path
                    continue
                }
                let ending = try await run(words.replacing("/path/to/exthost", with: SampleApplications.root), place)
                // What prints nothing that the page shows has at least to succeed.
                if printed.isEmpty { #expect(ending.status == 0, "docs/\(name):\(line): “\(words)”: \(ending.output)") }
                let lines = ending.output.split(separator: "\n").map(String.init)
                for wanted in printed where !wanted.isEmpty {
                    // Standard error may come between the lines of standard output.
                    guard lines.contains(where: { Self.agrees(wanted, $0) }) else {
                        Issue.record(
                            "docs/\(name):\(line): “\(words)” does not print “\(wanted)” but:\n\(ending.output)")
                        return all
                    }
                }
                all += lines
            }
        }
        return all
    }

    /// Whether a printed line is the page's.
    static func agrees(_ wanted: String, _ line: String) -> Bool {
        let parts = wanted.components(separatedBy: "…")
        var rest = line[...]
        for (index, part) in parts.enumerated() where !part.isEmpty {
            guard let found = rest.range(of: part), index > 0 || found.lowerBound == rest.startIndex else {
                return false
            }
            rest = rest[found.upperBound...]
        }
        return parts.last?.isEmpty == true || rest.isEmpty
    }
}
