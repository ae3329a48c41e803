// PropertyTests: what holds for any source.

import Foundation
import SourceStep
import SwiftParser
import Testing

@Suite struct PropertyTests {
    /// Made of all kinds of declarations, in an order that a number chooses: the same number gives the same text.
    private static func source(_ seed: UInt64) -> String {
        var state = seed &* 6_364_136_223_846_793_005 &+ 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let words = [
            "@objc ", "@IBAction ", "@objc(name:)\n", "private ", "@objc dynamic ", "", "@available(iOS 13, *) @objc ",
        ]
        let members = [
            "func a(_ x: Int) {}", "func b(item: String?, at: [Int]) -> Int { 1 }", "var c = 1",
            "var d: String! { didSet {} }",
            "func e() { use(#selector(a(_:)), #selector(\n b(item:at:)), #keyPath(A.c)) } // ü", "let f = \"@objcü\"",
            "#if os(iOS)\n@objc func g() {}\n#else\nfunc h() {}\n#endif", "class Inner: NSObject { @objc func i() {} }",
        ]
        let types = [
            "class A: NSObject", "extension A", "@objcMembers public class B: A", "@objc protocol P", "struct S",
        ]
        return "import UIKit\r\n"
            + (0..<6).map { _ in
                let body = (0..<next(5)).map { _ in words[next(words.count)] + members[next(members.count)] + "\n" }
                    .joined()
                return "\(types[next(types.count)]) {\n\(body)}\n"
            }.joined()
    }

    @Test(arguments: 0..<200) func keepsLinesAndParses(seed: UInt64) throws {
        let source = Self.source(seed)
        let result = Rewriting(source)
        #expect(result.text.utf8.count { $0 == 0x0A } == source.utf8.count { $0 == 0x0A })
        #expect(!result.text.contains("@objc "))
        let copy = try #require(Rewriting.copy(of: source))
        #expect(!Parser.parse(source: copy).hasError || Parser.parse(source: source).hasError)
        #expect(Rewriting.copy(of: source) == copy)
    }

    @Test func writesOnlyWhatChanged() throws {
        try withFolder { folder in
            let original = folder + "/a.swift"
            try "import UIKit\n".write(toFile: original, atomically: true, encoding: .utf8)
            try "struct B {}\n".write(toFile: folder + "/b.swift", atomically: true, encoding: .utf8)
            let target = StepDescription.Target(
                module: "M", files: [original, folder + "/b.swift", folder + "/none.swift"])
            let run = StepRun(StepDescription(targets: [target]), output: folder + "/out")
            #expect(try run.run().targets[0].files.map(\.changed) == [true, false])
            let second = try run.run().targets[0]
            #expect(second.files.map(\.changed) == [false, false])
            #expect(second.files.map(\.copy) == [folder + "/out/M/a.swift", nil])
            #expect(second.notes.map(\.code) == [.unreadable])
            #expect(try String(contentsOfFile: original, encoding: .utf8) == "import UIKit\n")
        }
    }
}
