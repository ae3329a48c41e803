// TextOperationTests: the edits of a keyboard, performed on a program's text by IBus's operations.

import PointMessages
import Testing

@testable import IBusEngine
@testable import PointHosts

/// A text field of a program, as GTK and Qt have it: it performs operations as IBus defines them.
struct ProgramField {
    /// Scalars before and after the insertion point; the selection is between them.
    var before: [Unicode.Scalar] = []
    var selected: [Unicode.Scalar] = []
    var after: [Unicode.Scalar] = []
    var marked = ""
    var selectsBackward = false

    init(_ text: EditedText) {
        before = Array(text.before.unicodeScalars)
        selected = Array(text.selected.unicodeScalars)
        after = Array(text.after.unicodeScalars)
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    /// The text with the marked part, as a person sees it.
    var text: String { Self.string(before) + marked + Self.string(selected) + Self.string(after) }
    var place: Int { (Self.string(before) + marked).utf16.count }

    mutating func perform(_ operation: TextOperation) {
        switch operation {
        case .commit(let text):
            before += Array(text.unicodeScalars)
            selected = []
        case .delete(let offset, let count):
            let all = before + selected + after
            let cursor = before.count + (selectsBackward ? 0 : selected.count)
            let start = cursor + offset
            #expect(start >= 0 && start + count <= all.count, "outside of the text")
            let rest = all[..<start] + all[(start + count)...]
            let place = start <= before.count ? start : before.count
            (before, selected, after) = (Array(rest[..<place]), [], Array(rest[place...]))
        case .showMarked(let text, let cursor, let selection):
            #expect((0...text.unicodeScalars.count).contains(cursor) && selection.upperBound == cursor)
            marked = text
        case .hideMarked: marked = ""
        case .press(let key, let times):
            for _ in 0..<times { press(key) }
        }
    }

    private mutating func press(_ key: TextOperation.ForwardedKey) {
        switch key {
        case .backspace:
            if selected.isEmpty, let last = Self.string(before).last { before.removeLast(last.unicodeScalars.count) }
            selected = []
        case .left:
            if !selected.isEmpty {
                after = selected + after
            } else if let last = Self.string(before).last {
                after = before.suffix(last.unicodeScalars.count) + after
                before.removeLast(last.unicodeScalars.count)
            }
            selected = []
        case .right:
            if !selected.isEmpty {
                before += selected
            } else if let first = Self.string(after).first {
                before += after.prefix(first.unicodeScalars.count)
                after.removeFirst(first.unicodeScalars.count)
            }
            selected = []
        }
    }
}

@Suite struct TextOperationTests {
    private static func performed(_ edit: KeysEdit, _ text: inout EditedText) -> KeyboardHost.PerformedEdit {
        let before = text
        let isPerformed = text.perform(edit)
        #expect(isPerformed)
        return KeyboardHost.PerformedEdit(edit: edit, document: "", before: before, after: text)
    }

    private static func operations(
        _ edits: [KeysEdit], _ text: EditedText, isReported: Bool = true
    ) -> [TextOperation] {
        var text = text
        let program = ProgramText(isReported: isReported)
        return edits.flatMap { program.operations(for: performed($0, &text)) }
    }

    // spec: KB-26
    @Test func insertionsAreCommitsAndDeletionsCountScalars() {
        #expect(Self.operations([KeysEdit(.insert, text: "é")], EditedText("a")) == [.commit("é")])
        #expect(Self.operations([KeysEdit(.delete)], EditedText("ab")) == [.delete(offset: -1, count: 1)])
        #expect(Self.operations([KeysEdit(.delete)], EditedText("e\u{301}")) == [.delete(offset: -2, count: 2)])
        #expect(Self.operations([KeysEdit(.delete)], EditedText("👩‍👧‍👦")) == [.delete(offset: -5, count: 5)])
        let selection = EditedText(before: "a", selected: "bcd", after: "e")
        #expect(Self.operations([KeysEdit(.delete)], selection) == [.delete(offset: -3, count: 3)])
        #expect(Self.operations([KeysEdit(.insert, text: "")], selection) == [.delete(offset: -3, count: 3)])
        var backward = ProgramText(isReported: true)
        backward.selectsBackward = true
        var text = selection
        #expect(
            backward.operations(for: Self.performed(KeysEdit(.delete), &text)) == [.delete(offset: 0, count: 3)])
    }

    @Test func textsInARowAreOneCommit() {
        let all: [TextOperation] = [
            .commit("a"), .commit("b"), .hideMarked, .commit("c"), .delete(offset: -1, count: 1),
        ]
        #expect(
            TextOperation.merged(all) == [.commit("ab"), .hideMarked, .commit("c"), .delete(offset: -1, count: 1)])
        #expect(TextOperation.merged([.commit("a"), .commit("b")]) == [.commit("ab")])
        #expect(TextOperation.merged([]) == [])
    }

    @Test func aProgramWithoutReportsGetsTheKeyOfAPerson() {
        for text in [EditedText(), EditedText("ab"), EditedText(before: "a", selected: "b", after: "")] {
            #expect(
                Self.operations([KeysEdit(.delete)], text, isReported: false) == [.press(.backspace, times: 1)])
        }
        // Before a known text there may be more.
        #expect(Self.operations([KeysEdit(.delete)], EditedText()) == [.press(.backspace, times: 1)])
    }

    @Test func movesAreKeysOfWholeCharacters() {
        #expect(Self.operations([KeysEdit(.move, location: -2)], EditedText("a👩")) == [.press(.left, times: 1)])
        let middle = EditedText(before: "", selected: "", after: "é👩b")
        #expect(Self.operations([KeysEdit(.move, location: 100)], middle) == [.press(.right, times: 3)])
        #expect(Self.operations([KeysEdit(.move, location: -1)], middle) == [])
        #expect(Self.operations([KeysEdit(.move, location: 0)], middle) == [])
        let long = EditedText(String(repeating: "a", count: 5000))
        #expect(
            Self.operations([KeysEdit(.move, location: -5000)], long) == [
                .press(.left, times: ProgramText.keyLimit)
            ])
    }

    @Test func markedTextIsShownAndThenCommitted() {
        let mark = KeysEdit(.mark, text: "nihon", location: 3, length: 2)
        #expect(
            Self.operations([mark], EditedText("go ")) == [.showMarked("nihon", cursor: 5, selection: 3..<5)])
        #expect(
            Self.operations([mark, KeysEdit(.insert, text: "a")], EditedText("go ")).suffix(2) == [
                .hideMarked, .commit("niha"),
            ])
        #expect(
            Self.operations([mark, KeysEdit(.unmark)], EditedText()).suffix(2) == [.hideMarked, .commit("nihon")])
        #expect(Self.operations([mark, KeysEdit(.mark, text: "")], EditedText()).last == .hideMarked)
        let selection = EditedText(before: "a", selected: "bc", after: "")
        #expect(Self.operations([mark], selection).first == .delete(offset: -2, count: 2))
        // The insertion point within the marked text.
        let early = KeysEdit(.mark, text: "nihon", location: 2, length: 0)
        #expect(
            Self.operations([early, KeysEdit(.insert, text: "!")], EditedText()).suffix(3) == [
                .hideMarked, .commit("ni!hon"), .press(.left, times: 3),
            ])
    }

    /// The field of the host is the model: KB-23 compares it with another one.
    @Test("random edits give a program the text of the field", arguments: 0..<40)
    func randomEdits(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let texts = ["a", "é", "e\u{301}", "👩‍👧", "日本", "two words", "\n", ""]
        for isReported in [true, false] {
            var text = EditedText("start")
            var field = ProgramField(text)
            let program = ProgramText(isReported: isReported)
            for _ in 0..<300 {
                let word = texts[Int(random.next() % UInt64(texts.count))]
                let kinds: [KeysEdit] = [
                    KeysEdit(.insert, text: word), KeysEdit(.insert, text: word), KeysEdit(.delete),
                    KeysEdit(.delete), KeysEdit(.move, location: Int(random.next() % 9) - 4),
                    KeysEdit(.mark, text: word, location: Int(random.next() % 3), length: 0), KeysEdit(.unmark),
                ]
                let edit = kinds[Int(random.next() % UInt64(kinds.count))]
                let performed = Self.performed(edit, &text)
                // Places within a character are no places of a program.
                guard Self.isWhole(text), Self.isWhole(performed.before) else {
                    text = EditedText("start")
                    field = ProgramField(text)
                    continue
                }
                for operation in program.operations(for: performed) { field.perform(operation) }
                #expect(field.text == text.text, "\(edit)")
                if text.markedText == nil { #expect(field.place == text.selection.lowerBound, "\(edit)") }
                if field.text != text.text { return }
            }
        }
    }

    /// Whether the insertion point and the ends of the marked text are between two characters.
    private static func isWhole(_ text: EditedText) -> Bool {
        let around = text.unmarked
        let parts = text.markedParts
        let pieces = [around.before, parts?.before ?? "", parts?.after ?? "", around.after]
        return text.text.count == pieces.map(\.count).reduce(0, +)
    }
}

/// A generator with a seed (splitmix64).
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
