// LintPageTests: docs/lint.md names every code, and nothing else.

import BundleLint
import LinuxSystem
import Testing

@Suite struct LintPageTests {
    @Test func `every code stands in a table with its severity, cause and remedy, and no other`() throws {
        // This file is Tests/BundleLintTests/LintPageTests.swift.
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let page = String(decoding: try readFile("\(root)/docs/lint.md", maximumSize: 1 << 20), as: UTF8.self)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed() }.map {
                String($0)
            }
        }
        #expect(rows.allSatisfy { $0.count == 4 && !$0[2].isEmpty && !$0[3].isEmpty })
        #expect(rows.map { $0[0] }.sorted() == LintCode.allCases.map { "`\($0.rawValue)`" }.sorted())
        for row in rows {
            let code = try #require(LintCode(rawValue: String(row[0].dropFirst().dropLast())))
            let severity = code.severity.rawValue + (code.isErrorInRelease ? ", error with `--release`" : "")
            #expect(row[1] == severity, "\(code)")
        }
    }
}
