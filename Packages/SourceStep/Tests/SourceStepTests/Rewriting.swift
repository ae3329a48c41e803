// Rewriting: the step on texts, for tests.

import Foundation
import SourceStep

/// The step's result for one file, with the import and the table apart from the author's text.
struct Rewriting {
    let text: String
    let table: String
    let report: StepReport.Target

    init(_ source: String, others: [String] = [], known: [String]? = nil) {
        let sources = ([source] + others).enumerated().map { ("/author/File\($0).swift", $1) }
        let result = SourceStep.rewrite(StepDescription.Target(module: "M", files: [], known: known), sources: sources)
        report = result.report
        let copy = result.files[0].text ?? source
        let marker = "#sourceLocation(file: \"/author/File0.swift (methods)\", line: 1)\n"
        let parts = copy.components(separatedBy: marker)
        table = parts.count > 1 ? parts[1] : ""
        // The lines before the author's.
        let start = parts[0].range(of: "#sourceLocation(file: \"/author/File0.swift\", line: 1)\n", options: .backwards)
        let own = start.map { String(parts[0][$0.upperBound...]) } ?? parts[0]
        // The table begins on a line of its own.
        text = own.hasSuffix("\n") && !source.hasSuffix("\n") ? String(own.dropLast()) : own
    }

    /// The names in the table.
    var selectors: [String] {
        table.components(separatedBy: "_Method(\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }

    var messages: [String] { report.notes.map { "\($0.line):\($0.column): \($0.message)" } }
}

/// Runs a program and returns what it wrote.
func output(of program: String, _ arguments: [String], in folder: String) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}

/// A folder that is there while the closure runs.
func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("step-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}

extension Rewriting {
    /// All of a copy.
    static func copy(of source: String, known: [String]? = nil) -> String? { copies(of: [source], known: known)[0] }

    /// The copies of a target's files; nil for a file that stays.
    static func copies(of sources: [String], known: [String]? = nil, transfers: Bool? = nil) -> [String?] {
        let target = StepDescription.Target(module: "M", files: [], known: known, transfers: transfers)
        return SourceStep.rewrite(target, sources: sources.map { ("/author/File.swift", $0) }).files.map(\.text)
    }
}
