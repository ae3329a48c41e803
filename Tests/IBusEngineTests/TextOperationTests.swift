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
        var (text, program) = (text, ProgramText(isReported: isReported))
        return edits.flatMap { program.translate(performed($0, &text)) }
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
            backward.translate(Self.performed(KeysEdit(.delete), &text)) == [.delete(offset: 0, count: 3)])
    }

    @Test func textsInARowAreOneCommit() {
        let all: [TextOperation] = [
            .commit("a"), .commit("b"), .hideMarked, .commit("c"), .delete(offset: -1, count: 1),
        ]
        #expect(Self.merged(all) == [.commit("ab"), .hideMarked, .commit("c"), .delete(offset: -1, count: 1)])
        #expect(Self.merged([.commit("a"), .commit("b"), .commit("")]) == [.commit("ab")])
        #expect(Self.merged([]) == [])
        let shown = TextOperation.showMarked("a", cursor: 1, selection: 1..<1)
        #expect(Self.merged([.hideMarked, shown, .hideMarked]) == [.hideMarked])
        #expect(
            Self.merged([.press(.left, times: 1), .press(.left, times: 2), .press(.right, times: 1)]) == [
                .press(.left, times: 3), .press(.right, times: 1),
            ])
    }

    private static func merged(_ operations: [TextOperation]) -> [TextOperation] {
        var list = OperationList()
        for operation in operations {
            let isAppended = list.append(operation)
            #expect(isAppended)
        }
        return list.all
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
        for isReported in [true, false] {
            var text = EditedText("start")
            var field = ProgramField(text)
            var program = ProgramText(isReported: isReported)
            for _ in 0..<300 {
                let edit = Self.edit(&random)
                let performed = Self.performed(edit, &text)
                // Places within a character are no places of a program.
                guard Self.isWhole(text), Self.isWhole(performed.before) else {
                    text = EditedText("start")
                    (field, program.hasCollapsed) = (ProgramField(text), false)
                    continue
                }
                for operation in program.translate(performed) { field.perform(operation) }
                Self.expect(field, text, program.hasCollapsed, "\(edit)")
                if field.text != text.text { return }
            }
        }
    }

    @Test("random edits in one turn give a program the text of the field, with keys at the end", arguments: 0..<40)
    func randomTurns(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for isReported in [true, false] {
            var text = EditedText("start")
            var field = ProgramField(text)
            var program = ProgramText(isReported: isReported)
            for _ in 0..<200 {
                var batch = EditBatch()
                var edits: [KeysEdit] = []
                var isWhole = true
                for _ in 0...(random.next() % 6) {
                    edits.append(Self.edit(&random))
                    let performed = Self.performed(edits[edits.count - 1], &text)
                    isWhole = isWhole && Self.isWhole(performed.before) && Self.isWhole(text)
                    batch.add(performed, to: &program)
                }
                guard isWhole else {
                    text = EditedText("start")
                    (field, program.hasCollapsed) = (ProgramField(text), false)
                    continue
                }
                let operations = batch.operations
                if isReported, text.markedText == nil { #expect(!operations.hasKeyBeforeText, "\(operations)") }
                for operation in operations { field.perform(operation) }
                #expect(batch.needsMove == program.hasCollapsed)
                Self.expect(field, text, program.hasCollapsed, "\(edits)")
                if field.text != text.text { return }
            }
        }
    }

    private static func edit(_ random: inout SplitMix) -> KeysEdit {
        let texts = ["a", "é", "e\u{301}", "👩‍👧", "日本", "two words", "\n", ""]
        let word = texts[Int(random.next() % UInt64(texts.count))]
        let (location, length) = (Int(random.next() % 3), Int(random.next() % 4))
        let kinds: [KeysEdit] = [
            KeysEdit(.insert, text: word), KeysEdit(.insert, text: word), KeysEdit(.delete), KeysEdit(.delete),
            KeysEdit(.move, location: Int(random.next() % 9) - 4),
            KeysEdit(.mark, text: word, location: location, length: length), KeysEdit(.unmark),
        ]
        return kinds[Int(random.next() % UInt64(kinds.count))]
    }

    private static func expect(
        _ field: ProgramField, _ text: EditedText, _ hasCollapsed: Bool, _ comment: Comment,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(field.text == text.text, comment, sourceLocation: location)
        guard text.markedText == nil else { return }
        let place = hasCollapsed ? text.selection.upperBound : text.selection.lowerBound
        #expect(field.place == place, comment, sourceLocation: location)
    }

    /// Whether the ends of the selection and of the marked text are between two characters.
    private static func isWhole(_ text: EditedText) -> Bool {
        var pieces = [text.before, text.selected, text.after]
        if let parts = text.markedParts {
            pieces = [text.unmarked.before, parts.before, parts.selected, parts.after, text.unmarked.after]
        }
        return text.text.count == pieces.map(\.count).reduce(0, +)
    }

    // MARK: Edits in one turn

    private static func batch(
        _ edits: [KeysEdit], _ text: EditedText, isReported: Bool = true
    ) -> EditBatch {
        var (text, program, batch) = (text, ProgramText(isReported: isReported), EditBatch())
        for edit in edits { batch.add(performed(edit, &text), to: &program) }
        return batch
    }

    @Test func aSelectionThatIsNoLongerMarkedIsReplaced() {
        let mark = KeysEdit(.mark, text: "nihon", location: 3, length: 2)
        for (edits, text) in [
            ([KeysEdit(.insert, text: "!")], "nih!"), ([KeysEdit(.delete)], "nih"),
            ([KeysEdit(.mark, text: "")], "nih"),
        ] {
            for isReported in [true, false] {
                let operations = Self.batch([mark, KeysEdit(.unmark)] + edits, EditedText(), isReported: isReported)
                    .operations
                #expect(operations.keyCount == 0, "\(operations)")
                var field = ProgramField(EditedText())
                for operation in operations { field.perform(operation) }
                #expect(field.text == text)
            }
        }
        #expect(Self.batch([mark, KeysEdit(.unmark)], EditedText()).needsMove)
        // A selection of the program is no marked text.
        #expect(!Self.batch([KeysEdit(.unmark)], EditedText(before: "a", selected: "b", after: "")).needsMove)
    }

    @Test func textIsReplacedInPlaceOfKeysBeforeIt() {
        let edits = [
            KeysEdit(.move, location: -4), KeysEdit(.insert, text: "!"), KeysEdit(.move, location: 1),
        ]
        #expect(
            Self.batch(edits, EditedText("one two")).operations == [
                .delete(offset: -4, count: 4), .commit("! two"), .press(.left, times: 3),
            ])
        // A program without reports deletes nothing but by keys.
        #expect(
            Self.batch(edits, EditedText("one two"), isReported: false).operations == [
                .press(.left, times: 4), .commit("!"), .press(.right, times: 1),
            ])
        let back = [KeysEdit(.move, location: -2), KeysEdit(.move, location: 2), KeysEdit(.insert, text: "!")]
        #expect(Self.batch(back, EditedText("one"), isReported: false).operations == [.commit("!")])
    }

    @Test func returnAndBackspaceAreLeftToTheProgramWhichDoesThemItself() throws {
        let line = KeysEdit(.insert, text: "\n")
        let alone = try #require(Self.batch([line], EditedText("a")).remainder(of: .character("\n")))
        #expect(alone.operations == [] && alone.states == [] && alone.text == EditedText("a"))
        // The program has a selection until it takes the key.
        let selection = EditedText(before: "a", selected: "b", after: "c")
        #expect(try #require(Self.batch([line], selection).remainder(of: .character("\n"))).text == selection)
        let corrected = try #require(
            Self.batch([KeysEdit(.delete), KeysEdit(.insert, text: "e"), line], EditedText("tha"))
                .remainder(of: .character("\n")))
        #expect(corrected.operations == [.delete(offset: -1, count: 1), .commit("e")])
        #expect(corrected.text == EditedText("the"))
        #expect(corrected.states.last == ReportedText.compared(EditedText("the")))
        let marked = try #require(
            Self.batch([KeysEdit(.mark, text: "ni", location: 2, length: 0), line], EditedText("go "))
                .remainder(of: .character("\n")))
        #expect(marked.operations == [.hideMarked, .commit("ni")] && marked.text == EditedText("go ni"))
        // Another key that writes a line, several lines, and a key Return that writes none.
        #expect(Self.batch([line], EditedText()).remainder(of: .character("a")) == nil)
        #expect(Self.batch([KeysEdit(.insert, text: "a\n\n")], EditedText()).remainder(of: .character("\n")) == nil)
        #expect(Self.batch([KeysEdit(.insert, text: "a")], EditedText()).remainder(of: .character("\n")) == nil)
        #expect(Self.batch([], EditedText()).remainder(of: .character("\n")) == nil)

        let deletion = try #require(
            Self.batch([KeysEdit(.delete)], EditedText("ab"), isReported: false).remainder(of: .delete))
        #expect(deletion.operations == [] && deletion.text == nil)
        #expect(deletion.states == [ReportedText.compared(EditedText("a"))])
        #expect(Self.batch([KeysEdit(.delete)], EditedText("ab")).remainder(of: .delete) == nil)
        let words = Self.batch([KeysEdit(.delete), KeysEdit(.delete)], EditedText("ab"), isReported: false)
        #expect(words.remainder(of: .delete) == nil)
    }

    @Test func aBatchIsBoundedInAllItsSizes() {
        let long = String(repeating: "a", count: 300_000)
        let mark = KeysEdit(.mark, text: long, location: 0, length: 0)
        let insertion = KeysEdit(.insert, text: long)
        #expect(!Self.batch([insertion], EditedText()).isIncomplete)
        // Twice as many bytes as a field's units.
        let wide = KeysEdit(.insert, text: String(repeating: "é", count: 300_000))
        let size = Self.batch([wide, wide], EditedText())
        #expect(size.isIncomplete && size.operations == [] && size.states == [] && size.before == EditedText())
        // Only the last of them is shown.
        let marks = Self.batch(Array(repeating: mark, count: 30) + [KeysEdit(.mark, text: "b")], EditedText())
        #expect(!marks.isIncomplete && marks.operations == [.showMarked("b", cursor: 0, selection: 0..<0)])
        let move = KeysEdit(.move, location: -1000)
        #expect(!Self.batch([move], EditedText(long)).isIncomplete)
        #expect(Self.batch([move, move], EditedText(long)).isIncomplete)
        let letters = Array(repeating: KeysEdit(.insert, text: "a"), count: EditBatch.editLimit)
        #expect(!Self.batch(letters, EditedText()).isIncomplete)
        #expect(Self.batch(letters + [KeysEdit(.insert, text: "a")], EditedText()).isIncomplete)
    }

    @Test func nothingIsPerformedAfterALostOperation() {
        let all: [TextOperation] = [.hideMarked, .commit("a"), .delete(offset: -1, count: 1)]
        var performed: [TextOperation] = []
        let count = all.performed { operation in
            guard operation != .commit("a") else { return false }
            performed.append(operation)
            return true
        }
        #expect(count == 1 && performed == [.hideMarked])
        #expect(all.performed { _ in true } == 3)
        #expect(all.performed { _ in false } == 0)
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
