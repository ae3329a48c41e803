// IntentValueTests: the bounds of values of intents, their types, and texts for parameters.

import PointHosts
import PointMessages
import Testing

@Suite struct IntentValueTests {
    /// A record in a record, and so on.
    private static func nested(_ depth: Int) -> IntentValue {
        (0..<depth).reduce(.text("x")) { value, _ in .record("person", ["name": value]) }
    }

    @Test func wordsOfNestedRecordsTakeOneTurnForEachLevel() {
        #expect(Self.nested(60).words == "x")
        #expect(IntentValue.record("note", [:]).words == "note")
    }

    @Test func theDepthOfAValueIsKnown() {
        #expect(!Self.nested(16).isDeeper(than: 16) && Self.nested(17).isDeeper(than: 16))
        #expect(IntentValue.list([Self.nested(16)]).isDeeper(than: 16))
        #expect(!IntentValue.text("x").isDeeper(than: 0))
    }

    @Test func theSizeOfAValueCountsItsBytes() {
        let long = String(repeating: "a", count: 640)
        #expect(IntentValue.text("a").size == 1 && IntentValue.text(long).size == 11)
        #expect(IntentValue.url(long).size == 11 && IntentValue.data(Array(repeating: 0, count: 640)).size == 11)
        #expect(IntentValue.components([long: 1]).size == 12)
        #expect(IntentValue.record(long, [long: .integer(1)]).size == 22)
    }

    @Test func aSetHasAnyOfItsCases() {
        let cases = ["read": 1, "unread": 2, "flagged": 4]
        let options = IntentType(.enumeration, cases: cases, isSet: true)
        for number in [0, 1, 3, 7] { #expect(options.holds(.integer(number)), "\(number)") }
        for number in [8, 9, -1] { #expect(!options.holds(.integer(number)), "\(number)") }
        let list = IntentType(.enumeration, isList: true, cases: cases, isSet: true)
        #expect(list.holds(.list([.integer(3)])))
        #expect(!IntentType(.enumeration, cases: cases).holds(.integer(3)))
        #expect(IntentInput.texts(["3"]).value(of: options) == .integer(3))
        #expect(IntentInput.texts(["8"]).value(of: options) == nil)
    }

    @Test(arguments: ["range", "time", "recurrence", "money", "file", "image"])
    func aTextIsNoRecordThatItDoesNotDescribe(kind: String) {
        #expect(IntentInput.texts(["x"]).value(of: IntentType(.record, record: kind)) == nil)
    }
}
