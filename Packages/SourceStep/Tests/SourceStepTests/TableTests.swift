// TableTests: which members have an entry in their class's table.

import Testing

@Suite struct TableTests {
    private func selectors(_ members: String, of declaration: String = "class A: NSObject") -> [String] {
        Rewriting("\(declaration) { \(members) }").selectors
    }

    @Test(arguments: [
        ("@objc func x(_ y: Int) {}", ["x:"]), ("func x() {}", []), ("@IBAction func x(y: Int) {}", ["xWithY:"]),
        ("@objc(z:) private func x(_ y: Int) {}", ["z:"]), ("@objc let x = 1", ["x"]),
        ("@objc var x = 1", ["x", "setX:"]),
        ("@IBOutlet weak var x: B!", ["x", "setX:"]), ("@objc private(set) var x = 1", ["x"]),
        ("@objc var x: Int { 1 }", ["x"]), ("@objc var x: Int { get { 1 } }", ["x"]),
        ("@objc var x: Int { get { 1 } set {} }", ["x", "setX:"]), ("@objc var x = 1 { didSet {} }", ["x", "setX:"]),
        ("@IBOutlet var a, b: Int!", ["a", "setA:", "b", "setB:"]), ("@objc init(x: Int) {}", []),
        ("convenience init() { self.init(x: 1) }", ["init"]), ("@objc public convenience init() {}", ["init"]),
        ("init() {}", ["init"]), ("init?() {}", []),
        ("convenience override init() {}", []), ("convenience init?() {}", []),
        ("convenience init() throws {}", []), ("convenience init(x: Int = 1) {}", []),
        ("@available(*, unavailable) @objc func x() {}", []),
    ])
    func ofMembers(members: String, expected: [String]) { #expect(selectors(members) == expected) }

    @Test(arguments: [
        ("@objc func x(_ y: B) {}", true), ("@objc func x(_: B) { _ = 1 }", true), ("@objc func x(y z: B) { y }", true),
        ("@objc func x(_ y: B) { y.z() }", false), ("@objc func x(_ `y`: B) { [y] }", false),
        ("@objc func x(_ y: B) { print(\"\\(y)\") }", false), ("@objc func x(_ y: B) { z { y } }", false),
        ("@objc open func x(_ y: B) {}", false),
        ("@objc func x(_ y: B) {}; class C: A { override func x(_ z: B) {} }", false),
        ("@objc func x(_ y: B) {}; class C: A { override func x(y: B) {} }", true),
    ])
    func passesAnyObjectWhereTheBodyMentionsNone(members: String, isUnused: Bool) {
        let table = Rewriting("class A: NSObject { \(members) }").table
        #expect(table.contains("arguments[unused: 0, B.self]") == isUnused)
        #expect(table.contains("arguments[0, B.self]") != isUnused)
    }

    @Test func ofMembersThatTheirTypeExposes() {
        let members = "func x() {}; private func p() {}; @nonobjc func n() {}; override func o() {}; var y = 1"
        #expect(selectors(members, of: "@objcMembers class A: NSObject") == ["x", "y", "setY:"])
        #expect(selectors(members, of: "@objc extension UIView") == ["x", "y", "setY:"])
        #expect(Rewriting("class B: A { func x() {} }", others: ["@objcMembers class A {}"]).selectors == ["x"])
    }

    @Test func makesAnObjectOfTheClassItself() {
        let source = "class A { class B: UIViewController { convenience init() {} } }"
        #expect(Rewriting(source).table.contains("_Method(\"init\") { _, _ in A.B() as Any? }"))
        let apart = Rewriting("extension A { convenience init() {} }", others: ["class A: UIViewController {}"])
        #expect(apart.selectors == ["init"])
        // Only a class with a superclass can be instantiated by name.
        #expect(selectors("convenience init() {}", of: "class A").isEmpty)
        #expect(selectors("init() {}", of: "struct A: P").isEmpty)
        #expect(selectors("init() {}", of: "class A: Base").isEmpty)
    }

    @Test func hasTheKeyPathsOfObservedProperties() {
        let base = "class A: NSObject { @objc dynamic var x = 1; @objc dynamic private var p = 1; @objc var y = 1 }"
        let table = Rewriting(base).table
        #expect(table.contains("_Method(\"@A.x\") { _, _ in \\A.x as AnyKeyPath }"))
        #expect(table.contains("@A.p") && !table.contains("@A.y"))
        #expect(Rewriting("class B: A {}", others: [base]).selectors == ["@B.x"])
        for unreported in ["let x = 1", "var x: Int { 1 }", "var x = 1, y = 2", "override var x: Int { didSet {} }"] {
            let all = selectors("@objc dynamic \(unreported)", of: "class A: Base")
            #expect(!all.contains { $0.hasPrefix("@") }, "\(all)")
        }
        #expect(selectors("@objc var z: Int { 1 }", of: "extension UserDefaults") == ["z", "@UserDefaults.z"])
    }

    @Test func ofMethodsThatFulfilAnOptionalRequirement() {
        let source =
            "@objc public protocol P { @objc(y:) optional func x(_ y: Int) -> Bool; @objc optional var z: B? { get } }"
        let own = Rewriting(source)
        let blanks = { String(repeating: " ", count: $0) }
        #expect(own.text == "\(blanks(6))public protocol P: AnyObject { \(blanks(43)); \(blanks(33))}")
        #expect(
            own.table.contains(
                "@discardableResult public func x(_ y: Int) -> (Bool)? { _optional(self, _sel(\"y:\"), [y as Any?], (Bool).self) }"
            ))
        #expect(own.table.contains("public var z: (B)? { _optional(self, _sel(\"z\"), [], (B).self) }"))
        let adopting = Rewriting(
            "class A: P { func x(_ y: Int) -> Bool { true }; let z = 1; func x() {} }", others: [source])
        #expect(adopting.selectors == ["y:", "z"] && adopting.report.notes.isEmpty)
        #expect(Rewriting("struct A { func x(_ y: Int) {} }", others: [source]).selectors.isEmpty)
    }

    @Test(arguments: [
        ("delegate?.x?(1)", "delegate?.x (1)"), ("_ = d.x?(1) ?? true", "_ = d.x (1) ?? true"), ("d.x?()", "d.x?()"),
        ("d.w?(1) { }", "d.w (1) { }"), ("d.onTap?(1)", "d.onTap?(1)"), ("x?.y(1)", "x?.y(1)"),
        ("delegate?.textViewDidChange?(v)", "delegate?.textViewDidChange (v)"),
        ("self.textViewDidChange?(v)", "self.textViewDidChange?(v)"),
    ])
    func callsOptionalRequirements(source: String, expected: String) {
        let requirements = """
            @objc protocol P { @objc optional func x(_ y: Int) -> Bool; @objc optional func onTap(_ y: Int)
            @objc optional func w(_ y: Int, then: @escaping () -> Void) }; class B { var onTap: ((Int) -> Void)? }
            """
        #expect(Rewriting("import UIKit\n" + source, others: [requirements]).text == "import UIKit\n" + expected)
    }

    @Test func ofMethodsThatASelectorNames() {
        #expect(selectors("func x(_ y: Int) {}; let z = #selector(x(_:)); func w() {}") == ["x:"])
        #expect(selectors("func x(_ y: Int) {}; let z = Selector((\"x:\"))") == ["x:"])
        #expect(selectors("func x() {}; let z = NSSelectorFromString(\"x\")") == ["x"])
    }

    @Test(arguments: [
        (
            "class A<T> { @objc func x() {} }",
            "1:7: no caller can use methods of A by their selectors: the class is generic"
        ),
        (
            "class A { private class B { @objc func x() {} } }",
            "1:25: no caller can use methods of A.B by their selectors: the class is private in another type"
        ),
        (
            "func f() { class B { @objc func x() {} } }",
            "1:18: no caller can use methods of B by their selectors: the class is declared in a function"
        ),
        ("class A { @objc func x() async {} }", "1:22: no caller can use x by its selector: it is async"),
        ("class A { @objc func x() throws {} }", "1:22: no caller can use x by its selector: it throws"),
        ("class A { @objc func x<T>(_ y: T) {} }", "1:22: no caller can use x: by its selector: it is generic"),
        (
            "class A { @objc func x(_ y: inout Int) {} }",
            "1:22: no caller can use x: by its selector: it has an inout parameter"
        ),
        (
            "class A { @objc static func x() {} }; let s = #selector(A.x)",
            "1:29: no caller can use x by its selector: it is a method of the type"
        ),
    ])
    func reportsWhatHasNoEntry(source: String, message: String) {
        let result = Rewriting(source)
        #expect(result.messages == [message])
        #expect(result.table.isEmpty)
    }

    @Test func numbersTheTablesOfAClassInSeveralFiles() {
        let extra = "extension A { @objc func y() {} }"
        let tables = (0..<3).map { place in
            let sources = ["class A { @objc func x() {} }", "class B {}", extra]
            let others = sources.enumerated().filter { $0.offset != place }.map(\.element)
            return Rewriting(sources[place], others: others).table
        }
        #expect(tables[0].contains("class __Methods_A: _MethodTable"))
        #expect(tables[1].isEmpty)
        let both = Rewriting("class Z {}", others: ["class A { @objc func x() {} }", extra]).report
        #expect(both.notes.isEmpty)
    }

    @Test func standsUnderTheConditionsOfItsMembers() {
        let table = Rewriting(
            "#if os(iOS)\nclass A { @objc func x() {} }\n#else\nclass A { @objc func y() {} }\n#endif"
        ).table
        #expect(table.contains("#if (os(Linux))\nextension A"))
        #expect(table.contains("#if !(os(Linux))\nextension A"))
        #expect(table.components(separatedBy: "final class __Methods_A").count == 2)
    }

    @Test func castsToTypesAsTheEndOfTheFileWritesThem() {
        let parameters = "_ k: K?, b: [B: any P], c: @escaping () -> Void, d: U!"
        let source = "class A { struct K {}; class B { @objc func x(\(parameters)) { _ = (k, b, c, d) } } }"
        let table = Rewriting(source).table
        #expect(table.contains("[0, A.K?.self]"))
        #expect(table.contains("[1, ([A.B: any P]).self]"))
        #expect(table.contains("[2, (() -> Void).self]"))
        #expect(table.contains("[3, U?.self]"))
    }
}
