// TextOperation: the edits of a keyboard as operations on the text of another program; values.

import PointHosts
import PointMessages

/// An operation on the text of a program, in IBus's words. Positions count Unicode scalars.
enum TextOperation: Sendable, Hashable {
    /// Replaces the selection.
    case commit(String)
    /// Deletes `count` scalars from `offset` on, which counts from the insertion point.
    case delete(offset: Int, count: Int)
    /// Shows marked text, with the insertion point and the selection in it.
    case showMarked(String, cursor: Int, selection: Range<Int>)
    case hideMarked
    /// Presses and releases a key of the program.
    case press(ForwardedKey, times: Int)

    /// A key that a program understands without an engine.
    enum ForwardedKey: Sendable, Hashable {
        case backspace, left, right
    }
}

/// The facts about a program that decide how its text is edited.
struct ProgramText: Sendable, Hashable {
    /// Whether the program reports its text, and deletes parts of it. Others get the keys of a person instead.
    var isReported = false
    /// Whether the insertion point is at the start of the selection.
    var selectsBackward = false
    /// Whether the field's selection is an insertion point in the program, at the selection's end. IBus selects nothing,
    /// so this is the case when marked text with a selection is no longer marked.
    var hasCollapsed = false

    /// The maximum number of keys that one edit presses.
    static let keyLimit = 1024

    /// Returns the operations of an edit, and notes what becomes of its selection.
    mutating func translate(_ edit: KeyboardHost.PerformedEdit) -> [TextOperation] {
        defer {
            hasCollapsed =
                !edit.after.selected.isEmpty && edit.after.markedText == nil
                && (hasCollapsed || edit.before.markedText != nil)
        }
        return operations(for: edit)
    }

    /// Returns the operations by which the program's text follows an edit of the field.
    private func operations(for edit: KeyboardHost.PerformedEdit) -> [TextOperation] {
        let marked = edit.before.markedParts
        switch edit.edit.kind {
        case .insert:
            let text = edit.edit.text ?? ""
            if let marked { return ending(marked.before + text, marked.after) }
            if text.isEmpty { return deletingSelection(edit.before) }
            return (hasCollapsed ? deletingSelection(edit.before) : []) + [.commit(text)]
        case .delete:
            if let marked { return deleting(in: marked, edit.before) }
            if !edit.before.selected.isEmpty { return deletingSelection(edit.before) }
            return deletingBackward(edit.before)
        case .move: return moving(edit, marked)
        case .mark:
            let begun = marked == nil ? deletingSelection(edit.before) : []
            guard let new = edit.after.markedParts else { return begun + (marked == nil ? [] : [.hideMarked]) }
            return begun + [.showing(new)]
        case .unmark: return marked.map { ending($0.before + $0.selected, $0.after) } ?? []
        case .nextInputMode, .inputModeList, .dismiss, .language, .unrecognized: return []
        }
    }

    /// Commits what was marked. The insertion point stays between both parts.
    private func ending(_ before: String, _ after: String) -> [TextOperation] {
        var operations = [TextOperation.hideMarked]
        if !before.isEmpty || !after.isEmpty { operations.append(.commit(before + after)) }
        if !after.isEmpty { operations.append(.press(.left, times: min(after.count, Self.keyLimit))) }
        return operations
    }

    private func deleting(in marked: EditedText, _ text: EditedText) -> [TextOperation] {
        if !marked.selected.isEmpty { return ending(marked.before, marked.after) }
        let deleted = text.before.suffix(1).unicodeScalars.count
        let inside = min(deleted, marked.before.unicodeScalars.count)
        let rest = String(String.UnicodeScalarView(marked.before.unicodeScalars.dropLast(inside)))
        guard deleted > inside else { return ending(rest, marked.after) }
        if isReported {
            let deletion = TextOperation.delete(offset: inside - deleted, count: deleted - inside)
            return [.hideMarked, deletion] + ending(rest, marked.after).dropFirst()
        }
        // The marked text before the insertion point is a part of the deleted character.
        return ending("", marked.after) + [.press(.backspace, times: 1)]
    }

    private func deletingSelection(_ text: EditedText) -> [TextOperation] {
        let count = text.selected.unicodeScalars.count
        guard count > 0 else { return [] }
        guard isReported else {
            return [.press(.backspace, times: hasCollapsed ? min(text.selected.count, Self.keyLimit) : 1)]
        }
        return [.delete(offset: selectsBackward && !hasCollapsed ? 0 : -count, count: count)]
    }

    private func deletingBackward(_ text: EditedText) -> [TextOperation] {
        // Before the known text there may be more.
        let count = text.before.suffix(1).unicodeScalars.count
        guard isReported, count > 0 else { return [.press(.backspace, times: 1)] }
        return [.delete(offset: -count, count: count)]
    }

    private func moving(_ edit: KeyboardHost.PerformedEdit, _ marked: EditedText?) -> [TextOperation] {
        let offset = edit.edit.location ?? 0
        guard offset != 0 else { return [] }
        var operations: [TextOperation] = []
        // In UTF-16 units, as all places of the field.
        var place = offset > 0 ? edit.before.selection.upperBound : edit.before.selection.lowerBound
        var keys = 0
        if let marked {
            operations = [.hideMarked, .commit(marked.before + marked.selected + marked.after)]
            place = edit.before.selection.upperBound + marked.after.utf16.count
        } else if hasCollapsed {
            place = edit.before.selection.upperBound
        } else if !edit.before.selected.isEmpty {
            // The first key takes programs to the end of the selection.
            keys = 1
        }
        let target = edit.after.selection.lowerBound
        keys += Self.distance(place, target, in: edit.after.text)
        if keys > 0 {
            operations.append(.press(target < place || offset < 0 ? .left : .right, times: min(keys, Self.keyLimit)))
        }
        return operations
    }

    /// Returns the number of characters between two places in UTF-16 units.
    private static func distance(_ first: Int, _ second: Int, in text: String) -> Int {
        let units = text.utf16
        func index(_ place: Int) -> String.Index {
            units.index(units.startIndex, offsetBy: min(max(place, 0), units.count))
        }
        return text[index(min(first, second))..<index(max(first, second))].count
    }

    // MARK: Edits in a row

    /// Returns operations that replace the part of a text in which it differs from another one.
    ///
    /// Keys come last, and only take the insertion point to its place.
    ///
    /// - Parameter selects: whether the selection of the new text is selected in the program, too.
    /// - Returns: nil if the program's text cannot be replaced.
    func operations(from old: EditedText, to new: EditedText, selects: Bool) -> [TextOperation]? {
        let wasMarked = old.markedText != nil
        let from = wasMarked ? old.unmarked : hasCollapsed ? Self.collapsed(old) : old
        let isMarked = new.markedText != nil
        let to = isMarked ? new.unmarked : selects ? new : Self.collapsed(new)
        // IBus selects nothing.
        guard to.selected.isEmpty else { return nil }
        // The insertion point and the selection are within the replaced part.
        let written = Array(to.text)
        let head = Self.commonCount(from.before, written)
        let tail = Self.commonCount(from.after.reversed(), written[head...].reversed())
        let inserted = String(written[head..<(written.count - tail)])
        let left = from.before.dropFirst(head).unicodeScalars.count
        let right = from.after.dropLast(tail).unicodeScalars.count
        let selected = from.selected.unicodeScalars.count
        var operations: [TextOperation] = []
        if left + right > 0 || (selected > 0 && inserted.isEmpty) {
            guard isReported else { return nil }
            let offset = -left - (selectsBackward ? 0 : selected)
            operations.append(.delete(offset: offset, count: left + selected + right))
        }
        if !inserted.isEmpty { operations.append(.commit(inserted)) }
        let place = String(written.dropLast(tail)).utf16.count
        let target = to.selection.lowerBound
        let keys = Self.distance(place, target, in: to.text)
        guard keys <= Self.keyLimit else { return nil }
        if keys > 0 { operations.append(.press(target < place ? .left : .right, times: keys)) }
        if wasMarked { operations.insert(.hideMarked, at: 0) }
        return operations + (new.markedParts.map { [.showing($0)] } ?? [])
    }

    /// Returns a text with the insertion point at the end of its selection.
    private static func collapsed(_ text: EditedText) -> EditedText {
        EditedText(before: text.before + text.selected, selected: "", after: text.after)
    }

    /// Returns the number of characters at the start that have the same scalars.
    private static func commonCount(
        _ first: some Sequence<Character>, _ second: some Sequence<Character>
    ) -> Int {
        var count = 0
        for (one, other) in zip(first, second) {
            guard one.unicodeScalars.elementsEqual(other.unicodeScalars) else { break }
            count += 1
        }
        return count
    }
}

extension TextOperation {
    /// Shows marked text with its selection.
    fileprivate static func showing(_ parts: EditedText) -> TextOperation {
        let start = parts.before.unicodeScalars.count
        let end = start + parts.selected.unicodeScalars.count
        return .showMarked(parts.before + parts.selected + parts.after, cursor: end, selection: start..<end)
    }
}
