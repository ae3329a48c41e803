// ResourceLayoutTests: resources lie flat in a bundle, and what Xcode compiles is made of them.

import BundleLint
import Foundation
import LinuxSystem
import PropertyListCoding
import Testing

@testable import Bundling

@Suite struct ResourceLayoutTests {
    private let folder: TemporaryDirectory
    private var bundle: String { folder.path + "/bundle" }

    init() throws {
        folder = try TemporaryDirectory(prefix: "exthost-tests")
        try FileManager.default.createDirectory(atPath: folder.path + "/bundle", withIntermediateDirectories: true)
    }

    private func write(_ name: String, _ text: String = "x") throws {
        let file = URL(fileURLWithPath: "\(folder.path)/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Places files, and returns what lies in the bundle.
    private func place(
        _ files: [(path: String, name: String)], principal: Set<String> = []
    ) throws -> (names: [String], findings: [ProjectFinding]) {
        var layout = ResourceLayout(bundle: bundle, module: "Share", principal: principal)
        for file in files { try layout.place(XcodeFile(path: "\(folder.path)/\(file.path)", name: file.name)) }
        let names = FileManager.default.enumerator(atPath: bundle)?.compactMap { $0 as? String } ?? []
        return (names.filter { !$0.hasSuffix(".lproj") }.sorted(), layout.findings)
    }

    @Test func filesAndFoldersAreCopied() throws {
        defer { try? folder.remove() }
        for name in ["Page.js", "de.lproj/Localizable.strings", "data/a/b.json"] { try write(name) }
        let (names, findings) = try place([
            ("Page.js", "Page.js"), ("de.lproj/Localizable.strings", "de.lproj/Localizable.strings"), ("data", "data"),
        ])
        #expect(
            names == ["Page.js", "data", "data/a", "data/a/b.json", "de.lproj/Localizable.strings"] && findings.isEmpty)
    }

    /// Linux's Foundation would answer every key from the file of the language alone.
    @Test func localizedInformationHasAllKeys() throws {
        defer { try? folder.remove() }
        try write("bundle/de.lproj/InfoPlist.strings", "/* The name */ CFBundleDisplayName = \"Lesezeichen\";\n")
        try write("bundle/fr.lproj/InfoPlist.strings", "no list {")
        try write("bundle/fr.lproj/Localizable.strings", "a = b;")
        let keys = "<key>CFBundleDisplayName</key><string>Bookmarks</string><key>Group</key><string>g</string>"
        let information = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(keys)</dict></plist>"
        try LocalizedInformation.complete(in: bundle, with: Array(information.utf8))
        let data = try Data(contentsOf: URL(fileURLWithPath: bundle + "/de.lproj/InfoPlist.strings"))
        let found = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: String]
        #expect(found == ["CFBundleDisplayName": "Lesezeichen", "Group": "g"])
        #expect(try String(contentsOfFile: bundle + "/fr.lproj/InfoPlist.strings", encoding: .utf8) == "no list {")
        #expect(try String(contentsOfFile: bundle + "/fr.lproj/Localizable.strings", encoding: .utf8) == "a = b;")
    }

    @Test func aResourceLeavesTheBundleNeverAndReplacesNothing() throws {
        defer { try? folder.remove() }
        try write("a")
        try write("bundle/program", "program")
        let (names, findings) = try place([
            ("a", "../a"), ("a", "/a"), ("a", "b/../../a"), ("a", "PlugIns/a"), ("a", ".hidden"), ("a", ""),
            ("a", "program"),
            ("gone", "gone"), ("a", "Info.plist"),
        ])
        #expect(names == ["program"] && findings.count == 8 && findings.allSatisfy { $0.code == "resourceLeftOut" })
        #expect(try String(contentsOfFile: bundle + "/program", encoding: .utf8) == "program")
    }

    /// Xcode copies it into a target for iOS, too; only an extension that begins with it cannot run.
    @Test func anInterfaceForTheMacIsLeftOutUnlessTheExtensionBeginsWithIt() throws {
        defer { try? folder.remove() }
        for (name, kind) in [("Main.storyboard", "Storyboard.XIB"), ("Window.xib", "XIB")] {
            try write(name, "<document type=\"com.apple.InterfaceBuilder3.Cocoa.\(kind)\"><objects/></document>")
        }
        let files = [("Main.storyboard", "Base.lproj/Main.storyboard"), ("Window.xib", "Window.xib")]
        let (names, findings) = try place(files)
        #expect(names.isEmpty && findings.map(\.code) == ["resourceLeftOut", "resourceLeftOut"])
        #expect(findings.allSatisfy { $0.severity == .warning && $0.message.contains("for the Mac") })
        for principal in ["Main", "Window"] {
            let error = try #require(throws: ProjectError.self) { try place(files, principal: [principal]) }
            #expect(error.findings.map(\.code) == ["interfaceUnreadable"])
            #expect(error.findings.first?.message.contains("for the Mac") == true)
        }
        // Only the last ending is none of the name.
        let dotted = [("Main.storyboard", "Main.v2.storyboard")]
        #expect(throws: ProjectError.self) { try place(dotted, principal: ["Main.v2"]) }
        // Others keep a bundle from being made.
        try write("Main.storyboard", "<document>")
        #expect(throws: ProjectError.self) { try place(files) }
    }

    @Test func imagesOfACatalogHaveTheirNamesAndScales() throws {
        defer { try? folder.remove() }
        try write("A.xcassets/Icon.imageset/one.png")
        try write("A.xcassets/Icon.imageset/two.png")
        try write(
            "A.xcassets/Icon.imageset/Contents.json",
            """
            {"images": [{"idiom": "ipad", "filename": "gone.png", "scale": "1x"}, {"idiom": "universal", "filename": "one.png", "scale": "1x"},
            {"idiom": "universal", "filename": "two.png", "scale": "2x"}, {"idiom": "universal", "scale": "3x"},
            {"idiom": "universal", "filename": "../../../a", "scale": "4x"}]}
            """)
        try write("A.xcassets/Space/Contents.json", "{\"properties\": {\"provides-namespace\": true}}")
        try write("A.xcassets/Space/Other.imageset/Contents.json", "{\"images\": [{\"filename\": \"o.pdf\"}]}")
        try write("A.xcassets/Space/Other.imageset/o.pdf")
        try write("A.xcassets/Red.colorset/Contents.json", "{\"colors\": []}")
        try write("A.xcassets/Space/List.dataset/list.json")
        let (names, findings) = try place([("A.xcassets", "A.xcassets")])
        #expect(findings.isEmpty, "\(findings)")
        #expect(
            names.contains("Icon.png") && names.contains("Icon@2x.png") && names.contains("Space/Other.pdf"), "\(names)"
        )
        #expect(names.contains("A.xcassets/Red.colorset/Contents.json"))
        #expect(names.contains("A.xcassets/Space/List.dataset/list.json"))
        try write("B.xcassets/Bad.imageset/Contents.json", "[")
        #expect(throws: ProjectError.self) { try place([("B.xcassets", "B.xcassets")]) }
    }

    @Test func aCatalogOfStringsBecomesLists() throws {
        defer { try? folder.remove() }
        try write(
            "Localizable.xcstrings",
            """
            {"sourceLanguage": "en", "strings": {"Hello": {"localizations": {"de": {"stringUnit": {"state": "translated", "value": "Hallo"}},
            "../x": {"stringUnit": {"value": "out"}}}}, "Bye": {}}, "version": "1.0"}
            """)
        let (names, _) = try place([("Localizable.xcstrings", "Localizable.xcstrings")])
        #expect(names == ["de.lproj/Localizable.strings", "en.lproj/Localizable.strings"])
        let german = try Data(contentsOf: URL(fileURLWithPath: bundle + "/de.lproj/Localizable.strings"))
        #expect(try PropertyList(file: Array(german), limits: .file) == ["Hello": "Hallo"])
    }

    @Test func aStoryboardIsCompiledUnderItsName() throws {
        defer { try? folder.remove() }
        let text = "<document type=\"com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB\"><scenes/></document>"
        for name in ["Base.lproj/Main.storyboard", "de.lproj/Only.storyboard", "Cell.xib"] { try write(name, text) }
        let (names, _) = try place([
            ("Base.lproj/Main.storyboard", "Base.lproj/Main.storyboard"),
            ("de.lproj/Only.storyboard", "de.lproj/Only.storyboard"),
            ("Cell.xib", "Cell.xib"),
        ])
        #expect(names == ["Cell.nib", "Main.storyboardc", "Only.storyboardc", "de.lproj/Only.storyboardc"])
    }
}
