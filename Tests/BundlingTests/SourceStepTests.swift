// SourceStepTests: when the source step runs, what becomes of its report, and what stubs hold.

import Foundation
import LinuxSystem
import Testing

@testable import Bundling

@Suite struct SourceStepTests {
    @Test(arguments: [
        ("import UIKit\nclass A: B { convenience init() {} }", true), ("class A { convenience init() {} }", false),
        ("class A { @objc func x() {} }", true), ("@objcMembers class A {}", true), ("let x = #selector(y)", true),
        ("import UIKit\nif let t = (x as? NSURL)!.absoluteString {}", true),
        ("import UIKit\nlet t = x.absoluteString", false),
        ("@main class A: UIResponder, UIApplicationDelegate {}", false), ("@main class A {}", false),
        ("import UIKit\nlet x = f.urls(for: .libraryDirectory, in: .userDomainMask)", true),
        ("import os.log", true), ("import os", true), ("import OSLog", false),
        ("import Foundation\nclass A: NSObject, NSExtensionRequestHandling {}", true),
        ("import UIKit\nclass A: NSObject, NSExtensionRequestHandling {}", false),
        ("import ExtensionFoundation\nlet x: NSItemProvider", false),
        ("import ExtensionHost\nlet x: NSItemProvider", false),
        ("import UIKit\nlet x: URLRequest", true), ("import BackgroundTransfers\nlet x: URLRequest", false),
        ("import FoundationNetworking\nlet x: URLRequest", false),
        ("import FoundationNetworking\nlet x = C.background(withIdentifier: y)", true),
        ("let x = NSData(contentsOf: NSURL(string: y)! as URL)", true), ("let x = try Data(contentsOf: y)", false),
        ("let x = NSDictionary(contentsOf: URL(string: y)!)", true), ("x.append(contentsOf: [URL(string: y)])", false),
        ("import BackgroundTransfers\nlet x = URLSessionConfiguration.background(withIdentifier: y)", false),
        ("import Foundation\nvar x: NSKeyValueObservation?", true), ("import UIKit\nclass A: B { init() {} }", true),
        ("import UIKit\nclass A: B { override init() {} }", false), ("import A\ni.attachments = [x as Any]", true),
        ("import IdentityLookup\nswitch x {\ncase .allow: f()\ncase .filter: g()\n}", true),
        ("import A\nlet y = x.filter { $0 }\nswitch x { case .allow, .b: f() }", false),
        ("let x = [y as Any]\n(z as AnyObject).f()", false), ("i.attachments = [y as Any]", true),
        ("(z as AnyObject).loadItem()", true), ("func f<T: UITableViewCell>() -> T { T() }", true),
        ("func f<T: UIView>(_ t: T) {}", false),
        (
            "import UIKit\nclass A: B { override init() { f() } }\nclass C: UIView { init() { g() } }", true
        ), ("import UIKit\nclass A: B { override init() { f() } }", false), ("import Foundation\nlet c: SecCode", true),
        ("import UIKit\nfunc f<T: UIViewController>(_ t: T.Type) { _ = T() }", true),
        ("// @objc\nlet x = \"#selector\"", false),
        ("/* import os.log */ struct A {}", false), ("import class UIKit.UIView", false), ("", false),
    ])
    func wordsAreSeen(text: String, expected: Bool) { #expect(AppleWords.appear(in: text) == expected) }

    /// An app's own `@main` is as the compiler wants it. In an extension it is a second one.
    @Test func theMainOfAnAppIsSeenBesideAnotherOnly() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        func write(_ name: String, _ text: String) throws -> String {
            let path = "\(folder.path)/\(name)"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            return path
        }
        let app = try write("App.swift", "import UIKit\n@main class App: UIResponder, UIApplicationDelegate {}\n")
        let view = try write("View.swift", "import UIKit\nclass View: UIView {}\n")
        let entry = try write(EntryPoint.fileName, EntryPoint.text)
        #expect(AppleWords.first(in: [view, app]) == nil)
        #expect(AppleWords.first(in: [view, app, entry]) == app)
        #expect(
            AppleWords.first(in: [view, try write("Words.swift", "@objc class A {}\n"), app]) == folder.path
                + "/Words.swift")
    }

    private static func report(_ files: String, notes: String = "") throws -> SourceStepReport {
        let text =
            #"{"targets":[{"module":"M","files":[\#(files)],"notes":[\#(notes)],"missingModules":[],"classes":[]}]}"#
        return try JSONDecoder().decode(SourceStepReport.self, from: Data(text.utf8))
    }

    @Test func anOverlayNamesCopiesAndTellsWhatWasCompiledFromOtherTexts() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let original = folder.path + "/a.swift"
        try Data("a".utf8).write(to: URL(fileURLWithPath: original))
        let overlay = SourceOverlay(folder: folder.path)
        func write(changed: Bool, copied: Bool = true) throws -> SourceOverlay.Written {
            let copy = copied ? #","copy":"/copies/a.swift""# : ""
            return try overlay.write(try Self.report(#"{"original":"\#(original)","changed":\#(changed)\#(copy)}"#))
        }
        let first = try write(changed: true)
        #expect(first.stale == ["M"])
        let text = try String(contentsOfFile: try #require(first.path), encoding: .utf8)
        #expect(text.contains(#"{"external-contents":"/copies/a.swift","name":"\#(original)","type":"file"}"#))
        #expect(try write(changed: false).stale.isEmpty)
        // Another tool, another copy: SwiftPM would not see it.
        #expect(try write(changed: true).stale == ["M"])
        #expect(try write(changed: false, copied: false).stale == ["M"])
        #expect(try write(changed: false, copied: false).path == nil)
        // SwiftPM sees an original that changed.
        try Data("abc".utf8).write(to: URL(fileURLWithPath: original))
        #expect(try write(changed: true).stale.isEmpty)
    }

    @Test func notesBecomeWarnings() throws {
        let note = #"{"code":"notCallable","file":"/a.swift","line":3,"column":5,"message":"it is async"}"#
        let findings = try Self.report("", notes: note).targets.flatMap(\.notes).map(ProjectFinding.init)
        #expect(findings.map(\.code) == ["notCallable"])
        #expect(findings.map(\.line) == [3])
        #expect(findings.map { "\($0.severity)" } == ["warning"])
    }

    /// A framework that is new in `Package.swift` is in both lists of the kit's modules.
    @Test func everyFrameworkOfTheKitIsKnown() throws {
        let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL.path
        let products = Set(try #require(KitModules(folder: root)).products.keys)
        // They do not link ExtensionFoundation.
        let bare: Set<String> = [
            "UniformTypeIdentifiers", "MobileCoreServices", "CoreServices", "OSLog", "os", "CoreAudioTypes",
            "CoreMedia", "CoreVideo", "Security", "LocalAuthentication", "CoreLocation", "StoreKit", "PushKit",
            "WatchConnectivity", "SystemConfiguration", "CoreMotion", "Contacts", "Metal", "FrameworkPreflight",
            "CoreML", "GameplayKit", "VideoToolbox",
        ]
        let inner: Set<String> = ["ExtensionPointKit", "PointFrameworkKit", "ServiceProgramKit", "LinuxSystem"]
        let others: Set<String> = ["PointHosts", "PostcardKit", "MountedFiles", "SourceStep"]
        let packages: Set<String> = ["Combine", "CryptoKit"]
        let authors = products.subtracting(inner).subtracting(others)
        #expect(authors.subtracting(bare).subtracting(packages).subtracting(SourceStepRun.kit) == [])
        // Names that Apple has not are asked for by nobody else.
        let own: Set<String> = [
            "ExtensionFoundation", "KeyboardService", "DocumentPickerService", "BackgroundTransfers", "os",
            "FrameworkPreflight",
        ]
        #expect(authors.subtracting(own).subtracting(ForeignPackages.modules) == [])
    }

    /// A package that knows nothing of the kit finds none of its modules, in whatever order they are compiled.
    @Test func packagesOfOthersDoNotSeeTheKit() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        func write(_ path: String, _ text: String) throws {
            let file = URL(fileURLWithPath: "\(folder.path)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let asks = "#if canImport(UIKit) && !DEBUG\nimport UIKit\n#elseif canImport(Combine)\n#endif\n"
        for package in ["Dump", "Own", "Open"] { try write("\(package)/Sources/\(package)/A.swift", asks) }
        try write("Dump/Package.swift", "let package = Package(name: \"Dump\")")
        try write("Own/Package.swift", "let package = Package(dependencies: [.package(path: \"../exthost\")])")
        try write("Open/Package.swift", "let package = Package(name: \"Open\")")
        try write("Open/Sources/Combine/B.swift", "// canImport(UIKit)\n")
        try write("Dump/Tests/DumpTests/T.swift", asks)
        let packages = ["Dump", "Own", "Open", "Gone"].map { "\(folder.path)/\($0)" }
        let foreign = ForeignPackages(packages: packages, output: folder.path + "/out")
        let targets = try foreign.targets()
        #expect(targets.map(\.module) == ["Dump", "Open"] && targets.allSatisfy { $0.files.count == 1 })
        let files = targets.flatMap(\.files)
        #expect(files.allSatisfy(\.changed) && files[0].original == folder.path + "/Dump/Sources/Dump/A.swift")
        let copies = try files.map { try String(contentsOfFile: $0.copy ?? "", encoding: .utf8) }
        let changed = "#if false            && !DEBUG\nimport UIKit\n#elseif false             \n#endif\n"
        #expect(copies[0] == "#sourceLocation(file: \"\(files[0].original)\", line: 1)\n" + changed)
        // A module of its own is there.
        #expect(copies[1].hasSuffix("import UIKit\n#elseif canImport(Combine)\n#endif\n"))
        #expect(try foreign.targets().flatMap(\.files).allSatisfy { !$0.changed })
        #expect(ForeignPackages.rewritten("let x = \"canImport(UIKit)\"\n#if canImport(Glibc)\n#endif") == nil)
    }

    @Test func stubsAreWrittenOnceAndNameWhatIsUsed() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let uses = [StubModules.Use(name: "Account", file: "/x/Share.swift", line: 7)]
        let modules = [StubModules.Module(name: "Core", uses: uses), StubModules.Module(name: "Design")]
        let written = try StubModules.write(for: modules, into: folder.path + "/Stubs")
        #expect(
            written.map { $0.dropFirst(folder.path.count + 7) } == [
                "Package.swift", "Sources/Core/Core.swift", "Sources/Design/Design.swift",
            ])
        let text = try String(contentsOfFile: written[1], encoding: .utf8)
        #expect(text.contains("//   Account: Share.swift:7\n"))
        #expect(try StubModules.write(for: modules, into: folder.path + "/Stubs").isEmpty)
    }

    @Test func aNameMayComeFromEachMissingModuleOfItsFile() throws {
        let text = """
            {"targets": [{"module": "M", "files": [], "notes": [],
              "missingModules": [{"name": "A", "file": "/1", "line": 1}, {"name": "B", "file": "/2", "line": 1}],
              "undeclared": [{"name": "X", "file": "/1", "line": 4}, {"name": "Y", "file": "/3", "line": 4}]}]}
            """
        let modules = StubModules.modules(of: try JSONDecoder().decode(SourceStepReport.self, from: Data(text.utf8)))
        #expect(modules.map(\.name) == ["A", "B"])
        #expect(modules[0].uses == [StubModules.Use(name: "X", file: "/1", line: 4)])
        #expect(modules[1].uses.isEmpty)
    }
}
