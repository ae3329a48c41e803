// WordTests: what is dropped or replaced, and that the columns stay.

import Foundation
import SourceStep
import Testing

@Suite struct WordTests {
    @Test(arguments: [
        ("@objc class A {}", "      class A {}"),
        ("@objc(Name) class A {}", "            class A {}"),
        ("@objcMembers final class A {}", "             final class A {}"),
        ("struct A { dynamic var x = 1 }", "struct A {         var x = 1 }"),
        ("class A { @IBOutlet weak var x: B! }", "class A {           weak var x: B! }"),
        ("class A { @IBAction func x() {} }", "class A {           func x() {} }"),
        ("class A { @nonobjc func x() {} }", "class A {          func x() {} }"),
        ("@objc enum E: Int { case a }", "      enum E: Int { case a }"),
        ("@UIApplicationMain class A {}", "@main              class A {}"),
        ("class A { @objc(\n  x) func y() {} }", "class A {       \n     func y() {} }"),
        ("let x = #keyPath(Foo.bar.baz) + y", "let x = \"bar.baz\"             + y"),
        ("let x = #keyPath(title)", "let x = \"title\"        "),
        ("typealias F = @convention(block) () -> Void", "typealias F =                    () -> Void"),
        ("import os.log // a", "import OSLog  // a"), ("import class UIKit.UIView", "import class UIKit.UIView"),
        ("import Darwin", "import Glibc "), ("import os", "import OSLog"),
        ("import struct os.Logger", "import OSLog           "),
        ("import UIKit.UIGestureRecognizerSubclass", "import UIKit                            "),
        ("let x = os.Logger()", "let x =    Logger()"), ("let x: os.Logger", "let x:    Logger"), ("os.x()", "os.x()"),
        ("func f(_ x: NSSecureCoding?) {}", "func f(_ x: Any?           ) {}"),
        ("let f = { (x: (any NSSecureCoding)?, y: Int) in }", "let f = { (x: Any?                 , y: Int) in }"),
        ("var x: NSSecureCoding!", "var x: Any!           "),
        ("if let t = u.absoluteString {}", "if let t = u.absoluteString as String? {}"),
        (
            "guard let t = u?.v.absoluteString, b else { f() }",
            "guard let t = u?.v.absoluteString as String?, b else { f() }"
        ),
        ("if let t: String = u.absoluteString {}", "if let t: String = u.absoluteString {}"),
        ("let t = u.absoluteString", "let t = u.absoluteString"),
        ("class A: NSObject, NSSecureCoding {}", "class A: NSObject, NSSecureCoding {}"),
        ("let y = x as? NSSecureCoding", "let y = x as? NSSecureCoding"),
        ("f(x as NSSecureCoding & P)", "f(x as AnyObject as! NSSecureCoding & P)"),
        ("f(x as (any NSSecureCoding)?)", "f(x as AnyObject as! (any NSSecureCoding)?)"),
        ("f(nil as NSSecureCoding?)", "f(nil as NSSecureCoding?)"),
        ("f(x as (NSCoding?, Error?) -> Void)", "f(x as (NSCoding?, Error?) -> Void)"),
        ("switch x { case let y as NSCoding: f() }", "switch x { case let y as NSCoding: f() }"),
        ("(x as AnyObject).loadItem(y)", "(x as Any as! NSItemProvider          ).loadItem(y)"),
        ("let s = URLSession()", "let s = URLSession(configuration: .default)"),
        ("let s = A.URLSession()", "let s = A.URLSession()"),
        ("(x as AnyObject).y(1)", "(x as AnyObject).y(1)"),
        ("i.attachments = [x as Any, y]", "i.attachments = [x       , y]"), ("i.z = [x as Any]", "i.z = [x as Any]"),
        ("func f<T: UIView>() -> T { T() }", "func f<T: UIView>() -> T { _new(T.self) }"),
        ("func f<T: P>() -> T { T() }", "func f<T: P>() -> T { T() }"),
        (
            "protocol UIMaking { init() }; func f<T: UIMaking>() -> T { T() }",
            "protocol UIMaking { init() }; func f<T: UIMaking>() -> T { T() }"
        ),
        ("func f<T: UIView>(_ y: T) { U(); T(y) }", "func f<T: UIView>(_ y: T) { U(); T(y) }"),
        // Enumerations have more cases than in an earlier SDK.
        (
            "import IdentityLookup\nswitch x { case .allow, .filter: f()\ncase .none: g()\n}",
            "import IdentityLookup\nswitch x { case .allow, .filter: f()\ncase .none: g()\n @unknown default: fatalError() }"
        ),
        (
            "import IdentityLookup\nswitch x { case .allow: f()\ncase .none: g() }",
            "import IdentityLookup\nswitch x { case .allow: f()\ncase .none: g() }"
        ),
        (
            "switch x { case .allow, .filter: f()\ncase .none: g()\n}",
            "switch x { case .allow, .filter: f()\ncase .none: g()\n}"
        ),
        ("#!/usr/bin/swift\nimport os.log\n", "///usr/bin/swift\nimport OSLog \n"),
        ("let x = #selector(os.Thing.y(_:))", "let x = _sel(\"y:\")               "),
        ("f.urls(for: .libraryDirectory, in: .m)", "f._urls(for: .libraryDirectory, in: .m)"),
        (
            "let x = urls(for: FileManager.SearchPathDirectory.cachesDirectory, in: .m)",
            "let x = _urls(for: FileManager.SearchPathDirectory.cachesDirectory, in: .m)"
        ),
        (
            "let x = try f.url(for: .documentDirectory, in: .m, appropriateFor: nil, create: true)",
            "let x = try f._url(for: .documentDirectory, in: .m, appropriateFor: nil, create: true)"
        ),
        (
            "NSSearchPathForDirectoriesInDomains(.d, .m, true)[0]",
            "_NSSearchPathForDirectoriesInDomains(.d, .m, true)[0]"
        ),
        ("f.urls(for: .cachesDirectory)", "f.urls(for: .cachesDirectory)"),
        // An app's own methods, and folders that are Foundation's.
        ("let x = r.urls(for: page, in: book)", "let x = r.urls(for: page, in: book)"),
        ("r.urls(for: Pages.cachesDirectory, in: book)", "r.urls(for: Pages.cachesDirectory, in: book)"),
        ("f.urls(for: .desktopDirectory, in: .m)", "f.urls(for: .desktopDirectory, in: .m)"),
        // A protocol of Objective-C is for classes only.
        ("@objc protocol P { func x() }", "      protocol P: AnyObject { func x() }"),
        ("@objc protocol P: Q { func x() }", "      protocol P: Q, AnyObject { func x() }"),
        ("@objc protocol P: NSObjectProtocol {}", "      protocol P: NSObjectProtocol {}"),
        // Words in comments and texts stay.
        ("let x = \"@objc\" // @IBAction #selector(x)", "let x = \"@objc\" // @IBAction #selector(x)"),
        ("#if os(iOS)\n@objc\n#endif\nclass A {}", "#if os(Linux)\n     \n#endif\nclass A {}"),
        ("#if !os(macOS) && os(iOS)\n#endif", "#if !os(macOS) && os(Linux)\n#endif"),
        ("#if os(iOS)\n#elseif os(Linux)\n#endif", "#if os(iOS)\n#elseif os(Linux)\n#endif"),
    ])
    func rewrites(source: String, expected: String) { #expect(Rewriting(source).text == expected) }

    @Test(arguments: [
        ("var x = 0", "var x = 0 { willSet { W } didSet { D } }"),
        ("weak var x: B?", "weak var x: B? { willSet { W } didSet { D } }"),
        ("var x: B { didSet { f() } }", "var x: B { willSet { W } didSet { defer { D }; f() } }"),
        ("var x: B { willSet { f() } didSet {} }", "var x: B { willSet { W; f() } didSet { D;} }"),
        ("var x: B { get { y } set { f() } }", "var x: B { get { y } set { W; defer { D }; f() } }"),
        ("override var x: B { didSet {} }", "override var x: B { didSet {} }"), ("var x: B { y }", "var x: B { y }"),
        ("static var x = 0", "static var x = 0"), ("func x() {}", "func x() {}"), ("let x = 0", "let x = 0"),
        ("var x = 0, y = 1", "var x = 0, y = 1"),
    ])
    func reportsTheChangesOfDynamicProperties(member: String, expected: String) {
        let text = Rewriting("extension A { @objc dynamic \(member) }").text
        let short = text.replacing("_willChange(self, \"x\")", with: "W").replacing(
            "_didChange(self, \"x\")", with: "D")
        #expect(short == "extension A {               \(expected) }")
    }

    /// Structures have no observers, and defaults report the changes of their keys by themselves.
    @Test(arguments: ["struct A {}; extension A", "extension UserDefaults", "struct A"])
    func reportsNothingElse(type: String) {
        let text = "\(type) { @objc dynamic var x: Int { get { 1 } set { f() } } }"
        #expect(Rewriting(text).text == text.replacing("@objc dynamic", with: "             "))
    }

    /// Xcode links an extension with NSExtensionMain, so the main of an app among its sources has no effect.
    @Test(arguments: [
        ("@UIApplicationMain class A {}", "                   class A {}"),
        (
            "@main class A: UIResponder, UIApplicationDelegate {}",
            "      class A: UIResponder, UIApplicationDelegate {}"
        ),
    ])
    func dropsTheMainOfAnAppBesideAnother(source: String, expected: String) {
        #expect(Rewriting(source, others: ["@main struct ExtensionMain {}"]).text == expected)
        #expect(Rewriting(source).text.contains("@main"))
    }

    /// A main that is not compiled is none.
    @Test(arguments: [
        ("#if DEBUG_TOOL\n@main struct Tool {}\n#endif", true), ("#if os(macOS)\n@main struct Tool {}\n#endif", true),
        ("#if os(Linux)\n@main struct Tool {}\n#endif", false), ("#if os(iOS)\n@main struct Tool {}\n#endif", false),
        ("#if !TOOL && canImport(UIKit)\n@main struct Tool {}\n#endif", false),
        ("#if TOOL\n#else\n@main struct Tool {}\n#endif", false),
        ("@main class Tool: UIResponder {}\nextension Tool: UIApplicationDelegate {}", false),
    ])
    func keepsTheMainOfAnAppBesideOneThatIsNotCompiled(other: String, isKept: Bool) {
        #expect(Rewriting("@UIApplicationMain class A {}", others: [other]).text.contains("@main") == isKept)
    }

    @Test func leavesAFileWithoutSuchWordsAlone() {
        #expect(Rewriting("import Dispatch\nstruct A { var x = 0 }\n").report.notes.isEmpty)
        #expect(Rewriting("import Dispatch\n").text == "import Dispatch\n")
    }

    @Test func namesWhatHasNoCounterpart() {
        let source =
            "@objc protocol P {\n    @objc optional func x() throws\n}\nclass A { @NSManaged var y: Int }\n"
        #expect(
            Rewriting(source).messages == [
                "2:25: the requirement cannot be optional here: it throws",
                "4:11: @NSManaged needs Core Data, which Linux does not have",
            ])
    }

    @Test func knowsTheOptionalRequirementsOfOtherTargets() throws {
        try withFolder { folder in
            let sources = [
                "Core": "@objc public protocol P { @objc optional func x(_ y: Int) }",
                "Share": "import Core\nclass A: NSObject, P { func x(_ y: Int) { (self as P).x?(1) } }",
            ]
            for (name, text) in sources {
                try text.write(toFile: "\(folder)/\(name).swift", atomically: true, encoding: .utf8)
            }
            let targets = ["Share", "Core"].map {
                StepDescription.Target(module: $0, files: ["\(folder)/\($0).swift"])
            }
            let report = try StepRun(StepDescription(targets: targets), output: folder + "/copies").run()
            let copy = try String(contentsOfFile: #require(report.targets[0].files[0].copy), encoding: .utf8)
            #expect(copy.contains("(self as P).x (1)") && copy.contains("_Method(\"x:\")"))
        }
    }

    @Test func importsTheKitWhereAppleWouldBringFoundation() {
        func imports(_ source: String, known: [String]? = nil) -> Bool {
            let target = Rewriting.copy(of: source, known: known)
            return target?.contains("import ExtensionFoundation\n#sourceLocation") == true
        }
        #expect(imports("import UIKit\n"))
        #expect(imports("#if canImport(UIKit)\nimport UIKit\n#endif\n"))
        #expect(!imports("import os\n"))
        #expect(!imports("import Foundation\nimport ExtensionFoundation\n"))
        #expect(!imports("import Foundation\n", known: ["Foundation"]))
    }

    @Test func importsTheNetworkWhereAFileMentionsIt() {
        let source = "import UIKit\nlet x = URLRequest.self\n"
        let imports = "import ExtensionFoundation\nimport FoundationNetworking\n#sourceLocation"
        #expect(Rewriting.copy(of: source)?.contains(imports) == true)
        #expect(Rewriting.copy(of: "import FoundationNetworking\n" + source)?.contains(imports) == false)
        let waiting = "import UIKit\nlet x = URLSessionConfiguration.default\nx.waitsForConnectivity = true\n"
        #expect(Rewriting(waiting).table.contains("var waitsForConnectivity: Bool { get { false } set {} }"))
        #expect(!Rewriting(source).table.contains("waitsForConnectivity"))
        // A header of the module brings what a file without imports has.
        #expect(
            Rewriting.copy(of: "let x = URLRequest.self\n")?.contains("import FoundationNetworking\n#source") == true)
        #expect(Rewriting.copy(of: "import UIKit\n// URLRequest\n")?.contains(imports) == false)
    }

    @Test(arguments: [
        ("let x = NSData(contentsOf: NSURL(string: y)! as URL)", true),
        ("func f() { guard let url = URL(string: y) else { return }; g { _ = try? Data(contentsOf: url) } }", true),
        ("func f() { if let url = URL(string: y), let x = try? String(contentsOf: url) {} }", true),
        ("let x = try Data(contentsOf: url)", false), ("urls.append(contentsOf: [URL(string: y)!])", false),
        ("let x = URL(string: y); let z = try Data(contentsOf: other)", false),
        ("func f() { let url = URL(string: y) }; func g(_ url: URL) { _ = try? Data(contentsOf: url) }", false),
        ("let x = try Data(contentsOf: URL(fileURLWithPath: y))", false),
    ])
    func importsTheNetworkWhereAFileLoadsAnAddress(source: String, isImported: Bool) {
        let copy = Rewriting.copy(of: "import UIKit\n@objc class A {}\n\(source)\n")
        #expect(copy?.contains("import FoundationNetworking\n") == isImported)
    }

    @Test(arguments: [true, false, nil] as [Bool?])
    func importsTheKeychainInATargetThatIsLinkedWithIt(isLinked: Bool?) throws {
        try withFolder { folder in
            let texts = [
                "A": "import Foundation\nlet c = kSecClass as String\n",
                "B": "import Foundation\nfunc f(_ d: CFDictionary) -> OSStatus { 0 }\n",
                "C": "import Foundation\nimport Security\nlet c = kSecClass as String\n",
                "D": "import Foundation\n// kSecClass\nlet c = 1\n",
            ]
            let files = try texts.keys.sorted().map { name in
                let file = "\(folder)/\(name).swift"
                try Data((texts[name] ?? "").utf8).write(to: URL(fileURLWithPath: file))
                return file
            }
            let target = StepDescription.Target(module: "M", files: files, known: nil, keychain: isLinked)
            let report = try StepRun(StepDescription(targets: [target]), output: folder + "/out").run()
            let copies = try report.targets.flatMap(\.files).map {
                try String(contentsOfFile: $0.copy ?? "", encoding: .utf8)
            }
            let counts = copies.map { $0.components(separatedBy: "import Security\n").count - 1 }
            #expect(counts == (isLinked == true ? [1, 1, 1, 0] : [0, 0, 1, 0]))
        }
    }

    /// A target with a background session has one class of each name: that of the kit.
    @Test(arguments: [
        "let c = URLSessionConfiguration.background(withIdentifier: \"a\")",
        "let s = URLSession(configuration: .background(\n  withIdentifier: id))",
        "let c = URLSessionConfiguration.backgroundSessionConfiguration(\"a\")",
        "import BackgroundTransfers",
    ])
    func importsBackgroundTransfersInATargetThatUsesThem(line: String) {
        let sources = [
            "import UIKit\n\(line)\n", "import UIKit\nclass D: NSObject, URLSessionDelegate {}\n",
            "import Foundation\n#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\nlet x = 1\n",
        ]
        func count(_ copy: String?, _ module: String) -> Int {
            (copy ?? "").components(separatedBy: "import \(module)").count - 1
        }
        let copies = Rewriting.copies(of: sources)
        #expect(copies.map { count($0, "BackgroundTransfers") } == [1, 1, 1])
        #expect(copies.map { count($0, "FoundationNetworking") } == [0, 0, 0])
        let others = Rewriting.copies(of: sources, transfers: false)
        let isTold = line.hasPrefix("import")
        #expect(others.map { count($0, "BackgroundTransfers") } == (isTold ? [1, 1, 1] : [0, 0, 0]))
        #expect(count(others[1], "FoundationNetworking") == (isTold ? 0 : 1))
    }

    /// A delegate and its session may be of two targets.
    @Test(arguments: [true, false, nil] as [Bool?])
    func importsBackgroundTransfersAsTheOtherTargetsOfABuild(isLinked: Bool?) throws {
        try withFolder { folder in
            let texts = [
                "A": "import Foundation\nlet c = URLSessionConfiguration.background(withIdentifier: \"a\")\n",
                "B": "import Foundation\nclass D: NSObject, URLSessionDelegate {}\n",
            ]
            let targets = try texts.keys.sorted().map { name in
                let file = "\(folder)/\(name).swift"
                try Data((texts[name] ?? "").utf8).write(to: URL(fileURLWithPath: file))
                return StepDescription.Target(
                    module: name, files: [file], known: nil, transfers: name == "A" ? true : isLinked)
            }
            let report = try StepRun(StepDescription(targets: targets), output: folder + "/out").run()
            let copies = try report.targets.flatMap(\.files).map {
                try String(contentsOfFile: $0.copy ?? "", encoding: .utf8)
            }
            #expect(copies.count == 2 && copies[0].contains("import BackgroundTransfers\n"))
            #expect(copies[1].contains("import BackgroundTransfers\n") == (isLinked == true))
            #expect(copies[1].contains("import FoundationNetworking\n") != (isLinked == true))
        }
    }

    @Test(arguments: [
        "let x = URLSession.shared", "// .background(withIdentifier: 1)", "let x = background(identifier: 1)",
        "let x = \".background(withIdentifier: 1)\"; let y = URLSession.shared",
    ])
    func importsNoBackgroundTransfersWithoutASession(line: String) {
        #expect(Rewriting.copy(of: "import UIKit\n\(line)\n")?.contains("BackgroundTransfers\n#source") != true)
    }

    @Test func listsModulesThatAreNotKnown() {
        let report = Rewriting("import UIKit\nimport AppCore\nimport struct Other.Thing\n", known: ["UIKit"]).report
        #expect(report.missingModules.map(\.name) == ["AppCore", "Other"])
        #expect(report.missingModules.map(\.line) == [2, 3])
    }

    @Test func listsClassesWithAnotherName() {
        let classes = Rewriting("@objc(Principal) class Handler {}\n@objc(Same) class Same {}").report.classes
        #expect(classes.map(\.name) == ["Principal"])
        #expect(classes.map(\.type) == ["M.Handler"])
    }

    @Test func movesOverridesFromExtensionsToTheirClass() throws {
        let source = """
            class A: B {
                var x = 1
            }
            extension A {
                @objc override func y() { use(#selector(z)) }
                @objc func z() {}
            }
            extension Elsewhere { override var w: Int { 1 } }
            """
        let copy = try #require(Rewriting.copy(of: source))
        let moved = """
            class A: B {
                var x = 1

            #sourceLocation(file: "/author/File.swift", line: 5)
                      override func y() { use(_sel("z")   ) }
            #sourceLocation(file: "/author/File.swift", line: 3)
            }
            extension A {
            \(String(repeating: " ", count: 49))
                      func z() {}
            }
            """
        #expect(copy.contains(moved))
        let message = "8:23: an extension overrides something, and its class is declared in another file or #if"
        #expect(Rewriting(source).messages == [message])
    }
}
