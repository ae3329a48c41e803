// EditedText: a text with an insertion point, and the edits that a keyboard makes in it; a value.

package import PointMessages

/// A text, its selection and its marked part.
///
/// The text is stored in three parts, so an edit costs no more than the characters that it touches.
package struct EditedText: Sendable, Hashable {
    /// The maximum size of a text in UTF-16 units. A keyboard is another process, and could type for ever.
    package static let maximumSize = 1 << 20

    package private(set) var before: String
    package private(set) var selected = ""
    package private(set) var after = ""
    /// The marked UTF-16 units at the end of `before` and at the start of `after`; the selection between them is marked,
    /// too. Nil if nothing is marked.
    private var marked: Marked?

    private struct Marked: Hashable {
        let before, after: Int
    }

    /// Makes a text with the insertion point at its end.
    package init(_ text: String = "") { before = text }

    /// Makes a text with a selection, which may be empty.
    package init(before: String, selected: String, after: String) {
        (self.before, self.selected, self.after) = (before, selected, after)
    }

    package var text: String { before + selected + after }
    var size: Int { before.utf16.count + selected.utf16.count + after.utf16.count }

    /// The selected range in UTF-16 units; empty at the insertion point.
    package var selection: Range<Int> {
        let start = before.utf16.count
        return start..<(start + selected.utf16.count)
    }

    /// The marked text; nil if there is none.
    package var markedText: String? { markedParts.map { $0.before + $0.selected + $0.after } }

    /// The marked text before the selection, in it, and after it; nil if nothing is marked.
    package var markedParts: EditedText? {
        marked.map { marked in
            EditedText(
                before: Self.tail(of: before, units: marked.before), selected: selected,
                after: Self.head(of: after, units: marked.after))
        }
    }

    /// The text without the marked part.
    package var unmarked: EditedText {
        guard let marked else { return self }
        return EditedText(
            before: Self.head(of: before, units: before.utf16.count - marked.before), selected: "",
            after: Self.tail(of: after, units: after.utf16.count - marked.after))
    }

    // MARK: Edits of a keyboard

    /// Performs an edit of a keyboard. Other wishes change nothing.
    ///
    /// - Returns: false if the text would exceed its maximum size. Then nothing is changed.
    package mutating func perform(_ edit: KeysEdit) -> Bool {
        let text = edit.text ?? ""
        let isInsertion = edit.kind == .insert || edit.kind == .mark
        guard !isInsertion || size + text.utf16.count <= Self.maximumSize else { return false }
        switch edit.kind {
        case .insert: insert(text)
        case .delete: deleteBackward()
        case .move: move(by: edit.location ?? 0)
        case .mark: mark(text, edit.location ?? 0, edit.length ?? 0)
        case .unmark: marked = nil
        case .nextInputMode, .inputModeList, .dismiss, .language, .unrecognized: break
        }
        return true
    }

    /// Replaces the selection, and ends the marking (ours).
    mutating func insert(_ text: String) {
        before += text
        selected = ""
        marked = nil
    }

    /// Deletes the selection, or else an extended grapheme cluster, and ends the marking (ours).
    mutating func deleteBackward() {
        if selected.isEmpty, !before.isEmpty { before.removeLast() }
        selected = ""
        marked = nil
    }

    /// Moves the insertion point from the end of the selection in that direction. It stops at the ends of the text, and
    /// passes over the second half of a surrogate pair (ours).
    private mutating func move(by offset: Int) {
        guard offset != 0 else { return }
        let start = offset > 0 ? selection.upperBound : selection.lowerBound
        let all = text
        let (place, overflow) = start.addingReportingOverflow(offset)
        select(overflow ? (offset > 0 ? .max : 0) : place, in: all, forwards: offset > 0)
    }

    private mutating func mark(_ text: String, _ location: Int, _ length: Int) {
        if let marked {
            before = Self.head(of: before, units: before.utf16.count - marked.before)
            after = Self.tail(of: after, units: after.utf16.count - marked.after)
        }
        let size = text.utf16.count
        let start = min(max(location, 0), size)
        let end = start + min(max(length, 0), size - start)
        let first = Self.head(of: text, units: start)
        let last = Self.tail(of: text, units: size - end)
        before += first
        selected = String(text.dropUnits(first.utf16.count, last.utf16.count))
        after = last + after
        marked = text.isEmpty ? nil : Marked(before: first.utf16.count, after: last.utf16.count)
    }

    // MARK: Changes by others

    /// Ends the marking; the marked text stays, and the insertion point is at its end.
    package mutating func keepMarked() {
        guard let parts = markedParts else { return }
        before += parts.selected + parts.after
        after = Self.tail(of: after, units: after.utf16.count - parts.after.utf16.count)
        (selected, marked) = ("", nil)
    }

    /// Selects a range of UTF-16 units, cut to the text and to whole scalars. The marking ends.
    mutating func select(_ range: Range<Int>) {
        let all = text
        let units = all.utf16
        func index(_ offset: Int) -> String.Index {
            Self.scalar(at: units.index(units.startIndex, offsetBy: min(max(offset, 0), units.count)), in: all)
        }
        let (start, end) = (index(range.lowerBound), index(range.upperBound))
        (before, selected, after) = (String(all[..<start]), String(all[start..<end]), String(all[end...]))
        marked = nil
    }

    private mutating func select(_ place: Int, in all: String, forwards: Bool) {
        let units = all.utf16
        var index = units.index(units.startIndex, offsetBy: min(max(place, 0), units.count))
        if forwards, index < units.endIndex, UTF16.isTrailSurrogate(units[index]) { index = units.index(after: index) }
        index = Self.scalar(at: index, in: all)
        (before, selected, after) = (String(all[..<index]), "", String(all[index...]))
        marked = nil
    }

    // MARK: The mirror

    /// Returns the part that a keyboard sees.
    ///
    /// - Parameters:
    ///   - length: the maximum number of UTF-16 units on each side, and of the selection; whole characters count.
    ///   - sequence: the number of the text's last change.
    package func mirror(_ length: Int, _ sequence: Int) -> KeysContext {
        KeysContext(
            sequence: sequence, hasText: !before.isEmpty || !selected.isEmpty || !after.isEmpty,
            before: Self.line(before, length, atEnd: true), selected: Self.start(of: selected, length),
            after: Self.line(after, length, atEnd: false))
    }

    /// Returns the end or the start of a text as far as its paragraph goes; nil if that is empty.
    private static func line(_ text: String, _ length: Int, atEnd: Bool) -> String? {
        var room = length
        guard atEnd else {
            return start(of: String(text.prefix { !$0.isNewline && fits($0, &room) }), length)
        }
        var start = text.endIndex
        while start > text.startIndex {
            let previous = text.index(before: start)
            guard !text[previous].isNewline, fits(text[previous], &room) else { break }
            start = previous
        }
        return start == text.endIndex ? nil : String(text[start...])
    }

    private static func start(of text: String, _ length: Int) -> String? {
        var room = length
        let start = text.prefix { fits($0, &room) }
        return start.isEmpty ? nil : String(start)
    }

    private static func fits(_ character: Character, _ room: inout Int) -> Bool {
        room -= character.utf16.count
        return room >= 0
    }

    // MARK: Parts

    private static func head(of text: String, units: Int) -> String {
        let all = text.utf16
        let end = all.index(all.startIndex, offsetBy: max(units, 0), limitedBy: all.endIndex) ?? all.endIndex
        return String(text[..<scalar(at: end, in: text)])
    }

    private static func tail(of text: String, units: Int) -> String {
        let all = text.utf16
        let start = all.index(all.endIndex, offsetBy: -max(units, 0), limitedBy: all.startIndex) ?? all.startIndex
        return String(text[scalar(at: start, in: text)...])
    }

    /// Returns the index, or the one before it if it is between the two halves of a surrogate pair.
    private static func scalar(at index: String.Index, in text: String) -> String.Index {
        let units = text.utf16
        guard index < units.endIndex, index > units.startIndex, UTF16.isTrailSurrogate(units[index]) else {
            return index
        }
        return units.index(before: index)
    }
}

extension String {
    /// Returns the text without units at its start and at its end.
    fileprivate func dropUnits(_ first: Int, _ last: Int) -> Substring {
        let start = utf16.index(utf16.startIndex, offsetBy: first)
        let end = utf16.index(utf16.endIndex, offsetBy: -last)
        return self[start..<end]
    }
}
