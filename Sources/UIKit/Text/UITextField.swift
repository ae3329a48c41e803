// UITextField: one line of text that can be edited.

public import Foundation

/// The observer of a field's edits. Every method has a body, in place of Objective-C's optional ones.
@MainActor @preconcurrency public protocol UITextFieldDelegate: NSObjectProtocol {
    func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool
    func textFieldDidBeginEditing(_ textField: UITextField)
    func textFieldShouldEndEditing(_ textField: UITextField) -> Bool
    func textFieldDidEndEditing(_ textField: UITextField)
    func textField(
        _ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
    ) -> Bool
    func textFieldShouldClear(_ textField: UITextField) -> Bool
    func textFieldShouldReturn(_ textField: UITextField) -> Bool
}

extension UITextFieldDelegate {
    public func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool { true }
    public func textFieldDidBeginEditing(_ textField: UITextField) {}
    public func textFieldShouldEndEditing(_ textField: UITextField) -> Bool { true }
    public func textFieldDidEndEditing(_ textField: UITextField) {}
    public func textField(
        _ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
    ) -> Bool { true }
    public func textFieldShouldClear(_ textField: UITextField) -> Bool { true }
    public func textFieldShouldReturn(_ textField: UITextField) -> Bool { true }
}

/// A field of text. Setting `text` calls no delegate (as documented); an edit by a person does.
@MainActor @preconcurrency open class UITextField: UIControl, UITextInput {
    public enum BorderStyle: Int, Sendable { case none, line, bezel, roundedRect }
    public enum ViewMode: Int, Sendable { case never, whileEditing, unlessEditing, always }

    public nonisolated static var textDidBeginEditingNotification: NSNotification.Name {

        NSNotification.Name("UITextFieldTextDidBeginEditingNotification")

    }
    public nonisolated static var textDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UITextFieldTextDidChangeNotification")
    }
    public nonisolated static var textDidEndEditingNotification: NSNotification.Name {
        NSNotification.Name("UITextFieldTextDidEndEditingNotification")
    }

    open weak var delegate: (any UITextFieldDelegate)?
    private var content = ""
    /// The selected range in UTF-16 units.
    private var selection = NSRange(location: 0, length: 0)
    /// The text. It is never nil when read, as on Apple's systems.
    open var text: String? {
        get { content }
        set {
            content = newValue ?? ""
            selection = NSRange(location: content.utf16.count, length: 0)
            noteChange()
        }
    }
    open var attributedText: NSAttributedString? {
        get { NSAttributedString(string: content) }
        set { text = newValue?.string }
    }
    open var placeholder: String? { didSet { noteChange() } }
    open var attributedPlaceholder: NSAttributedString? { didSet { placeholder = attributedPlaceholder?.string } }
    open var textColor: UIColor?
    open var font: UIFont?
    open var textAlignment = NSTextAlignment.natural
    open var borderStyle = BorderStyle.none
    open var clearButtonMode = ViewMode.never
    open var leftView: UIView?
    open var leftViewMode = ViewMode.never
    open var rightView: UIView?
    open var rightViewMode = ViewMode.never
    open var adjustsFontSizeToFitWidth = false
    open var minimumFontSize: CGFloat = 0
    open var adjustsFontForContentSizeCategory = false
    open var isEditing: Bool { isFirstResponder }
    open var hasText: Bool { !content.isEmpty }
    private var ownAccessory: UIView?
    private var ownInput: UIView?
    open override var inputAccessoryView: UIView? {
        get { ownAccessory }
        set { ownAccessory = newValue }
    }
    open override var inputView: UIView? {
        get { ownInput }
        set { ownInput = newValue }
    }
    open override var canBecomeFirstResponder: Bool { true }

    @discardableResult open override func becomeFirstResponder() -> Bool {
        guard !isFirstResponder else { return true }
        guard TextEntry.isPossible, isEnabled, delegate?.textFieldShouldBeginEditing(self) ?? true else { return false }
        _ = super.becomeFirstResponder()
        tell(.editingDidBegin, Self.textDidBeginEditingNotification) { $0.textFieldDidBeginEditing(self) }
        return true
    }

    @discardableResult open override func resignFirstResponder() -> Bool {
        guard isFirstResponder else { return true }
        guard delegate?.textFieldShouldEndEditing(self) ?? true else { return false }
        _ = super.resignFirstResponder()
        tell(.editingDidEnd, Self.textDidEndEditingNotification) { $0.textFieldDidEndEditing(self) }
        return true
    }

    /// Replaces the selected text.
    open func insertText(_ text: String) { _ = replace(selected, with: text) }
    /// Deletes the selected text, or else the character before it.
    open func deleteBackward() {
        if let range = TextPlaces(text: content).deleted(selected) { _ = replace(range, with: "") }
    }

    /// Replaces all text as a person does: the delegate may refuse the edit, and hears of it. False if it refused.
    /// Ours.
    @discardableResult package func edit(_ text: String) -> Bool {
        becomeFirstResponder() && replace(NSRange(location: 0, length: content.utf16.count), with: text)
    }

    /// Types a line break as a person does. Ours.
    func pressReturn() {
        if delegate?.textFieldShouldReturn(self) ?? true {
            sendActions(for: [.editingDidEndOnExit, .primaryActionTriggered])
        }
    }

    /// The selection, cut to the text: a subclass may have shortened that.
    private var selected: NSRange { UITextRange(selection).range(within: content.utf16.count) }

    private func replace(_ range: NSRange, with text: String) -> Bool {
        guard delegate?.textField(self, shouldChangeCharactersIn: range, replacementString: text) ?? true else {
            return false
        }
        change(range, to: text)
        return true
    }

    private func change(_ range: NSRange, to text: String) {
        self.text = (content as NSString).replacingCharacters(in: range, with: text)
        selection = NSRange(location: range.location + text.utf16.count, length: 0)
        tell(.editingChanged, Self.textDidChangeNotification) { _ in }
    }

    private func tell(_ event: Event, _ name: NSNotification.Name, _ call: (any UITextFieldDelegate) -> Void) {
        if let delegate { call(delegate) }
        sendActions(for: event)
        NotificationCenter.default.post(name: name, object: self)
    }

    // MARK: Places in the text

    open var selectedTextRange: UITextRange? {
        get { UITextRange(selection) }
        set { if let newValue { selection = newValue.range(within: content.utf16.count) } }
    }
    open var markedTextRange: UITextRange? { nil }
    open var beginningOfDocument: UITextPosition { UITextPosition(0) }
    open var endOfDocument: UITextPosition { TextPlaces(text: content).end }
    open func text(in range: UITextRange) -> String? { TextPlaces(text: content).text(in: range) }
    /// Replaces text and reports the change to the delegate, which cannot refuse it.
    open func replace(_ range: UITextRange, withText text: String) {
        change(range.range(within: content.utf16.count), to: text)
    }
    /// Inserts the text as it is (ours).
    open func setMarkedText(_ markedText: String?, selectedRange: NSRange) { insertText(markedText ?? "") }
    open func unmarkText() {}
    open func textRange(from fromPosition: UITextPosition, to toPosition: UITextPosition) -> UITextRange? {
        TextPlaces(text: content).range(fromPosition, toPosition)
    }
    open func position(from position: UITextPosition, offset: Int) -> UITextPosition? {
        TextPlaces(text: content).position(position, offset)
    }
    open func offset(from: UITextPosition, to toPosition: UITextPosition) -> Int { toPosition.offset - from.offset }
    open func compare(_ position: UITextPosition, to other: UITextPosition) -> ComparisonResult {
        TextPlaces.compare(position, other)
    }
    open func firstRect(for range: UITextRange) -> CGRect { .zero }
    open func caretRect(for position: UITextPosition) -> CGRect { .zero }

    open var keyboardType = UIKeyboardType.default
    open var keyboardAppearance = UIKeyboardAppearance.default
    open var returnKeyType = UIReturnKeyType.default
    open var autocapitalizationType = UITextAutocapitalizationType.sentences
    open var autocorrectionType = UITextAutocorrectionType.default
    open var spellCheckingType = UITextSpellCheckingType.default
    open var enablesReturnKeyAutomatically = false
    open var isSecureTextEntry = false
    open var textContentType: UITextContentType!
}
