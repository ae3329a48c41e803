// EditInbox: the edits of a keyboard on their way to the program, as operations on its text.

import Locks
import PointHosts
import PointMessages

/// Takes edits on any thread, in order, and gives them to the loop.
final class EditInbox: Sendable {
    /// The maximum number of edits that wait. A key that makes more is not handled.
    static let limit = 2048

    /// The operations of one edit, and the state after it.
    struct Entry: Sendable {
        let operations: [TextOperation]
        let state: KeysContext
    }

    /// The edits that waited.
    struct Batch: Sendable {
        var entries: [Entry] = []
        /// The text before the first edit, for the case that the program gets none of them.
        var before: EditedText?
        /// Whether there were more edits than may wait. Then some are missing.
        var isIncomplete = false
        /// Whether a text is left selected that is not selected in the program.
        var needsMove = false
    }

    private struct State {
        var program = ProgramText()
        var batch = Batch()
        /// The text whose edits come too late.
        var formerDocument: String?
    }

    private let state = Mutex(State())

    /// The facts by which edits are translated.
    func setProgram(_ change: (inout ProgramText) -> Void) { state.withLock { change(&$0.program) } }

    /// Drops the edits that wait, and those of this text that are still to come.
    func drop(document: String?) {
        state.withLock { state in
            state.batch = Batch()
            if let document { state.formerDocument = document }
        }
    }

    func add(_ edit: KeyboardHost.PerformedEdit) {
        state.withLock { state in
            guard edit.document != state.formerDocument else { return }
            if state.batch.before == nil { state.batch.before = edit.before }
            guard state.batch.entries.count < Self.limit else { return state.batch.isIncomplete = true }
            state.batch.entries.append(
                Entry(operations: state.program.operations(for: edit), state: ReportedText.compared(edit.after)))
            state.batch.needsMove = edit.edit.kind == .unmark && !edit.after.selected.isEmpty
        }
    }

    func take() -> Batch {
        state.withLock { state in
            defer { state.batch = Batch() }
            return state.batch
        }
    }
}
