// CompilerTests: copies that Swift's compiler takes, and names that it gives.

import Foundation
import SourceStep
import Testing

@testable import SourceStep

@Suite(.serialized) struct CompilerTests {
    /// The compiler on Linux can write a header for Objective-C: its names are the standard.
    @Test func namesMethodsAsTheCompilerDoes() throws {
        let words =
            ObjectiveCName.prepositions.sorted() + ["against", "between", "item", "URL", "over", "through", "up"]
        let bases = ["run", "openWith", "moveTo", "to", "openURL", "_x"]
        let source = bases.flatMap { base in
            words.flatMap { word in ["\(base)(`\(word)`: Int)", "\(base)(\(word)Point: Int, _ y: Int)"] }
        }
        let expected = bases.flatMap { base in
            words.flatMap { word in
                [
                    ObjectiveCName.method(base, labels: [word]),
                    ObjectiveCName.method(base, labels: [word + "Point", ""]),
                ]
            }
        }
        let header = try withFolder { folder in
            let text = "@objc public class A {\n" + source.map { "@objc public func \($0) {}\n" }.joined() + "}\n"
            try text.write(toFile: folder + "/a.swift", atomically: true, encoding: .utf8)
            let arguments = ["-frontend", "-typecheck", "-parse-as-library", "a.swift", "-module-name", "A"]
            let options = [
                "-enable-objc-interop", "-disable-objc-attr-requires-foundation-module", "-emit-objc-header-path",
                "a.h",
            ]
            let result = try output(of: "swiftc", arguments + options, in: folder)
            try #require(result.status == 0, "\(result.text)")
            return try String(contentsOfFile: folder + "/a.h", encoding: .utf8)
        }
        let names = header.split(separator: "\n").filter { $0.hasPrefix("- (void)") }.map { line in
            line.dropFirst("- (void)".count).replacing(/\([^)]*\)\w*/, with: "").filter { $0 != " " && $0 != ";" }
        }
        #expect(names == expected)
    }

    /// A copy with the kit's own lookup: methods and properties, private ones too, are called by their names.
    @Test func callsMethodsThroughTheTables() throws {
        let source = """
            import Foundation

            class Controller: NSObject {
                @IBOutlet private var label: NSNumber!
                @objc private func tapped(_ sender: Any?) { print("tapped", sender ?? "nil") }
                @objc func show(item: String, at index: Int) -> NSString { NSString(string: item + "\\(index)") }
                class Inner: NSObject { @objc fileprivate func deep() { print("deep") } }
            }
            @objc protocol Talker {
                func plain()
                @objc optional func say(_ words: String, to other: Talker?) -> Int
                @objc optional func done()
                @objc optional func later(_ then: @escaping () -> Void)
                @objc optional var name: String { get }
                @objc optional func note() -> String?
                @objc optional func held() -> Any?
            }
            class Mute: NSObject, Talker { func plain() {} }
            class Loud: Mute {
                let name = "loud"
                func say(_ words: String, to other: Talker?) -> Int { print(words, other?.name ?? "nobody"); return words.count }
                func done() { print("done") }
                func later(_ then: @escaping () -> Void) { then() }
                func note() -> String? { nil }
                func held() -> Any? { 5 }
            }
            @MainActor class Model: NSObject {
                @objc dynamic var count = 1
                @objc dynamic lazy var words: [String] = ["a"]
                @objc dynamic weak var link: Model? { didSet { if link == nil { return }; print("linked") } }
                @objc dynamic var twice: Int { get { count * 2 } set { count = newValue / 2 } }
            }
            final class Submodel: Model {
                var seen: NSKeyValueObservation?
                @MainActor func observe() {
                    seen = observe(\\.count, options: [.old, .new]) { print("seen", $1.oldValue!, $1.newValue!) }
                    count += 1
                    let others = [
                        (self as Model).observe(\\.words, options: [.initial, .prior]) { print("words", $1.isPrior) },
                        observe(\\.link) { _, _ in print("link") }, observe(\\.twice) { _, _ in print("twice") },
                    ]
                    words.append("b")
                    link = self
                    twice = 8
                    seen = nil
                    count = 0
                    withExtendedLifetime(others) {}
                }
            }
            fileprivate class Hidden: Controller { @IBAction func own() { print("own") } }

            @main struct Main {
                @MainActor static func main() {
                    let object = Hidden()
                    object.perform(#selector(Hidden.own))
                    object.perform(#selector(Controller.show(item:at:)), with: "a", with: 1)
                    object.perform(Selector(("tapped:")), with: "b")
                    object.setValue(7, forKey: "label")
                    print(object.value(forKey: "label") ?? "nil", object.responds(to: #selector(getter: Controller.hash)))
                    Controller.Inner().perform(#selector(Controller.Inner.deep))
                    Submodel().observe()
                    for talker: Talker in [Mute(), Loud()] {
                        let other: Talker? = talker
                        print(talker.say?("words", to: other) ?? -1, other?.name ?? "none")
                        other?.done?()
                        talker.later? { print("later") }
                        if let note = other?.note?() { print(note) }
                        if talker.done?() == nil { print("silent") }
                        print(other?.held?() ?? "nothing")
                    }
                }
            }
            """
        for mode in ["5", "6"] {
            let printed = try withFolder { folder in
                try Self.buildKit(in: folder)
                try source.write(toFile: folder + "/Author.swift", atomically: true, encoding: .utf8)
                let target = StepDescription.Target(module: "M", files: [folder + "/Author.swift"])
                var description = StepDescription(targets: [target])
                description.copiesAll = true
                let report = try StepRun(description, output: folder + "/copies").run()
                #expect(report.targets[0].notes.isEmpty)
                let copy = try #require(report.targets[0].files[0].copy)
                let options = [
                    "-swift-version", mode, "-parse-as-library", "-module-name", "M", "-I.", "-L.",
                    "-lExtensionFoundation", "-lLocks", "-lLinuxDescriptors",
                ]
                let built = try output(of: "swiftc", [copy, "-o", "m", "-Xlinker", "-rpath=."] + options, in: folder)
                try #require(built.status == 0, "\(built.text)")
                #expect(!built.text.contains("warning"), "\(built.text)")
                return try output(of: "./m", [], in: folder).text
            }
            let seen =
                "seen 1 2\nwords false\nwords true\nwords false\nlinked\nlink\nseen 2 4\ntwice\n"
            let silent = "own\ntapped b\n7 false\ndeep\n\(seen)-1 none\nsilent\nnothing\n"
            #expect(printed == silent + "words loud\n5 loud\ndone\nlater\ndone\n5\n")
        }
    }

    /// The files of the kit that tables need, as a module of its name, the module of locks that they use, and one that
    /// stands for the module of lines in the log.
    private static func buildKit(in folder: String) throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst()
        try build("Locks", ["Locks", "Mutex"].map { "\(root)/Sources/Locks/\($0).swift" }, [], in: folder)
        let unsupported = folder + "/Unsupported.swift"
        try "public enum Unsupported { case keyValueObserving; public func tell() {} }".write(
            toFile: unsupported, atomically: true, encoding: .utf8)
        try build("LinuxDescriptors", [unsupported], [], in: folder)
        let selectors = "\(root)/Sources/ExtensionFoundation/Selectors"
        let files = try FileManager.default.contentsOfDirectory(atPath: selectors).sorted().map { "\(selectors)/\($0)" }
        try build("ExtensionFoundation", files, ["-L.", "-lLocks", "-lLinuxDescriptors"], in: folder)
    }

    private static func build(_ module: String, _ files: [String], _ libraries: [String], in folder: String) throws {
        let options = [
            "-swift-version", "6", "-package-name", "x", "-enable-upcoming-feature", "InternalImportsByDefault", "-I.",
            "-emit-module", "-emit-library", "-module-name", module, "-o", "lib\(module).so",
        ]
        let built = try output(of: "swiftc", files + options + libraries, in: folder)
        try #require(built.status == 0, "\(built.text)")
    }
}
