// CIPageTests: the steps of docs/ci.md, as far as they do not install anything.

import Foundation
import LinuxSystem
import Testing

@Suite struct CIPageTests {
    private static let page = SampleApplications.root + "/docs/ci.md"

    /// The command lines of an example: what stands behind `run:` or in a list of lines.
    private static func lines(of name: String) throws -> [String] {
        let text = try String(contentsOfFile: page, encoding: .utf8)
        let start = try #require(text.range(of: "```yaml \(name)\n"))
        let end = try #require(text.range(of: "\n```", range: start.upperBound..<text.endIndex))
        return text[start.upperBound..<end.lowerBound].split(separator: "\n").compactMap { row in
            let line = row.drop { $0 == " " }
            for mark in ["- run: ", "run: ", "- "] where line.hasPrefix(mark) {
                return String(line.dropFirst(mark.count))
            }
            return nil
        }
    }

    @Test(arguments: [".github/workflows/test.yml", ".gitlab-ci.yml"])
    func theStepsPassForANewExtensionAndFailForABrokenOne(name: String) async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let made = try await Shell(folder: folder.path).run(
            "exthostctl new services WordCount --language python -q")
        try #require(made.status == 0, "\(made)")
        let steps = try Self.lines(of: name).filter { $0.hasPrefix("exthostctl ") || $0.hasPrefix("python3 ") }
        #expect(steps.count >= 2)
        let shell = Shell(folder: folder.path + "/WordCount")
        let environment = "export CI=true GITHUB_ACTIONS=true GITHUB_WORKSPACE=$PWD; "
        for step in steps {
            let ending = try await shell.run(environment + step.replacing("python3 -m", with: "/usr/bin/python3 -m"))
            #expect(ending.status == 0, "\(step): \(ending)")
            #expect(!ending.output.contains("::error"))
        }
        let script = URL(fileURLWithPath: "\(folder.path)/WordCount/WordCount/wordcount.py")
        let text = try String(contentsOf: script, encoding: .utf8)
        try Data(text.replacing("len(text.split())", with: "7").utf8).write(to: script)
        let trial = try #require(steps.first { $0.contains(".scenario") })
        let broken = try await shell.run(environment + trial)
        #expect(
            broken.status == 1 && broken.output.contains("::error file=WordCount.scenario,line=7,title="), "\(broken)")
    }
}
