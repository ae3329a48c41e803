// IntentProjectTests: a project's targets with definitions of intents, and with headers that import frameworks.

import Foundation
import LinuxSystem
import PropertyListCoding
import Testing

@testable import Bundling

@Suite final class IntentProjectTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path + "/Soups" }

    init() throws {
        directory = try TemporaryDirectory(prefix: "exthost-tests")
        try FileManager.default.copyItem(atPath: PinsProject.root + "/Tests/Fixtures/Soups", toPath: folder)
    }

    deinit { try? directory.remove() }

    private func package() throws -> GeneratedPackage {
        let kit = try #require(KitModules(folder: PinsProject.root))
        let project = try XcodeProject(folder + "/Soups.xcodeproj", configuration: "Debug")
        return try GeneratedPackage(
            project, kit: kit, folder: directory.path + "/package", wish: GeneratedPackage.Wish())
    }

    private func edit(_ name: String, _ old: String, _ new: String) throws {
        let file = "\(folder)/\(name)"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains(old))
        try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: URL(fileURLWithPath: file))
    }

    @Test func eachTargetHasTheDefinitionsThatItGenerates() throws {
        let project = try XcodeProject(folder + "/Soups.xcodeproj", configuration: "Debug")
        // The app has No Generated Classes.
        #expect(
            project.targets.map { $0.definitions.map(\.name) } == [
                [], ["Soup.intentdefinition"], ["Kit.intentdefinition"],
            ])
        #expect(project.targets.allSatisfy { $0.foreignSources.isEmpty })
        let package = try package()
        #expect(package.findings.isEmpty && package.modules.map(\.name) == ["Order", "SoupKit"])
        let products = package.modules.map { Set($0.products.map(\.name)) }
        #expect(products.allSatisfy { $0.isSuperset(of: ["ExtensionFoundation", "Intents"]) })
    }

    @Test func filesAreGeneratedBesideTheLinks() throws {
        let package = try package()
        try package.write()
        let sources = package.folder + "/Sources"
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: sources + "/Order").sorted() == [
                "GeneratedImports.swift", "GeneratedIntents.swift", "OrderHandler.swift",
            ])
        let text = try String(contentsOfFile: sources + "/Order/GeneratedImports.swift", encoding: .utf8)
        #expect(text.hasSuffix("\n\n@_exported import Foundation\n@_exported import Intents\n"))
        let kit = try String(contentsOfFile: sources + "/SoupKit/GeneratedImports.swift", encoding: .utf8)
        #expect(kit.hasSuffix("\n\n@_exported import Foundation\n"))
        // A second run changes no file, and leaves nothing that is no longer generated.
        let file = sources + "/Order/GeneratedIntents.swift"
        let before = try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
        try package.write()
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int == before)
        try edit("Soups.xcodeproj/project.pbxproj", "files = (B6, B7, );", "files = (B6, );")
        try edit("Order/Order-Bridging-Header.h", "#import <", "// <")
        try self.package().write()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: sources + "/Order") == ["OrderHandler.swift"])
    }

    @Test func namesOfIntentsInFrameworksGetTheirModule() throws {
        let origin = try #require(try package().origins.last)
        #expect(origin.intents == ["CountSoupsIntent": "SoupKit.CountSoupsIntent"])
        func supported(_ draft: InformationDraft) throws -> [String] {
            let bytes = draft.written(origin.settings, adding: [], intents: origin.intents)
            let attributes = try PropertyList(file: bytes, limits: .file).dictionary?["NSExtension"]?
                .dictionary?["NSExtensionAttributes"]?.dictionary
            #expect(attributes?["IntentsRestrictedWhileLocked"]?.array?.isEmpty == true)
            return attributes?["IntentsSupported"]?.array?.compactMap(\.string) ?? []
        }
        let expected = ["OrderSoupIntent", "OrgCloseShopIntent", "SoupKit.CountSoupsIntent"]
        #expect(try supported(origin.information) == expected)
        let binary = directory.path + "/Info.plist"
        try Data(PropertyList.dictionary(origin.information.dictionary).encodeBinary())
            .write(to: URL(fileURLWithPath: binary))
        #expect(try supported(InformationDraft(binary)) == expected)
    }

    @Test func ofLanguagesTheBaseIsRead() throws {
        for language in ["de.lproj", "Base.lproj"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/Kit/\(language)", withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: folder + "/Kit/Kit.intentdefinition", toPath: "\(folder)/Kit/\(language)/Kit.intentdefinition")
        }
        try FileManager.default.removeItem(atPath: folder + "/Kit/Kit.intentdefinition")
        try edit(
            "Soups.xcodeproj/project.pbxproj", "F1 = { isa = PBXFileReference; path = Soup.intentdefinition;",
            "F8 = { isa = PBXFileReference; path = Soup.intentdefinition; sourceTree = \"<group>\"; }; "
                + "F9 = { isa = PBXFileReference; path = de.lproj/Soup.strings; sourceTree = \"<group>\"; }; "
                + "F1 = { isa = PBXVariantGroup; name = Soup.intentdefinition; children = (F9, F8, );")
        let targets = try XcodeProject(folder + "/Soups.xcodeproj", configuration: "Debug").targets
        #expect(targets[1].definitions.map(\.name) == ["Soup.intentdefinition"])
        #expect(targets[2].definitions.map(\.name) == ["Base.lproj/Kit.intentdefinition"])
    }

    @Test func aDefinitionThatCannotBeReadKeepsNothingElseFromBeingBundled() throws {
        try Data("no list".utf8).write(to: URL(fileURLWithPath: folder + "/Kit/Kit.intentdefinition"))
        let package = try package()
        #expect(package.findings.map(\.code) == ["intentsUnreadable"])
        #expect(package.findings[0].file == folder + "/Kit/Kit.intentdefinition")
        #expect(package.modules.map { $0.intents.text != nil } == [true, false])
    }

    @Test(arguments: [
        ("#import <UIKit/UIKit.h>\n  #  import <Intents/Intents.h>\n", ["Intents", "UIKit"]),
        ("#include <Social/Social.h>\n@import Photos;\n@import UIKit.UIView;", ["Photos", "Social", "UIKit"]),
        ("#import \"UIKit/UIKit.h\"\n#import <stdio.h>\n//#import <UIKit/UIKit.h>", []), ("#import <", []),
        ("#import <A-B/C.h>\n@import ;\n#import </a>", []),
    ])
    func headersImportFrameworks(header: String, expected: [String]) {
        #expect(BridgedImports.imports(in: header).sorted() == expected)
    }

    @Test("the header of a framework in Objective-C counts, and the framework gets a stub")
    func headersOfFrameworksThatAreNotBuilt() throws {
        try Data().write(to: URL(fileURLWithPath: folder + "/Kit/Old.m"))
        try edit("Kit/SoupKit.h", "<Foundation/Foundation.h>", "<MapKit/MapKit.h>")
        try edit("Order/Order-Bridging-Header.h", "#import <Intents/Intents.h>", "#import <SoupKit/SoupKit.h>")
        let source = URL(fileURLWithPath: folder + "/Order/OrderHandler.swift")
        try Data("import Intents\nclass IntentHandler: INExtension {}\n".utf8).write(to: source)
        #expect(try package().modules.map(\.bridged.modules) == [["Foundation", "MapKit"]])
        let kit = try #require(KitModules(folder: PinsProject.root))
        let stubbed = try GeneratedPackage(
            try XcodeProject(folder + "/Soups.xcodeproj", configuration: "Debug"), kit: kit,
            folder: directory.path + "/package", wish: GeneratedPackage.Wish(writesStubs: true))
        #expect(stubbed.stubs == ["SoupKit"])
        #expect(stubbed.modules.map(\.bridged.modules) == [["Foundation", "MapKit", "SoupKit"]])
    }

    @Test func aBranchForIOSCountsAsTheSourceStepReadsIt() throws {
        func imports(_ text: String) throws -> [String] {
            let file = directory.path + "/A.swift"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            return ModuleOutline([file], module: "A", flags: [], hasModule: { $0 == "UIKit" }).imports.sorted()
        }
        #expect(try imports("#if os(iOS)\nimport A\n#elseif os(macOS)\nimport B\n#else\nimport C\n#endif") == ["A"])
        #expect(try imports("#if !os(iOS)\nimport A\n#endif\n#if canImport(UIKit)\nimport UIKit\n#endif") == ["UIKit"])
        // A file that mentions Linux means it.
        #expect(try imports("#if os(iOS)\nimport A\n#elseif os(Linux)\nimport B\n#endif") == ["B"])
    }
}
