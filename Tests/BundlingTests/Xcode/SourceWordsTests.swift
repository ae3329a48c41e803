// SourceWordsTests: imports, classes and conditions as a source's words show them.

import Testing

@testable import Bundling

@Suite struct SourceWordsTests {
    private func outline(_ source: String, flags: Set<String> = []) -> SourceOutline {
        let conditions = CompilationConditions(flags: flags) { ["Foundation", "UIKit"].contains($0) }
        return SourceOutline(SourceWords.read(source), holds: conditions.hold)
    }

    @Test(arguments: [
        ("import A", ["A"]), ("@testable import A\nimport class B.C; import struct D.E", ["A", "B", "D"]),
        ("// import A\n/* import B /* import C */ import D */ import E", ["E"]), ("let a = \"import A\"", []),
        ("let a = \"\"\"\nimport A\n\"\"\"\nimport B", ["B"]), ("let a = #\"\" import A \"#; import B", ["B"]),
        ("#if os(iOS)\nimport A\n#elseif os(Linux)\nimport B\n#else\nimport C\n#endif\nimport D", ["B", "D"]),
        ("#if canImport(UIKit) && !DEBUG\nimport A\n#else\nimport B\n#endif", ["B"]),
        ("#if canImport(AppKit)\nimport AppKit\n#if true\nimport B\n#endif\n#endif", []),
        ("#if (os(macOS) || DEBUG) && swift(>=5)\nimport A\n#endif", ["A"]), ("import", []), ("#endif import A", ["A"]),
        ("import os.log", ["os"]), ("@_implementationOnly import A", ["A"]),
        // Apple's Foundation brings the keychain along.
        ("import A; let c = kSecClassKey", ["A", "Security"]), ("let c: SecCode?", ["Security"]),
        ("// SecItemAdd", []),
    ])
    func importsAreSeenWhereTheyHold(source: String, expected: [String]) {
        #expect(outline(source, flags: ["DEBUG"]).imports.sorted() == expected)
    }

    /// On Apple's systems UIKit brings Core Image and ImageIO along.
    @Test(arguments: [
        ("let a: CIImage?; kCGImageSourceShouldCache", ["CoreImage", "ImageIO"]),
        ("// CIImage\nlet b = \"CIFilter\"", []),
        ("#if false\nlet a: CIColor\n#endif\nlet c: CGImage", []), ("class CIVectorMaker {}", []),
    ])
    func modulesOfUIKitAreSeen(source: String, expected: [String]) {
        #expect(outline(source).implied.sorted() == expected)
    }

    @Test func classesHaveTheirObjectiveCNames() {
        let found = outline(
            """
            @objc(Handler) final class ActionHandler: NSObject { class func make() {} ; class var all: Int { 0 } }
            public class Plain {}
            @objc class Other: Plain {}
            struct S {}
            @objc(act) func act() {}
            class Last {}
            """)
        #expect(found.classes.map(\.name) == ["ActionHandler", "Plain", "Other", "Last"])
        #expect(found.classes.map(\.objectiveCName) == ["Handler", nil, nil, nil])
        #expect(!found.hasMain && outline("@main struct A {}").hasMain && !outline("\"@main\"").hasMain)
    }

    @Test(arguments: [
        ("let a = C.background(withIdentifier: b)", true), ("a(.background(\n withIdentifier: b))", true),
        ("C.backgroundSessionConfiguration(b)", true), ("// .background(withIdentifier: b)", false),
        ("#if os(iOS)\nlet a = C.background(withIdentifier: b)\n#endif", false), ("let background = a", false),
        ("view.background(b)", false), ("background(", false),
    ])
    func backgroundSessionsAreSeenWhereTheyHold(source: String, expected: Bool) {
        #expect(outline(source).usesBackground == expected)
    }

    @Test func noSourceEndsTheProcess() {
        let text = "#if !(os(A) && (\nimport B\"\\(c \"\"\" /* @objc( class #\" import"
        for length in 0..<text.count { _ = outline(String(text.prefix(length))) }
        _ = outline("#if " + String(repeating: "(!", count: 10_000))
    }
}
