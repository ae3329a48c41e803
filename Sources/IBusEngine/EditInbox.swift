// EditInbox: the edits of a keyboard on their way to the program.

import Locks
import PointHosts
import PointMessages

/// Takes edits on any thread, in order, and gives them to the loop.
final class EditInbox: Sendable {
    private struct State {
        var program = ProgramText()
        var batch = EditBatch()
        /// The text after the last edit.
        var after: EditedText?
        /// The text whose edits come too late.
        var formerDocument: String?
    }

    private let state = Mutex(State())

    /// The facts by which edits are translated.
    func setProgram(_ change: (inout ProgramText) -> Void) { state.withLock { change(&$0.program) } }

    /// Drops the edits that wait, and those of this text that are still to come.
    func drop(document: String?) {
        state.withLock { state in
            state.batch = EditBatch()
            if let document { state.formerDocument = document }
        }
    }

    func add(_ edit: KeyboardHost.PerformedEdit) {
        state.withLock { state in
            guard edit.document != state.formerDocument else { return }
            // Another text has a selection of its own.
            if edit.before != state.after { state.program.hasCollapsed = false }
            state.batch.add(edit, to: &state.program)
            state.after = edit.after
        }
    }

    func take() -> EditBatch {
        state.withLock { state in
            defer { state.batch = EditBatch() }
            return state.batch
        }
    }
}
