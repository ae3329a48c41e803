// GuidePage: a page of the documentation as a list of steps that can be taken.

import Foundation

/// The fenced blocks of a page. A block `console` has lines that begin with `$`, and below each what it prints; `…` stands for anything.
/// A block whose first line names a file after the language is the whole of that file.
struct GuidePage {
    enum Step {
        case command(String, printed: [String], line: Int)
        case file(path: String, text: String)
    }

    let steps: [Step]

    init(_ name: String) throws {
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

    /// Whether a printed line is the page's.
    static func agrees(_ wanted: String, _ line: String) -> Bool {
        let parts = wanted.components(separatedBy: "…")
        var rest = line[...]
        for (index, part) in parts.enumerated() where !part.isEmpty {
            guard let found = rest.range(of: part), index > 0 || found.lowerBound == rest.startIndex else { return false }
            rest = rest[found.upperBound...]
        }
        return parts.last?.isEmpty == true || rest.isEmpty
    }
}
