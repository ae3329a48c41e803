// FailureListTests: the last lines of Scripts/test name each failed test with its reason.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

/// `Scripts/failures`, with event streams as the test runner writes them.
@Suite struct FailureListTests {
    private static func event(_ kind: String, _ test: String, _ more: String = "") -> String {
        #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"Tests.\#(test)/A.swift:1:2"\#(more)},"version":0}"#
    }

    private static func issue(_ test: String, _ words: [String], known: Bool = false, case name: String? = nil)
        -> String
    {
        let messages = words.map { #"{"symbol":"fail","text":"\#($0)"}"# }.joined(separator: ",")
        let place = #""sourceLocation":{"fileID":"EndToEndTests/Counts/A.swift","line":30}"#
        let named = name.map { #","_testCase":{"displayName":"\#($0)"}"# } ?? ""
        return event(
            "issueRecorded", test, #","issue":{"isKnown":\#(known),\#(place)},"messages":[\#(messages)]\#(named)"#)
    }

    private func failures(_ lines: [String]) async throws -> [String] {
        let folder = try TemporaryDirectory(prefix: "exthost-failures")
        defer { try? folder.remove() }
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: folder.path + "/events"))
        let ending = try await Program.run(
            "/usr/bin/python3", [SampleApplications.root + "/Scripts/failures", folder.path + "/events"], socket: ""
        ).ending()
        #expect(ending.status == 0, "\(ending.errors)")
        return ending.output.split(separator: "\n").map(String.init)
    }

    @Test func aFailedTestIsNamedWithTheCommentOfItsIssue() async throws {
        let path = "start with an index takes 9 instructions, 3 at the most"
        let lines = try await failures([
            Self.event("testStarted", "S/passes()"), Self.event("testEnded", "S/passes()"),
            Self.event("testStarted", "S/fails()"), Self.issue("S/fails()", ["Issue recorded", path]),
            Self.issue("S/fails()", ["Issue recorded", path]), Self.event("testEnded", "S/fails()"),
            Self.event("testStarted", "S/isKnown()"), Self.issue("S/isKnown()", ["no news"], known: true),
            Self.event("testEnded", "S/isKnown()"),
            Self.issue("S/each(_:)", ["Expectation failed"], case: "daemon"),
        ])
        #expect(
            lines == [
                "Tests.S/fails(): Issue recorded; \(path) (A.swift:30)",
                "Tests.S/each(_:) of daemon: Expectation failed (A.swift:30)",
            ])
    }

    /// The runner was ended: its last line is a part of one.
    @Test func aTestThatHasNotEndedIsNamed() async throws {
        let lines = try await failures([
            Self.event("testStarted", "S/hangs()"), Self.event("testStarted", "S/ends()"),
            Self.event("testEnded", "S/ends()"), #"{"kind":"event","payl"#,
        ])
        #expect(lines == ["Tests.S/hangs(): it had begun and not ended when the runner ended"])
    }
}
