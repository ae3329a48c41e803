// CallLineTests: `run --calls` makes the calls of its input, answers those of the extension, and ends with its input.

import CallVocabulary
import ExtensionProtocol
import Foundation
import LinuxSystem
import Testing

@Suite struct CallLineTests {
    private static func run(_ lines: String, _ options: String = "-q") async throws -> [String] {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let bundles = try CallTests.bundles()
        try Data(lines.utf8).write(to: URL(fileURLWithPath: folder.path + "/lines"))
        let ending = try await Shell(folder: folder.path).run(
            "exthostctl with --applications '\(bundles.path)' --extension-points '\(bundles.path)/points' -- sh -c "
                + "'exthostctl run \(CallTests.caller) --calls \(options) < lines; echo status $?'")
        return ending.output.split(separator: "\n").map(String.init)
    }

    // spec: PC-23
    @Test("PC-23: the command makes the calls of its input, and cancels the request at the end")
    func linesAreCalls() async throws {
        let lines = try await Self.run(
            """
            {"call": "test.echo", "number": 7, "arguments": {"text": "a", "bytes": {"$data": "AP8="}}}

            {"call": "test.count", "arguments": {"upTo": 2}, "limit": 50, "grace": 0.5}
            {"call": "test.unlisted"}
            """)
        #expect(lines.contains(#"{"answer": 7, "value": {"text": "a", "bytes": {"$data": "AP8="}}}"#), "\(lines)")
        #expect(lines.contains(#"{"part": 8, "value": {"number": 2}}"#), "\(lines)")
        #expect(lines.contains(#"{"answer": 8, "value": {"sum": 3}}"#), "\(lines)")
        #expect(lines.contains { $0.hasPrefix(#"{"answer": 9"#) && $0.contains("notPermitted") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("cancelled (cancelledByHost): \(CallTests.caller)") }, "\(lines)")
    }

    @Test(
        "PC-23: a line that is no call ends the request and the command",
        arguments: [
            ("no JSON", "start of a value"), ("[]", "no object"), (#"{"cal": "x"}"#, "none of the members"),
            (#"{"call": "test.echo", "limit": 0}"#, "limit is no number"),
            (#"{"call": "test.double", "arguments": {"file": {"$file": "/nonexistent"}}}"#, "/nonexistent"),
            (
                #"{"call": "test.end", "arguments": {"way": "hang"}, "number": 1}"# + "\n"
                    + #"{"call": "test.echo", "number": 1}"#, "the number of an open call"
            ),
        ])
    func wrongLines(line: String, words: String) async throws {
        let lines = try await Self.run(line)
        #expect(lines.contains("status \(64)"), "\(lines)")
        #expect(lines.contains { $0.contains("of the calls") && $0.contains(words) }, "\(lines)")
    }

    @Test func aSessionThatItselfReadsInputTakesNoCalls() async throws {
        let lines = try await Self.run("", "--interactive")
        #expect(lines.contains("status 64") && lines.contains { $0.contains("both read standard input") }, "\(lines)")
    }
}
