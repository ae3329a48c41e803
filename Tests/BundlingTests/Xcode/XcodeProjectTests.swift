// XcodeProjectTests: a project as Xcode has it becomes targets with files and settings, and a package of links.

import BundleLint
import ExtensionPoints
import Foundation
import LinuxSystem
import PropertyListCoding
import Testing

@testable import Bundling

/// A copy of the project in Tests/Fixtures/Pins. It lasts as long as this object.
final class PinsProject {
    let directory: TemporaryDirectory
    var folder: String { directory.path + "/Pins" }
    var path: String { folder + "/Pins.xcodeproj" }
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    init() throws {
        directory = try TemporaryDirectory(prefix: "exthost-tests")
        try FileManager.default.copyItem(atPath: Self.root + "/Tests/Fixtures/Pins", toPath: folder)
    }

    deinit { try? directory.remove() }

    /// Replaces a text in a file of it.
    func edit(_ name: String, _ old: String, _ new: String) throws {
        let file = "\(folder)/\(name)"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains(old))
        try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: URL(fileURLWithPath: file))
    }

    func read(_ configuration: String = "Debug") throws -> XcodeProject {
        try XcodeProject(path, configuration: configuration)
    }

    func package(_ wish: GeneratedPackage.Wish = GeneratedPackage.Wish()) throws -> GeneratedPackage {
        let kit = try #require(KitModules(folder: Self.root))
        return try GeneratedPackage(read(), kit: kit, folder: directory.path + "/package", wish: wish)
    }
}

@Suite struct XcodeProjectTests {
    private let pins: PinsProject

    init() throws { pins = try PinsProject() }

    @Test func targetsHaveTheirFilesAndSettings() throws {
        let project = try pins.read()
        #expect(project.targets.map(\.name) == ["Pins", "Save Pin", "PinKit"])
        #expect(project.targets.map(\.kind) == [.application, .appExtension, .framework])
        let save = project.targets[1]
        #expect(save.sources.map(\.path) == [pins.folder + "/Save/SaveViewController.swift"])
        #expect(save.resources.map(\.name) == ["Base.lproj/MainInterface.storyboard", "greeting.txt"])
        #expect(save.resources.map(\.path).allSatisfy { FileManager.default.fileExists(atPath: $0) })
        #expect(
            save.moduleName == "Save_Pin" && save.value("PRODUCT_BUNDLE_IDENTIFIER") == "org.exthost.tests.pins.save")
        #expect(save.value("MARKETING_VERSION") == "2.1" && save.conditions == ["DEBUG", "PINS"])
        #expect(save.settingFiles.count == 2 && save.isForDevice)
        // The folder's files but the one that is excepted.
        #expect(project.targets[2].sources.map(\.name) == ["Pin.swift"])
        #expect(
            project.frameworks(of: save).map(\.name) == ["PinKit"] && project.targets[0].embedded == [save.identifier])
        let release = try pins.read("Release")
        #expect(release.targets[0].value("PRODUCT_BUNDLE_IDENTIFIER") == "org.exthost.tests.pins.release")
    }

    @Test func thePrefixesAreThatOfTheTeam() throws {
        let none = try pins.read().targets[1]
        #expect(
            none.value("AppIdentifierPrefix")?.isEmpty != false && none.value("TeamIdentifierPrefix")?.isEmpty != false)
        try pins.edit(
            "Pins.xcodeproj/project.pbxproj", "buildSettings = {", "buildSettings = {\nDEVELOPMENT_TEAM = ABCDE12345;")
        let save = try pins.read().targets[1]
        #expect(
            save.value("AppIdentifierPrefix") == "ABCDE12345." && save.value("TeamIdentifierPrefix") == "ABCDE12345.")
    }

    /// As Xcode, which evaluates a setting that it is about to evaluate by its layers below.
    @Test func aSettingThatComesBackToItselfIsThatOfTheLayersBelow() throws {
        var layers = SettingLayers([:], conditions: SettingConditions(configuration: "Debug"))
        layers.set("PRODUCT_BUNDLE_IDENTIFIER", "org.example.app")
        layers.set("ENDING", "tunnel")
        layers.set("INNER_ID", "$(PRODUCT_BUNDLE_IDENTIFIER).$(ENDING)")
        layers.set("TUNNEL_ID", "$(INNER_ID)")
        layers.set("PRODUCT_BUNDLE_IDENTIFIER", "$(TUNNEL_ID)")
        #expect(layers.values["PRODUCT_BUNDLE_IDENTIFIER"] == "org.example.app.$(ENDING)")
        // Settings that grow by each other are bounded.
        layers.set("A", "$(B)$(B)")
        for _ in 0..<40 {
            layers.set("B", "$(A)$(A)")
            layers.set("A", "$(B)$(B)")
        }
        #expect(layers.values.values.allSatisfy { $0.utf8.count <= 1 << 16 })
    }

    @Test func aTargetWithABackgroundSessionIsLinkedWithThem() throws {
        let product = ".product(name: \"BackgroundTransfers\", package: \"exthost\")"
        func count() throws -> Int {
            let package = try pins.package()
            try package.write()
            let manifest = try String(contentsOfFile: package.folder + "/Package.swift", encoding: .utf8)
            return manifest.components(separatedBy: product).count - 1
        }
        #expect(try count() == 0)
        try pins.edit(
            "Save/SaveViewController.swift", "import UIKit\n",
            "import UIKit\nlet configuration = URLSessionConfiguration.background(withIdentifier: \"a\")\n")
        // The session's delegate may be of a framework.
        #expect(try count() == 2)
    }

    @Test func namesThatDifferInCaseAreFound() throws {
        try pins.edit("Pins.xcodeproj/project.pbxproj", "path = Save;", "path = save;")
        #expect(try pins.read().targets[1].sources.map(\.path) == [pins.folder + "/Save/SaveViewController.swift"])
    }

    @Test func aPackageLinksToTheSources() throws {
        let package = try pins.package()
        try package.write()
        #expect(
            package.modules.map(\.name) == ["Save_Pin", "PinKit"] && package.modules.map(\.isProgram) == [true, false])
        #expect(package.origins.map(\.bundleName) == ["Pins", "Save Pin"])
        let link = package.folder + "/Sources/Save_Pin/SaveViewController.swift"
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: link) == pins.folder
                + "/Save/SaveViewController.swift")
        #expect(package.place(link) == pins.folder + "/Save/SaveViewController.swift")
        let manifest = try String(contentsOfFile: package.folder + "/Package.swift", encoding: .utf8)
        #expect(manifest.contains(".define(\"PINS\")") && manifest.contains(".target(name: \"PinKit\")"))
        #expect(manifest.contains(".product(name: \"UIKit\", package: \"exthost\")"))
        #expect(manifest.contains("BareSlashRegexLiterals"))
        for (version, mode) in [("4.0", "v4"), ("4.2", "v4_2"), ("6.0", "v6"), ("5.0", "v5")] {
            let old = try String(contentsOfFile: pins.path + "/project.pbxproj", encoding: .utf8)
            let new = old.replacing(/SWIFT_VERSION = [0-9.]+/, with: "SWIFT_VERSION = \(version)")
            try Data(new.utf8).write(to: URL(fileURLWithPath: pins.path + "/project.pbxproj"))
            try pins.package().write()
            let manifest = try String(contentsOfFile: package.folder + "/Package.swift", encoding: .utf8)
            #expect(manifest.contains(".swiftLanguageMode(.\(mode))"))
        }
        // A source that goes takes its link along; what is the same stays.
        try pins.edit("Pins.xcodeproj/project.pbxproj", "path = SaveViewController.swift", "path = Other.swift")
        try FileManager.default.moveItem(
            atPath: pins.folder + "/Save/SaveViewController.swift", toPath: pins.folder + "/Save/Other.swift")
        try pins.package().write()
        let names = try FileManager.default.contentsOfDirectory(atPath: package.folder + "/Sources/Save_Pin")
        #expect(names == ["Other.swift"])
    }

    @Test func aPackageOfSomebodyElseIsNotTouched() throws {
        let package = try pins.package()
        try FileManager.default.createDirectory(atPath: package.folder, withIntermediateDirectories: true)
        try Data("// mine\n".utf8).write(to: URL(fileURLWithPath: package.folder + "/Package.swift"))
        let error = try #require(throws: ProjectError.self) { try package.write() }
        #expect(error.findings.map(\.code) == ["notWritten"])
        #expect(try String(contentsOfFile: package.folder + "/Package.swift", encoding: .utf8) == "// mine\n")
    }

    @Test func keysComeFromTheSettings() throws {
        let package = try pins.package()
        let parts = package.origins.map { BundlePart($0, target: nil) }
        func written(_ part: BundlePart) throws -> PropertyListDictionary {
            let bytes = part.information.written(part.settings, adding: part.additions(app: parts[0]))
            return try #require(try PropertyList(file: bytes, limits: .file).dictionary)
        }
        let app = try written(parts[0])
        #expect(app["CFBundleIdentifier"] == "org.exthost.tests.pins" && app["CFBundleDisplayName"] == "Pins & More")
        let save = try written(parts[1])
        #expect(
            save["CFBundleIdentifier"] == "org.exthost.tests.pins.save" && save["CFBundleShortVersionString"] == "2.1")
        #expect(
            save["CFBundleVersion"] == "7" && save["CFBundlePackageType"] == "XPC!"
                && save["CFBundleName"] == "Save Pin")
        #expect(package.findings.isEmpty)
    }

    @Test(arguments: [
        ("class SaveViewController", "class SaveViewController", "SaveViewController", "Save_Pin.SaveViewController"),
        ("class SaveViewController", "class SaveViewController", "$(PRODUCT_MODULE_NAME).SaveViewController", nil),
        (
            "class SaveViewController", "class SaveViewController", "Save.SaveViewController",
            "Save_Pin.SaveViewController"
        ),
        ("class SaveViewController", "@objc(Sheet) class SaveViewController", "Sheet", "Save_Pin.SaveViewController"),
        ("class SaveViewController", "class SaveViewController", "Nobody", nil),
    ])
    func aPrincipalClassIsFound(old: String, new: String, named: String, expected: String?) throws {
        try pins.edit("Save/SaveViewController.swift", old, new)
        try pins.edit("Save/Info.plist", "<key>NSExtensionMainStoryboard</key>", "<key>NSExtensionPrincipalClass</key>")
        try pins.edit("Save/Info.plist", "<string>MainInterface</string>", "<string>\(named)</string>")
        let part = BundlePart(try #require(try pins.package().origins.last), target: nil)
        #expect(part.principalClass == expected)
        let bytes = part.information.written(part.settings, adding: [], principalClass: part.principalClass)
        let written = try PropertyList(file: bytes, limits: .file).dictionary?["NSExtension"]?.dictionary
        #expect(written?["NSExtensionPrincipalClass"]?.string == expected ?? part.settings.expanded(named))
    }

    @Test func besideAClassAStoryboardIsLeftOut() throws {
        let key = "<key>NSExtensionMainStoryboard</key>"
        try pins.edit(
            "Save/Info.plist", key, "<key>NSExtensionPrincipalClass</key><string>SaveViewController</string>\n\(key)")
        let package = try pins.package()
        #expect(package.findings.map(\.code).contains("storyboardUnused"))
        let part = BundlePart(try #require(package.origins.last), target: nil)
        let bytes = part.information.written(
            part.settings, adding: [], principalClass: part.principalClass, dropsStoryboard: true)
        let written = try PropertyList(file: bytes, limits: .file).dictionary?["NSExtension"]?.dictionary
        #expect(written?["NSExtensionPrincipalClass"]?.string == "Save_Pin.SaveViewController")
        #expect(written?["NSExtensionMainStoryboard"] == nil)
        let lines = { (bytes: [UInt8]) in bytes.count { $0 == 0x0A } }
        #expect(lines(bytes) == lines(part.information.written(part.settings, adding: [])))
    }

    /// Editors add attributes, and a key may occur twice: the changes concern what is read, not the first such text.
    @Test func aClassIsChangedWhereItIsRead() throws {
        let key = "<key>NSExtensionMainStoryboard</key>"
        let principal = "<key>NSExtensionPrincipalClass</key>"
        try pins.edit(
            "Save/Info.plist", key,
            "\(principal)<string>Other</string>\(principal)<string octype=\"i18n\">SaveViewController</string>\n\(key)")
        let part = BundlePart(try #require(try pins.package().origins.last), target: nil)
        let bytes = part.information.written(
            part.settings, adding: [], principalClass: part.principalClass, dropsStoryboard: true)
        let written = try PropertyList(file: bytes, limits: .file).dictionary?["NSExtension"]?.dictionary
        #expect(written?["NSExtensionPrincipalClass"] == "Save_Pin.SaveViewController")
        #expect(written?["NSExtensionMainStoryboard"] == nil)
        #expect(written?["NSExtensionPointIdentifier"] == "com.apple.share-services")
        // The bundle's file is binary, so the warning is about the author's.
        let package = try pins.package()
        let project = try BundleProject(
            folder: package.folder, package: nil, given: BuildSettings(), origins: package.origins)
        let writer = BundleWriter(
            app: try #require(project.apps.first), package: nil, programs: nil, output: pins.directory.path + "/out",
            lint: BundleLint(points: PointTable(), isRelease: false), isLenient: true, stamps: nil)
        let error = try #require(throws: ProjectError.self) { _ = try BundleWriter.write([writer]) }
        let repeated = error.findings.filter { $0.code == "keyRepeated" }
        #expect(repeated.map(\.key) == ["NSExtension.NSExtensionPrincipalClass"] && repeated.first?.line != nil)
    }

    // MARK: What Xcode accepts

    /// Xcode builds such an extension; the system never offers it, or gives it no such group.
    @Test func faultsThatDisableOneEntryAreWarningsOfAProject() throws {
        let text = try String(contentsOfFile: pins.folder + "/Save/Info.plist", encoding: .utf8)
        let start = try #require(text.range(of: "<key>NSExtensionActivationRule</key>")).upperBound
        let end = try #require(text.range(of: "</dict>", range: start..<text.endIndex)).upperBound
        try pins.edit("Save/Info.plist", String(text[start..<end]), "<string>extensionItems.@count</string>")
        let key =
            "<key>UTImportedTypeDeclarations</key><array><dict/></array><key>CFBundleExecutable</key><string>S</string>"
        try pins.edit("Save/Info.plist", "<key>NSExtension</key>", "\(key)<key>NSExtension</key>")
        let entitlements = pins.folder + "/Save/Save.entitlements"
        let groups = "<key>com.apple.security.application-groups</key><array><string>group.*</string></array>"
        try Data("<plist version=\"1.0\"><dict>\(groups)</dict></plist>".utf8).write(
            to: URL(fileURLWithPath: entitlements))
        let package = try pins.package()
        let project = try BundleProject(
            folder: package.folder, package: nil, given: BuildSettings(), origins: package.origins)
        func writer(isLenient: Bool) throws -> BundleWriter {
            BundleWriter(
                app: try #require(project.apps.first), package: nil, programs: nil,
                output: pins.directory.path + "/out", lint: BundleLint(points: PointTable(), isRelease: false),
                isLenient: isLenient, stamps: nil)
        }
        try writer(isLenient: true).examine()
        let error = try #require(throws: ProjectError.self) { try writer(isLenient: false).examine() }
        let errors = error.findings.filter { $0.severity == .error }
        #expect(Set(errors.map(\.code)) == ["ruleUnreadable", "typeDeclarationInvalid", "groupWildcard"])
        #expect(errors.contains { $0.message.contains("never offers") })
        // A fault that disables the extension remains an error.
        try pins.edit(
            "Save/Info.plist", "com.apple.share-services</string>", "com.apple.share-services</string><true/>")
        #expect(throws: ProjectError.self) { try pins.package() }
    }

    // MARK: What is missing

    private func findings(_ wish: GeneratedPackage.Wish = GeneratedPackage.Wish()) throws -> [ProjectFinding] {
        try #require(throws: ProjectError.self) { try pins.package(wish) }.findings
    }

    @Test func modulesThatNobodyHasAreNamed() throws {
        try pins.edit("Save/SaveViewController.swift", "import UIKit", "import UIKit\nimport SwiftUI\nimport Alamofire")
        var wish = GeneratedPackage.Wish()
        wish.only = ["Save Pin"]
        let found = try findings(wish)
        #expect(found.map(\.code) == ["modulesMissing"])
        #expect(found.first?.message.contains("Alamofire, SwiftUI") == true, "\(found)")
        // With nothing else to build it is an error without --only, too.
        #expect(try findings().allSatisfy { $0.severity == .error })
        wish.writesStubs = true
        let package = try pins.package(wish)
        #expect(package.stubs == ["Alamofire", "SwiftUI"])
        #expect(FileManager.default.fileExists(atPath: pins.folder + "/Stubs/Sources/SwiftUI/SwiftUI.swift"))
        try package.write()
        let manifest = try String(contentsOfFile: package.folder + "/Package.swift", encoding: .utf8)
        #expect(manifest.contains(".product(name: \"SwiftUI\", package: \"Stubs\")"))
    }

    /// The source step replaces `import Darwin`, so no module is missing.
    @Test func aFrameworkThatImportsDarwinIsBuilt() throws {
        try pins.edit("PinKit/Pin.swift", "import Foundation", "import Foundation\nimport Darwin")
        let package = try pins.package()
        #expect(package.modules.map(\.name) == ["Save_Pin", "PinKit"] && package.stubs.isEmpty)
    }

    @Test(arguments: [
        ("path = SaveViewController.swift", "path = SaveViewController.m", ["foreignSource"]),
        ("path = SaveViewController.swift", "path = Gone.swift", ["fileMissing"]),
        ("INFOPLIST_FILE = \"$(SRCROOT)/Save/Info.plist\"", "INFOPLIST_FILE = \"Gone.plist\"", ["informationMissing"]),
        ("com.apple.product-type.app-extension", "com.apple.product-type.tool", ["noExtensionTarget"]),
        (
            "com.apple.product-type.app-extension", "com.apple.product-type.app-extension.messages-sticker-pack",
            ["noExtensionTarget"]
        ),
    ])
    func whatCannotBeBuiltIsNamed(old: String, new: String, codes: [String]) throws {
        try pins.edit("Pins.xcodeproj/project.pbxproj", old, new)
        var wish = GeneratedPackage.Wish()
        if codes != ["noExtensionTarget"] { wish.only = ["Save Pin"] }
        #expect(try findings(wish).map(\.code) == codes)
    }

    // not simulated: N-230
    @Test func aStickerPackHasNoProgram() throws {
        try pins.edit(
            "Pins.xcodeproj/project.pbxproj", "com.apple.product-type.app-extension",
            "com.apple.product-type.app-extension.messages-sticker-pack")
        var wish = GeneratedPackage.Wish()
        for only: Set<String> in [[], ["Save Pin"]] {
            wish.only = only
            #expect(try findings(wish).map(\.message) == ["Save Pin is a sticker pack, which has no program"])
        }
    }

    @Test func anAppWithoutCodeMayHoldAnIMessageApp() throws {
        for kind in ["application", "app-extension"] {
            try pins.edit(
                "Pins.xcodeproj/project.pbxproj", "\"com.apple.product-type.\(kind)\"",
                "\"com.apple.product-type.\(kind).messages\"")
        }
        #expect(try pins.read().targets.map(\.kind) == [.application, .appExtension, .framework])
        var wish = GeneratedPackage.Wish()
        wish.includesApp = true
        let package = try pins.package(wish)
        #expect(package.origins.map(\.name) == ["Pins", "Save Pin"])
        #expect(!package.modules.contains { $0.name == "Pins" })
    }

    @Test func aTargetOfAnotherNameIsNotThere() throws {
        var wish = GeneratedPackage.Wish()
        wish.only = ["Share"]
        #expect(try findings(wish).map(\.remedy) == ["There are: Save Pin"])
    }

    @Test func aSettingThatNobodyKnowsIsEmptyAndTold() throws {
        try pins.edit("Config/Project.xcconfig", "BUNDLE_PREFIX = org.exthost.tests\n", "")
        let package = try pins.package()
        #expect(package.findings.contains { $0.code == "settingUnknown" && $0.message.contains("BUNDLE_PREFIX") })
        #expect(BundlePart(package.origins[0], target: nil).identifier == "org.example.pins")
    }

    @Test func anUnknownSuffixIsEmpty() throws {
        try pins.edit("Pins.xcodeproj/project.pbxproj", "$(BUNDLE_PREFIX).pins\";", "org.exthost.pins$(ENDING)\";")
        #expect(BundlePart(try pins.package().origins[0], target: nil).identifier == "org.exthost.pins")
    }

    /// What stands in a project file is nobody's promise.
    @Test func hostileProjectsAreRefusedOrRead() throws {
        let file = "Pins.xcodeproj/project.pbxproj"
        // A group that holds itself, and files that lie elsewhere.
        try pins.edit(file, "children = (F6, F7, F5, F8, );", "children = (F0, F6, F7, F5, F8, );")
        try pins.edit(file, "isa = PBXGroup; children = (F1, );", "isa = PBXGroup; children = (F1, F0, F6, );")
        try pins.edit(file, "path = Save/greeting.txt;", "path = \"../../../../../../../../etc/hostname\";")
        try pins.edit(
            file, "PRODUCT_NAME = \"$(TARGET_NAME)\";\n\t\t\t};\n\t\t};\n\t\tA6",
            "PRODUCT_NAME = \"../../escaped\";\n\t\t\t};\n\t\t};\n\t\tA6")
        let package = try pins.package()
        #expect(package.origins.map(\.bundleName) == ["Pins", "Save Pin"])
        let text = Array(try String(contentsOfFile: "\(pins.folder)/\(file)", encoding: .utf8).utf8)
        for cut in stride(from: 0, to: text.count, by: 997) {
            try Data(text[..<cut]).write(to: URL(fileURLWithPath: "\(pins.folder)/\(file)"))
            let error = try #require(throws: ProjectError.self) { try pins.read() }
            #expect(error.findings.map(\.code) == ["projectUnreadable"])
        }
    }
}
