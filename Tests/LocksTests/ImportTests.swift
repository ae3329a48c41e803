// ImportTests: no module takes its locks from Synchronization itself, where the thread sanitizer does not see them.

import Foundation
import Testing

@Suite struct ImportTests {
    @Test func everyFileImportsLocksInPlaceOfSynchronization() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        var found: [String] = []
        for folder in ["Sources", "Tests"] {
            let files = try FileManager.default.subpathsOfDirectory(atPath: root.path + "/" + folder)
            for file in files where file.hasSuffix(".swift") {
                let text = try String(contentsOfFile: "\(root.path)/\(folder)/\(file)", encoding: .utf8)
                if text.contains(#/(?m)^[ \w@]*\bimport (\w+ )?Synchronization\b/#) {
                    found.append("\(folder)/\(file)")
                }
            }
        }
        // An author has no `Locks`: samples and templates take atomic values, which the sanitizer does see, and no locks.
        let authors = found.filter { $0.hasPrefix("Sources/Samples/") || $0.hasPrefix("Sources/Bundling/New/") }
        for file in authors {
            let text = try String(contentsOfFile: root.path + "/" + file, encoding: .utf8)
            #expect(!text.contains("Mutex"), "\(file)")
        }
        #expect(found.filter { !authors.contains($0) } == ["Sources/Locks/Locks.swift"])
    }
}
