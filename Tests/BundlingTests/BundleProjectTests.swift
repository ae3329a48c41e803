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

    /// A package with an app's folder, and a framework's target with or without a product.
    private func frameworkProject(_ product: String) throws -> BundleProject {
        try write("Package.swift")
        try write("App/Info.plist", Self.information("<key>CFBundleIdentifier</key><string>org.example</string>"))
        try write("Share/Info.plist", Self.information(Self.share))
        try write("Share/Share", "#!/bin/sh")
        let type = "<key>CFBundlePackageType</key><string>FMWK</string>"
        try write("Sources/Kit/Info.plist", Self.information(type))
        try write("Sources/Kit/Kit.swift", "public class Kit {}")
        let description = """
            {"name": "P", "products": [\(product)], "dependencies": [],
            "targets": [{"name": "Kit", "c99name": "Kit", "path": "Sources/Kit", "type": "library", "sources": ["Kit.swift"]}]}
            """
        let package = try JSONDecoder().decode(PackageDescription.self, from: Data(description.utf8))
        return try BundleProject(folder: folder.path, package: package, given: BuildSettings())
    }

    @Test("CL-14: a folder of package type FMWK becomes a framework of the app, from its dynamic library")
    func aFrameworkIsPartOfTheApp() throws {
        defer { try? folder.remove() }
        let project = try frameworkProject(
            #"{"name": "KitLibrary", "targets": ["Kit"], "type": {"library": ["dynamic"]}}"#)
        let app = try #require(project.apps.first)
        let kit = try #require(app.frameworks.first)
        #expect(app.frameworks.count == 1 && app.extensions.map(\.name) == ["Share"])
        #expect(kit.identifier == "org.example.KitLibrary" && kit.program == .product("KitLibrary"))
        #expect(kit.placeInApp == "Frameworks/KitLibrary.framework")
        #expect(kit.file(of: "KitLibrary") == "libKitLibrary.so")
        let written = kit.information.written(kit.settings, adding: kit.additions(app: app.part))
        let information = try PropertyList(file: written, limits: .file).dictionary
        #expect(information?["CFBundleExecutable"] == "KitLibrary" && information?["CFBundlePackageType"] == "FMWK")
    }

    @Test(
        "CL-14: a framework without a dynamic library is an error with the product's line",
        arguments: ["", #"{"name": "Kit", "targets": ["Kit"], "type": {"library": ["automatic"]}}"#])
    func aFrameworkNeedsADynamicLibrary(product: String) throws {
        defer { try? folder.remove() }
        let error = #expect(throws: ProjectError.self) { try frameworkProject(product) }
        let finding = error?.findings.first
        #expect(finding?.code == "frameworkNotDynamic")
        #expect(finding?.remedy.contains(#".library(name: "Kit", type: .dynamic, targets: ["Kit"])"#) == true)
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
