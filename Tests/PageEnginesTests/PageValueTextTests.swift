// PageValueTextTests: the forms in which pages and their hosts exchange values.

import PageMessages
import PropertyListCoding
import Testing

@testable import PageEngines

@Suite struct PageValueTextTests {
    // spec: WP-13
    @Test("WP-13: every kind of value is read back as it was written")
    func valuesReturn() throws {
        let value = PropertyList.dictionary([
            "text": .string("a\"\\\u{0}\n\u{2028}é😀"), "yes": .boolean(true), "no": .boolean(false),
            "whole": .integer(-9_007_199_254_740_992), "real": .real(1.5e300),
            "date": .date(0.25), "list": .array([.integer(1), .array([]), .dictionary([:])]),
        ])
        #expect(try PageValueText.read(PageValueText.write(value)) == value)
    }

    // spec: WP-13
    @Test(
        "WP-13: a text of another form is refused",
        arguments: [
            "", "[", "[\"a\"", "[\"a\",]", "[\"o\",1,2]", "[\"o\",\"k\"]", "nul", "\"\\ud800\"", "\"a", "1 2", "NaN",
            "1e999", "[\"d\",\"x\"]", "{}",
        ])
    func othersAreRefused(text: String) {
        #expect(throws: PageValueText.Malformed.self) { try PageValueText.read(text) }
    }

    // spec: WP-13
    @Test("WP-13: integers are exact up to 2^53, and larger numbers are real")
    func integersAreExact() throws {
        #expect(try PageValueText.read("9007199254740992") == .integer(9_007_199_254_740_992))
        #expect(try PageValueText.read("9007199254740994") == .real(9_007_199_254_740_994))
    }

    // spec: WP-13
    @Test("WP-13: a hostile text cannot exhaust the stack")
    func depthIsBounded() {
        let deep = String(repeating: "[\"a\",", count: 100_000)
        let error = #expect(throws: PageValueText.Malformed.self) { try PageValueText.read(deep) }
        #expect(error?.description == "the results are deeper than 32 levels")
    }

    // spec: WP-13
    @Test("WP-13: a hostile text cannot have values without end")
    func valuesAreBounded() throws {
        func list(_ count: Int) -> String { "[\"a\"" + String(repeating: ",[\"a\"]", count: count) + "]" }
        #expect(try PageValueText.read(list(PageBounds.nodes - 1)).array?.count == PageBounds.nodes - 1)
        let error = #expect(throws: PageValueText.Malformed.self) { try PageValueText.read(list(PageBounds.nodes)) }
        #expect(error?.description == "the results have more than \(PageBounds.nodes) values")
    }

    @Test("The harness has the bounds of PageBounds") func theHarnessHasTheBounds() {
        let text = PageJavaScript.harness.text
        #expect(text.contains("mostDepth = \(PageBounds.depth), mostLength = \(PageBounds.value >> 20) * 1024 * 1024,"))
        #expect(text.contains("mostNodes = \(PageBounds.nodes >> 10) * 1024;"))
    }

    // spec: WP-6
    @Test("WP-6: arguments that JavaScript lacks are refused with their path")
    func dataIsRefused() {
        let error = #expect(throws: PageValueText.Malformed.self) {
            try PageValueText.write(.dictionary(["a": .array([.data([1])])]))
        }
        #expect(error?.description == "arguments.a[0] is data, which JavaScript does not have")
    }

    @Test("The questions and answers survive their way")
    func framesReturn() throws {
        let source = PageSource(html: "<p>é", url: "https://example.org/", clock: 5)
        for command in [
            PageCommand.load(source), .run(PageScript("x", name: "y"), limit: 0.5), .finalize(arguments: "1", limit: 2),
            .evaluate(PageScript("", name: "")), .dom, .facts,
        ] {
            let frame = try PageFrame.encode(command)
            #expect(PageFrame.length(frame) == frame.count - PageFrame.header)
            #expect(try PageFrame.decode(PageCommand.self, from: Array(frame.dropFirst(PageFrame.header))) == command)
        }
        for answer in [
            PageAnswer.done(failedLoads: 3), .ending(.results("x"), failedLoads: 0), .ending(.noObject, failedLoads: 1),
            .text(nil, failedLoads: 0), .fault(.script(message: "m", file: "f", line: 1, column: 2, stack: "s")),
        ] {
            let frame = try PageFrame.encode(answer)
            #expect(try PageFrame.decode(PageAnswer.self, from: Array(frame.dropFirst(PageFrame.header))) == answer)
        }
    }
}
