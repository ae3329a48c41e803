// SelectorTests: the names that #selector stands for.

import Testing

@testable import SourceStep

@Suite struct SelectorTests {
    /// Each line of a method and the name that the compiler gives it; `CompilerTests` asks the compiler itself.
    @Test(arguments: [
        ("tapped", ["" as String], "tapped:"), ("done", [], "done"), ("show", ["item"], "showWithItem:"),
        ("insert", ["", "at"], "insert:at:"), ("move", ["to"], "moveTo:"), ("moveTo", ["point"], "moveToPoint:"),
        ("a", ["", ""], "a::"), ("b", ["x", ""], "bWithX::"), ("open", ["URL"], "openWithURL:"),
        ("f", ["withX"], "fWithX:"),
    ])
    func namesMethods(base: String, labels: [String], expected: String) {
        #expect(ObjectiveCName.method(base, labels: labels) == expected)
    }

    static let sources = """
        class Base: NSObject { func inherited(_ x: Any) {} }
        class A: Base {
            func tapped(_ sender: Any) {}
            func show(item: Int) {}
            func show(item: Int, at: Int) {}
            @objc(rename:) func renamed(_ x: Int) {}
            @objc(isReady) var ready = false
            var count: Int { @objc(number) get { 0 } }
            class Inner { func deep(_ x: Int, y: Int) {} }
        }
        """

    @Test(arguments: [
        ("tapped", "tapped:"), ("tapped(_:)", "tapped:"), ("self.tapped", "tapped:"), ("A.tapped(_:)", "tapped:"),
        ("show(item:)", "showWithItem:"), ("A.show(item:at:)", "showWithItem:at:"), ("renamed", "rename:"),
        ("inherited", "inherited:"), ("super.inherited(_:)", "inherited:"), ("Inner.deep", "deep:y:"),
        ("A.Inner.deep", "deep:y:"),
        ("getter: ready", "isReady"), ("setter: ready", "setIsReady:"), ("getter: A.count", "number"),
        ("setter: UIView.alpha", "setAlpha:"), ("getter: UIView.alpha", "alpha"),
        ("show as (Int) -> Void", "showWithItem:"),
        ("A.show as (A) -> (Int, Int) -> Void", "showWithItem:at:"), ("(tapped)", "tapped:"),
        ("delegate.tapped", "tapped:"),
        ("handleInputModeList(from:with:)", "handleInputModeListFromView:withEvent:"),
        ("UIView.endEditing", "endEditing:"),
        ("UIViewController.someNew(of:by:)", "someNewOf:by:"), ("dismiss", "dismissViewControllerAnimated:completion:"),
    ])
    func resolves(written: String, expected: String) {
        let result = Rewriting("extension A { func z() { use(#selector(\(written))) } }", others: [Self.sources])
        #expect(result.text.contains("use(_sel(\"\(expected)\")"))
        #expect(result.report.notes.isEmpty)
    }

    @Test func saysThatItGuesses() {
        let result = Rewriting("let x = #selector(Other.unheardOf)")
        #expect(result.messages == ["1:9: no file of the target declares unheardOf, so the selector is “unheardOf”"])
    }

    @Test func keepsColumnsAndLines() {
        let source = "let x = [#selector(A.tapped(_:)), #selector(\n  A.tapped\n), 1]\n"
        let text = Rewriting(source, others: [Self.sources]).text
        #expect(text == "let x = [_sel(\"tapped:\")        , _sel(\"tapped:\")\n          \n , 1]\n")
    }
}
