// HostText: the host's text, as the author's code sees and edits it.

import Foundation
import PointMessages
import UIKit

/// The text of the host: its mirror, and edits that return at once.
@MainActor final class HostText: NSObject, UITextDocumentProxy {
    private weak var keyboard: KeyboardSession?
    private(set) var context = KeysContext(sequence: 0, hasText: false, before: nil, selected: nil, after: nil)
    private var traits = KeysTraits()
    private(set) var documentIdentifier = UUID()

    init(_ keyboard: KeyboardSession) { self.keyboard = keyboard }

    /// Adopts what the host has reported, unless something newer is shown.
    func adopt(_ context: KeysContext) {
        if context.sequence > self.context.sequence { self.context = context }
    }

    func adopt(_ traits: KeysTraits, _ document: String) {
        self.traits = traits
        documentIdentifier = UUID(uuidString: document) ?? documentIdentifier
    }

    // MARK: The mirror

    var hasText: Bool { context.hasText }
    var documentContextBeforeInput: String? { context.before }
    var documentContextAfterInput: String? { context.after }
    var selectedText: String? { context.selected }
    var documentInputMode: UITextInputMode? { nil }

    // MARK: Edits

    func insertText(_ text: String) { keyboard?.edit(KeysEdit(.insert, text: text)) }
    func deleteBackward() { keyboard?.edit(KeysEdit(.delete)) }
    func adjustTextPosition(byCharacterOffset offset: Int) { keyboard?.edit(KeysEdit(.move, location: offset)) }
    func setMarkedText(_ markedText: String, selectedRange: NSRange) {
        keyboard?.edit(
            KeysEdit(.mark, text: markedText, location: selectedRange.location, length: selectedRange.length))
    }
    func unmarkText() { keyboard?.edit(KeysEdit(.unmark)) }

    // MARK: Traits

    /// Returns the value whose raw value is the place of another in its vocabulary.
    private func value<Value: RawRepresentable<Int>, Name: CaseIterable & Equatable>(_ name: Name) -> Value? {
        Name.allCases.enumerated().first { $0.element == name }.flatMap { Value(rawValue: $0.offset) }
            ?? Value(rawValue: 0)
    }

    var keyboardType: UIKeyboardType? { value(traits.keyboard) }
    var keyboardAppearance: UIKeyboardAppearance? { value(traits.appearance) }
    var returnKeyType: UIReturnKeyType? { value(traits.returnKey) }
    var autocapitalizationType: UITextAutocapitalizationType? { value(traits.capitalization) }
    var autocorrectionType: UITextAutocorrectionType? { value(traits.correction) }
    var spellCheckingType: UITextSpellCheckingType? { value(traits.spellChecking) }
    var enablesReturnKeyAutomatically: Bool? { traits.enablesReturnKeyAutomatically }
    var isSecureTextEntry: Bool? { traits.isSecure }
    var textContentType: UITextContentType? {
        traits.content.isEmpty ? nil : UITextContentType(rawValue: traits.content)
    }
}
