// ItemErrorsPageTests: docs/errors.md names every error of an item provider.

import ExtensionItems
import Foundation
import Testing

@Suite struct ItemErrorsPageTests {
    @Test func `every error of a provider stands in the page with its code, and no other`() throws {
        // This file is Tests/ExtensionItemsTests/ItemErrorsPageTests.swift.
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/errors.md"), encoding: .utf8)
        for code in NSItemProvider.ErrorCode.allCases {
            #expect(page.contains("| \(code.rawValue) | `\(code)` |"), "\(code)")
        }
        #expect(
            page.split(separator: "\n").filter { $0.hasPrefix("| -1") }.count == NSItemProvider.ErrorCode.allCases.count
        )
        #expect(page.contains("`\(NSItemProvider.errorDomain)`"))
    }
}
