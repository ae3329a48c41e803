// OwnPointTests: the extension point of a stranger, whose page and package are the same, and need four products.

import Foundation
import Testing

extension AuthorTests {
    /// The page builds the package, and its app calls the extension in real processes.
    // spec: PC-1, PC-5, PC-13, PC-14
    @Test("PC-1, PC-5, PC-13, PC-14: a stranger's extension point works as its page says")
    func everyStepOfAPointOfOnesOwnIsTrue() async throws { try await follow("own-point.md") }
}

@Suite struct OwnPointTests {
    private static let package = "Tests/Fixtures/StrangerPoint"

    private static func files() throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: SampleApplications.root + "/" + package)
        var files: [String: String] = [:]
        for name in names where !name.hasPrefix(".build") && name.contains(".") && name != "Package.resolved" {
            var isFolder: ObjCBool = false
            let path = "\(package)/\(name)"
            guard FileManager.default.fileExists(atPath: SampleApplications.root + "/" + path, isDirectory: &isFolder),
                !isFolder.boolValue
            else { continue }
            files[name] = try TestBundles.source(path)
        }
        return files
    }

    @Test func thePageHasEveryFileOfThePackage() throws {
        var written: [String: String] = [:]
        for case .file(let path, let text) in try GuidePage("own-point.md").steps { written[path] = text }
        let files = try Self.files()
        #expect(Set(written.keys) == Set(files.keys))
        for (name, text) in files { #expect(written[name] == text, "\(name)") }
    }

    /// The examples of extension-points.md are lines of this package, or of a test that runs them.
    @Test func theExamplesOfTheOtherPageAreBuilt() throws {
        let page = try TestBundles.source("docs/extension-points.md")
        let examples = page.matches(of: /```swift\n((?s).*?)```/).map { "\($0.1)" }
        func lines(_ text: String) -> String {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
        }
        let tests = try [
            "EndToEndTests/Points/WebPageRequestTests", "EndToEndTests/Calls/ServiceTests", "Fixtures/EchoService/main",
        ].map { try TestBundles.source("Tests/\($0).swift") }
        let sources = try (Self.files().values + tests).map(lines)
        #expect(!examples.isEmpty)
        for example in examples { #expect(sources.contains { $0.contains(lines(example)) }, "\(example)") }
    }

    /// Nothing of exthostd but the four products, and nothing in exthostd of the point.
    @Test func fourProductsAreAllThatAPointNeeds() throws {
        let files = try Self.files()
        let manifest = try #require(files["Package.swift"])
        let products = Set(manifest.matches(of: /product\("(\w+)"\)/).map { "\($0.1)" })
        #expect(products == ["ExtensionPointKit", "PointFrameworkKit", "ExtensionFoundation", "ExtensionHost"])
        #expect(manifest.contains(".product(name: name, package: \"exthost\")"))
        let own: Set = ["StampMessages", "StampKit", "StampHost", "Foundation"]
        for (name, text) in files where name.hasPrefix("Sources/") && name.hasSuffix(".swift") {
            let imports = Set(text.matches(of: /(?m)^(?:@\w+ |public |package )*import (\w+)/).map { "\($0.1)" })
            #expect(imports.subtracting(own).isSubset(of: products), "\(name)")
            #expect(!text.contains("@_spi") && !text.contains("@testable"), "\(name)")
        }
        let sources = SampleApplications.root + "/Sources"
        let all = try #require(FileManager.default.enumerator(atPath: sources))
        for case let file as String in all where file.hasSuffix(".swift") || file.hasSuffix(".plist") {
            let text = try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8)
            #expect(!text.contains("com.example.stamp") && !text.contains("StampKit"), "\(file)")
        }
    }
}
