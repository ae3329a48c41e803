// BundleProjectTests: which files of a package's folder make a bundle.

import Foundation
import LinuxSystem
import PropertyListCoding
import Testing

@testable import Bundling

@Suite struct BundleProjectTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    private func write(_ name: String, _ text: String = "x") throws {
        let file = URL(fileURLWithPath: "\(folder.path)/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private static func information(_ keys: String) -> String { "<plist version=\"1.0\"><dict>\(keys)</dict></plist>" }
    private static let share =
        "<key>NSExtension</key><dict><key>NSExtensionPrincipalClass</key><string>ShareController</string></dict>"

    private func project(_ place: String) throws -> BundleProject {
        try write("Package.swift")
        try write(
            "App/Info.plist",
            Self.information(
                "<key>CFBundleIdentifier</key><string>org.example</string><key>CFBundleVersion</key><string>9</string>")
        )
        try write("Sources/Share/\(place)", Self.information(Self.share))
        try write("Sources/Share/Share.swift", "class ShareController {}")
        let description = """
            {"name": "P", "products": [{"name": "Share", "targets": ["Share"], "type": {"executable": null}}], "dependencies": [],
            "targets": [{"name": "Share", "c99name": "Share_M", "path": "Sources/Share", "type": "executable", "sources": ["Share.swift"]}]}
            """
        let package = try JSONDecoder().decode(PackageDescription.self, from: Data(description.utf8))
        return try BundleProject(folder: folder.path, package: package, given: BuildSettings())
    }

    @Test(arguments: ["Info.plist", "Share-Info.plist", "Resources/Info.plist", "Supporting Files/Share-Info.plist"])
    func anInfoPlistIsFoundWhereTemplatesHaveIt(place: String) throws {
        defer { try? folder.remove() }
        let app = try #require(try project(place).apps.first)
        let share = try #require(app.extensions.first)
        #expect(app.extensions.count == 1 && share.folder == folder.path + "/Sources/Share" && share.name == "Share")
        #expect(share.identifier == "org.example.Share" && share.principalClass == "Share_M.ShareController")
        let bytes = share.information.written(
            share.settings, adding: share.additions(app: app.part), principalClass: share.principalClass)
        let written = try #require(try PropertyList(file: bytes, limits: .file).dictionary)
        #expect(written["CFBundleIdentifier"] == "org.example.Share" && written["CFBundleExecutable"] == "Share")
        // The app's version; the other is the same for both.
        #expect(written["CFBundleVersion"] == "9" && written["CFBundleShortVersionString"] == "1.0")
    }

    @Test func filesBesideTheSourcesAreResources() throws {
        defer { try? folder.remove() }
        for name in [
            "list.json", "Page.js", "Notes.plist", "Main.storyboard", "A.xcassets/Contents.json",
            "de.lproj/Localizable.strings",
            // What is none.
            "README.md", "Share.entitlements", "a.xcconfig", ".hidden.json", "Other.m", "Other.h", "LICENSE",
            "Sub/deep.json",
            "Entitlements.plist", "Test-Info.plist", "old.json~",
        ] { try write("Sources/Share/\(name)", name.hasSuffix(".xcconfig") ? "A = 1" : "x") }
        let share = try #require(try project("Info.plist").apps.first?.extensions.first)
        #expect(
            share.resources.map(\.name).sorted() == [
                "A.xcassets", "Main.storyboard", "Notes.plist", "Page.js", "de.lproj/Localizable.strings", "list.json",
            ])
    }
}
