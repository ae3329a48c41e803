// ReportedTextTests: reports of a program's text, those of own edits and those of others.

import PointMessages
import Testing

@testable import IBusEngine
@testable import PointHosts

@Suite struct ReportedTextTests {
    private func expect(
        _ reported: inout ReportedText, _ report: EditedText, _ meaning: ReportedText.Meaning,
        at location: SourceLocation = #_sourceLocation
    ) {
        let taken = reported.take(report)
        #expect(taken == meaning, sourceLocation: location)
    }

    private func state(_ text: String) -> KeysContext { ReportedText.compared(EditedText(text)) }

    @Test func reportsOfOwnEditsAreKnownAlsoWhenTheyAreLate() {
        var reported = ReportedText()
        expect(&reported, EditedText("a"), .changed(EditedText("a"), isMove: false))
        for text in ["ab", "abc", "abcd"] { reported.given(state(text)) }
        expect(&reported, EditedText("a"), .known)
        expect(&reported, EditedText("ab"), .known)
        // One report for two edits.
        expect(&reported, EditedText("abcd"), .known)
        expect(&reported, EditedText("abcd"), .known)
        expect(&reported, EditedText("abc"), .changed(EditedText("abc"), isMove: false))
    }

    @Test func anotherChangeIsAdoptedAndMovesAreToldApart() {
        var reported = ReportedText()
        _ = reported.take(EditedText("word"))
        let moved = EditedText(before: "wo", selected: "", after: "rd")
        expect(&reported, moved, .changed(moved, isMove: true))
        reported.given(ReportedText.compared(EditedText(before: "wox", selected: "", after: "rd")))
        // A program that corrects the word by itself.
        expect(&reported, EditedText("Word"), .changed(EditedText("Word"), isMove: false))
    }

    @Test func markedTextIsNoPartOfAReport() {
        var reported = ReportedText()
        _ = reported.take(EditedText("go "))
        var marked = EditedText("go ")
        let isPerformed = marked.perform(KeysEdit(.mark, text: "ni", location: 2, length: 0))
        #expect(isPerformed)
        reported.given(ReportedText.compared(marked))
        expect(&reported, EditedText("go "), .known)
    }

    @Test func theHistoryIsBounded() {
        var reported = ReportedText()
        for number in 0..<1000 { reported.given(state("\(number)")) }
        expect(&reported, EditedText("5"), .changed(EditedText("5"), isMove: false))
        expect(&reported, EditedText("900"), .changed(EditedText("900"), isMove: false))
    }

    @Test func positionsAreScalarsAndMustBeInTheText() {
        let text = ReportedText.text("ae\u{301}👩b", cursor: 4, anchor: 1)
        #expect(text == EditedText(before: "a", selected: "e\u{301}👩", after: "b"))
        #expect(ReportedText.text("ab", cursor: 2, anchor: 2) == EditedText("ab"))
        #expect(ReportedText.text("ab", cursor: 3, anchor: 0) == nil)
        #expect(ReportedText.text("ab", cursor: 0, anchor: Int(UInt32.max)) == nil)
        #expect(ReportedText.text("", cursor: 0, anchor: 0) == EditedText())
    }

    @Test func longTextsAreCutAroundTheInsertionPoint() {
        let long = String(repeating: "é", count: 100_000)
        let text = ReportedText.text(long, cursor: 50_000, anchor: 50_001)
        #expect(text?.before.count == ReportedText.maximumLength && text?.after.count == ReportedText.maximumLength)
        #expect(text?.selected == "é")
        // Nothing is known of a selection that is too long.
        #expect(ReportedText.text(long, cursor: 0, anchor: 100_000) == EditedText())
    }
}
