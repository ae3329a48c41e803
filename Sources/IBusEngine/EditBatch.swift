// EditBatch: the edits of a keyboard that reach a program together, as operations on its text; values.

import PointHosts
import PointMessages

/// Edits in a row. A batch beyond a limit is incomplete, and the program gets nothing of it.
struct EditBatch: Sendable {
    /// The maximum number of edits.
    static let editLimit = 2048

    private var list = OperationList()
    /// The states of the field after each edit.
    private(set) var states: [KeysContext] = []
    /// The text before the first edit, for the case that the program gets none of them.
    private(set) var before: EditedText?
    private(set) var after: EditedText?
    /// Whether there were more edits than a batch has. Then some are missing.
    private(set) var isIncomplete = false
    /// Whether a text is left selected that is not selected in the program.
    private(set) var needsMove = false
    /// The facts of the program before the first edit.
    private var program = ProgramText()
    /// Whether each edit begins with the text that the one before it has left.
    private var isConnected = true

    mutating func add(_ edit: KeyboardHost.PerformedEdit, to program: inout ProgramText) {
        if before == nil { (before, self.program) = (edit.before, program) }
        guard !isIncomplete else { return }
        if let after, after != edit.before { isConnected = false }
        for operation in program.translate(edit) where !list.append(operation) { isIncomplete = true }
        if states.count == Self.editLimit { isIncomplete = true }
        guard !isIncomplete else { return (list, states) = (OperationList(), []) }
        states.append(ReportedText.compared(edit.after))
        after = edit.after
        needsMove = program.hasCollapsed
    }

    /// The operations of all edits.
    ///
    /// A program takes pressed keys later than committed text, so a text is replaced where keys would come before it.
    var operations: [TextOperation] {
        let direct = list.all
        let keys = direct.keyCount
        guard keys > 0, isConnected, let before, let after,
            let replacing = program.operations(from: before, to: after, selects: !needsMove),
            replacing.keyCount < keys || direct.hasKeyBeforeText
        else { return direct }
        return replacing
    }

    /// The part of a batch that the program is given before a key that does the rest.
    struct Remainder: Sendable {
        let operations: [TextOperation]
        let states: [KeysContext]
        /// The text without the effect of the key; nil if the program does to its text what the keyboard did.
        let text: EditedText?
    }

    /// Returns the part without the effect that a key has in the program itself; nil if there is no such effect.
    ///
    /// - Parameter key: the key whose edits these are. Return ends a line, but may also end a dialog.
    func remainder(of key: KeyboardHost.PhysicalKey) -> Remainder? {
        let all = operations
        switch (key, all.last) {
        case (.delete, .press(.backspace, times: 1)):
            return Remainder(operations: Array(all.dropLast()), states: states, text: nil)
        case (.delete, nil) where before == after:
            // The keyboard found nothing to delete in the text that it knows. The program may have more.
            return Remainder(operations: [], states: states, text: nil)
        case (.character("\n"), .commit(let text)):
            guard let before, let after, text.unicodeScalars.last == "\n" else { return nil }
            let line = String(String.UnicodeScalarView(text.unicodeScalars.dropLast()))
            // A keyboard that writes several lines means them.
            guard !line.contains(where: \.isNewline) else { return nil }
            // The program has its selection until it takes the key.
            if all.count == 1, line.isEmpty { return Remainder(operations: [], states: [], text: before) }
            let kept = String(String.UnicodeScalarView(after.before.unicodeScalars.dropLast()))
            let rest = EditedText(before: kept, selected: "", after: after.after)
            return Remainder(
                operations: all.dropLast() + (line.isEmpty ? [] : [.commit(line)]),
                states: states.dropLast() + [ReportedText.compared(rest)], text: rest)
        default: return nil
        }
    }
}

/// Operations in order, merged where the last one has the same effect, and bounded.
struct OperationList: Sendable {
    /// The maximum size of the texts in bytes.
    static let sizeLimit = 1 << 20
    /// The maximum number of signals. A pressed key has two.
    static let signalLimit = 3072

    private var closed: [TextOperation] = []
    /// The text that was committed last.
    private var text = ""
    private var size = 0
    private var signals = 0

    var all: [TextOperation] { text.isEmpty ? closed : closed + [.commit(text)] }

    /// Appends an operation.
    ///
    /// - Returns: false if it exceeds a limit. Then it is missing.
    mutating func append(_ operation: TextOperation) -> Bool {
        switch operation {
        case .commit(let more):
            guard !more.isEmpty else { return true }
            guard fits(more.utf8.count, text.isEmpty ? 1 : 0) else { return false }
            text += more
            return true
        case .showMarked, .hideMarked:
            // A program shows one marked text.
            if text.isEmpty, let last = closed.last, last.isMark { removeLast() }
        case .press(let key, let times):
            if text.isEmpty, case .press(key, let earlier)? = closed.last {
                guard fits(0, 2 * times) else { return false }
                closed[closed.count - 1] = .press(key, times: earlier + times)
                return true
            }
        case .delete: break
        }
        guard fits(operation.size, operation.signals) else { return false }
        if !text.isEmpty {
            closed.append(.commit(text))
            text = ""
        }
        closed.append(operation)
        return true
    }

    private mutating func fits(_ size: Int, _ signals: Int) -> Bool {
        guard self.size + size <= Self.sizeLimit, self.signals + signals <= Self.signalLimit else { return false }
        self.size += size
        self.signals += signals
        return true
    }

    private mutating func removeLast() {
        guard let last = closed.popLast() else { return }
        size -= last.size
        signals -= last.signals
    }
}

extension TextOperation {
    fileprivate var isMark: Bool {
        switch self {
        case .showMarked, .hideMarked: true
        case .commit, .delete, .press: false
        }
    }

    fileprivate var size: Int {
        switch self {
        case .commit(let text), .showMarked(let text, _, _): text.utf8.count
        case .delete, .hideMarked, .press: 0
        }
    }

    fileprivate var signals: Int {
        guard case .press(_, let times) = self else { return 1 }
        return 2 * times
    }

    fileprivate var keys: Int {
        guard case .press(_, let times) = self else { return 0 }
        return times
    }
}

extension [TextOperation] {
    /// The number of pressed keys.
    var keyCount: Int { reduce(0) { $0 + $1.keys } }

    /// Whether a key is pressed before another operation.
    var hasKeyBeforeText: Bool {
        guard let first = firstIndex(where: { $0.keys > 0 }) else { return false }
        return self[first...].contains { $0.keys == 0 }
    }

    /// Performs the operations until one is lost.
    ///
    /// - Parameter perform: returns false for a lost operation.
    /// - Returns: the number of the others.
    func performed(by perform: (TextOperation) -> Bool) -> Int { firstIndex { !perform($0) } ?? count }
}
