// UITextDocumentProxy: the text that a keyboard types into, and what it knows of the user.

public import Foundation

/// An object that code can type into.
@MainActor @preconcurrency public protocol UIKeyInput: UITextInputTraits {
    var hasText: Bool { get }
    func insertText(_ text: String)
    func deleteBackward()
}

/// The receiver of the changes that a text makes.
@MainActor @preconcurrency public protocol UITextInputDelegate: NSObjectProtocol {
    func selectionWillChange(_ textInput: (any UITextInput)?)
    func selectionDidChange(_ textInput: (any UITextInput)?)
    func textWillChange(_ textInput: (any UITextInput)?)
    func textDidChange(_ textInput: (any UITextInput)?)
}

/// The text around the place where a keyboard types.
@MainActor @preconcurrency public protocol UITextDocumentProxy: UIKeyInput {
    /// The text before the insertion point; nil if there is none.
    var documentContextBeforeInput: String? { get }
    var documentContextAfterInput: String? { get }
    var selectedText: String? { get }
    /// The language of the host's text; nil, since hosts here name none.
    var documentInputMode: UITextInputMode? { get }
    /// The identifier of the text, by which a keyboard recognizes it.
    var documentIdentifier: UUID { get }
    /// Moves the insertion point by a number of UTF-16 units. It stops at the ends of the text.
    func adjustTextPosition(byCharacterOffset offset: Int)
    /// Replaces the marked text, and selects a range of the new one.
    func setMarkedText(_ markedText: String, selectedRange: NSRange)
    /// Keeps the marked text as ordinary text.
    func unmarkText()
    // These are optional as in Objective-C, where a text may lack them.
    var keyboardType: UIKeyboardType? { get }
    var keyboardAppearance: UIKeyboardAppearance? { get }
    var returnKeyType: UIReturnKeyType? { get }
    var autocapitalizationType: UITextAutocapitalizationType? { get }
    var autocorrectionType: UITextAutocorrectionType? { get }
    var spellCheckingType: UITextSpellCheckingType? { get }
    var enablesReturnKeyAutomatically: Bool? { get }
    var isSecureTextEntry: Bool? { get }
    var textContentType: UITextContentType? { get }
}

/// A text in this process, in place of another app's. It knows no marked text.
@MainActor final class OwnDocument: NSObject, UITextDocumentProxy {
    private var (before, after) = ("", "")
    let documentIdentifier = UUID()
    var documentInputMode: UITextInputMode? { nil }
    var keyboardType: UIKeyboardType? { .default }
    var keyboardAppearance: UIKeyboardAppearance? { .default }
    var returnKeyType: UIReturnKeyType? { .default }
    var autocapitalizationType: UITextAutocapitalizationType? { .sentences }
    var autocorrectionType: UITextAutocorrectionType? { .default }
    var spellCheckingType: UITextSpellCheckingType? { .default }
    var enablesReturnKeyAutomatically: Bool? { false }
    var isSecureTextEntry: Bool? { false }
    var textContentType: UITextContentType? { nil }

    var hasText: Bool { !before.isEmpty || !after.isEmpty }
    var documentContextBeforeInput: String? { before.isEmpty ? nil : before }
    var documentContextAfterInput: String? { after.isEmpty ? nil : after }
    var selectedText: String? { nil }
    func insertText(_ text: String) { before += text }
    func deleteBackward() { _ = before.popLast() }
    func setMarkedText(_ markedText: String, selectedRange: NSRange) { insertText(markedText) }
    func unmarkText() {}

    func adjustTextPosition(byCharacterOffset offset: Int) {
        let text = before + after
        let place = min(max(before.count + offset, 0), text.count)
        (before, after) = (String(text.prefix(place)), String(text.dropFirst(place)))
    }
}

/// A language in which a person types.
@MainActor @preconcurrency open class UITextInputMode: NSObject {
    public nonisolated static var currentInputModeDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UITextInputCurrentInputModeDidChangeNotification")
    }
    /// The languages of the user's keyboards: none here.
    open class var activeInputModes: [UITextInputMode] { [] }
    open var primaryLanguage: String? { nil }
}

/// The words of a user: contacts' names, shortcuts and common words.
@MainActor @preconcurrency open class UILexicon: NSObject, NSCopying {
    public let entries: [UILexiconEntry]

    package init(_ entries: [UILexiconEntry] = []) { self.entries = entries }

    open nonisolated func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A word, or a shortcut with its text.
@MainActor @preconcurrency open class UILexiconEntry: NSObject, NSCopying {
    /// The text that a person types.
    public let userInput: String
    /// The text that it stands for.
    public let documentText: String

    package init(userInput: String, documentText: String) {
        (self.userInput, self.documentText) = (userInput, documentText)
    }

    open nonisolated func copy(with zone: NSZone? = nil) -> Any { self }
}
