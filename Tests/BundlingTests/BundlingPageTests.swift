// BundlingPageTests: docs/bundling.md has a row for each code; what the compiler says is found.

import Foundation
import Testing

@testable import Bundling

@Suite struct BundlingPageTests {
    @Test func everyCodeHasARow() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/bundling.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let part = try #require(text.components(separatedBy: "## What keeps a folder").last)
        let rows = part.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap {
            $0.split(separator: "`").dropFirst().first
        }
        #expect(rows.map(String.init).sorted() == ProjectFinding.Code.allCases.map(\.rawValue).sorted())
    }

    @Test func linesOfTheCompilerBecomeFindings() {
        let output = """
            Building for debugging...
            [2/5] Compiling Share Share.swift
            /home/me/Share/Share.swift:12:7: error: cannot find 'txt' in scope
            /home/me/Share/Share.swift:12:7: error: cannot find 'txt' in scope
             12 |   txt
            error: emit-module command failed with exit code 1 (use -v to see invocation)
            error: fatalError
            """
        let found = PackageBuild.messages(Array(output.utf8), .buildFailed, "/home/me/Package.swift")
        #expect(found.map(\.message) == ["cannot find 'txt' in scope"])
        #expect(found.first?.file == "/home/me/Share/Share.swift" && found.first?.line == 12)
        // The linker names no place.
        let linker = PackageBuild.messages(
            Array("error: link command failed\n".utf8), .buildFailed, "/home/me/Package.swift")
        #expect(linker.map(\.file) == ["/home/me/Package.swift"] && linker.first?.message == "link command failed")
        let silent = PackageBuild.messages([], .buildFailed, "/home/me/Package.swift")
        #expect(silent.map(\.code) == ["buildFailed"])
    }
}
