// UIInputViewController: a keyboard, without a text of another app.

public import Foundation

/// An object that code can type into.
@MainActor @preconcurrency public protocol UIKeyInput: UITextInputTraits {
    var hasText: Bool { get }
    func insertText(_ text: String)
    func deleteBackward()
}

/// The text around the place where a keyboard types.
@MainActor @preconcurrency public protocol UITextDocumentProxy: UIKeyInput {
    /// The text before the insertion point; nil if there is none.
    var documentContextBeforeInput: String? { get }
    var documentContextAfterInput: String? { get }
    var selectedText: String? { get }
    func adjustTextPosition(byCharacterOffset offset: Int)
    // These are optional as in Objective-C, where a text may lack them.
    var keyboardType: UIKeyboardType? { get }
    var keyboardAppearance: UIKeyboardAppearance? { get }
    var returnKeyType: UIReturnKeyType? { get }
    var autocapitalizationType: UITextAutocapitalizationType? { get }
    var autocorrectionType: UITextAutocorrectionType? { get }
    var spellCheckingType: UITextSpellCheckingType? { get }
    var enablesReturnKeyAutomatically: Bool? { get }
    var isSecureTextEntry: Bool? { get }
}

/// A text in this process, in place of the other app's.
@MainActor final class OwnDocument: NSObject, UITextDocumentProxy {
    private var (before, after) = ("", "")
    var keyboardType: UIKeyboardType? { .default }
    var keyboardAppearance: UIKeyboardAppearance? { .default }
    var returnKeyType: UIReturnKeyType? { .default }
    var autocapitalizationType: UITextAutocapitalizationType? { .sentences }
    var autocorrectionType: UITextAutocorrectionType? { .default }
    var spellCheckingType: UITextSpellCheckingType? { .default }
    var enablesReturnKeyAutomatically: Bool? { false }
    var isSecureTextEntry: Bool? { false }

    var hasText: Bool { !before.isEmpty || !after.isEmpty }
    var documentContextBeforeInput: String? { before.isEmpty ? nil : before }
    var documentContextAfterInput: String? { after.isEmpty ? nil : after }
    var selectedText: String? { nil }
    func insertText(_ text: String) { before += text }
    func deleteBackward() { _ = before.popLast() }

    func adjustTextPosition(byCharacterOffset offset: Int) {
        let text = before + after
        let place = min(max(before.count + offset, 0), text.count)
        (before, after) = (String(text.prefix(place)), String(text.dropFirst(place)))
    }
}

/// A keyboard's view.
@MainActor @preconcurrency open class UIInputView: UIView {
    public enum Style: Int, Sendable { case `default`, keyboard }
    public convenience init(frame: CGRect, inputViewStyle: Style) { self.init(frame: frame) }
}

/// A keyboard. A shell: its view is a controller's, and its text stays in this process.
@MainActor @preconcurrency open class UIInputViewController: UIViewController {
    private let document = OwnDocument()
    open var textDocumentProxy: any UITextDocumentProxy { document }
    open override var inputView: UIView? {
        get { view }
        set { view = newValue }
    }
    open var primaryLanguage: String?
    open var hasDictationKey = false
    open var hasFullAccess: Bool { false }
    open var needsInputModeSwitchKey: Bool { true }

    open override func loadView() {
        if !loadDrawnView() { view = UIInputView(frame: CGRect(x: 0, y: 0, width: 375, height: 216)) }
    }

    open func dismissKeyboard() {}
    open func advanceToNextInputMode() {}
    open func handleInputModeList(from view: UIView, with event: UIEvent) {}
    open func textWillChange(_ textInput: (any UITextInput)?) {}
    open func textDidChange(_ textInput: (any UITextInput)?) {}
    open func selectionWillChange(_ textInput: (any UITextInput)?) {}
    open func selectionDidChange(_ textInput: (any UITextInput)?) {}
}
