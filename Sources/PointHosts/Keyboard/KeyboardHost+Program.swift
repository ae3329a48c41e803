// KeyboardHost+Program: a field whose text belongs to another program, which gets the edits of the keyboard.

import ExtensionHost
package import PointMessages

extension KeyboardHost {
    /// An edit that the field has performed.
    package struct PerformedEdit: Sendable {
        package let edit: KeysEdit
        /// The identifier of the text.
        package let document: String
        package let before: EditedText
        package let after: EditedText
    }

    /// The meaning of a key of a physical keyboard.
    package enum PhysicalKey: Sendable, Hashable {
        /// A key that types a character.
        case character(Character)
        /// A key that deletes backward.
        case delete
    }

    private static let deletions = ["delete", "Delete", "⌫", "backspace", "Backspace"]

    /// Calls a function with each edit of a keyboard, in order, before the keyboard learns that the field has it.
    ///
    /// - Parameter body: called on any thread; it must not wait.
    package func onEdit(_ body: @escaping @Sendable (PerformedEdit) -> Void) { performed = body }

    /// The text, its selection and its marked part.
    package var edited: EditedText { content }

    /// Adopts the text that the program has, and reports the change to the keyboard.
    ///
    /// - Parameter isMove: whether only the insertion point or the selection has moved.
    package func adopt(_ text: EditedText, isMove: Bool) async {
        await change(isMove: isMove) { $0 = text }
    }

    /// Taps the key of the keyboard that does what a physical key does.
    ///
    /// - Returns: false if the keyboard has no such key, or none is shown. Then nothing has changed.
    /// - Throws: errors of `tap`.
    package func press(_ key: PhysicalKey) async throws -> Bool {
        try await exclusively {
            guard case .custom? = shown else { return false }
            let title: String? =
                switch key {
                case .character(let character): try await shownKey(for: character)
                case .delete: Self.deletions.first(where: keys.contains)
                }
            guard let title else { return false }
            try await performTap(title)
            return true
        }
    }

    /// Cancels the session of a keyboard that does not answer. The step that waits for it fails.
    package func retire() async { try? await request?.cancel() }
}
