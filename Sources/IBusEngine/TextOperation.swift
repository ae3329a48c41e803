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

    /// Returns operations with the same effect: texts that are committed one after the other become one.
    static func merged(_ operations: [TextOperation]) -> [TextOperation] {
        var merged: [TextOperation] = []
        var text = ""
        for operation in operations {
            if case .commit(let more) = operation {
                text += more
                continue
            }
            if !text.isEmpty { merged.append(.commit(text)) }
            text = ""
            merged.append(operation)
        }
        return text.isEmpty ? merged : merged + [.commit(text)]
    }

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

    /// The maximum number of keys that one edit presses.
    static let keyLimit = 1024

    /// Returns the operations by which the program's text follows an edit of the field.
    func operations(for edit: KeyboardHost.PerformedEdit) -> [TextOperation] {
        let marked = edit.before.markedParts
        switch edit.edit.kind {
        case .insert:
            let text = edit.edit.text ?? ""
            if let marked { return ending(marked.before + text, marked.after) }
            return text.isEmpty ? deletingSelection(edit.before) : [.commit(text)]
        case .delete:
            if let marked { return deleting(in: marked, edit.before) }
            if !edit.before.selected.isEmpty { return deletingSelection(edit.before) }
            return deletingBackward(edit.before)
        case .move: return moving(edit, marked)
        case .mark:
            let begun = marked == nil ? deletingSelection(edit.before) : []
            guard let new = edit.after.markedParts else { return begun + (marked == nil ? [] : [.hideMarked]) }
            let start = new.before.unicodeScalars.count
            let end = start + new.selected.unicodeScalars.count
            return begun + [
                .showMarked(new.before + new.selected + new.after, cursor: end, selection: start..<end)
            ]
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
        var operations = ending(rest, marked.after)
        if deleted > inside {
            operations.insert(
                isReported
                    ? .delete(offset: inside - deleted, count: deleted - inside) : .press(.backspace, times: 1), at: 1)
        }
        return operations
    }

    private func deletingSelection(_ text: EditedText) -> [TextOperation] {
        let count = text.selected.unicodeScalars.count
        guard count > 0 else { return [] }
        guard isReported else { return [.press(.backspace, times: 1)] }
        return [.delete(offset: selectsBackward ? 0 : -count, count: count)]
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
        } else if !edit.before.selected.isEmpty {
            // The first key takes programs to the end of the selection.
            keys = 1
        }
        let target = edit.after.selection.lowerBound
        let text = edit.after.text
        let units = text.utf16
        func index(_ place: Int) -> String.Index {
            units.index(units.startIndex, offsetBy: min(max(place, 0), units.count))
        }
        keys += text[index(min(place, target))..<index(max(place, target))].count
        if keys > 0 {
            operations.append(.press(target < place || offset < 0 ? .left : .right, times: min(keys, Self.keyLimit)))
        }
        return operations
    }
}
