// UITextView: text that can be edited.

public import Foundation

/// The observer of a text view's edits. Every method has a body that does nothing, in place of Objective-C's optional
/// ones.
@MainActor @preconcurrency public protocol UITextViewDelegate: NSObjectProtocol, UIScrollViewDelegate {
    func textViewShouldBeginEditing(_ textView: UITextView) -> Bool
    func textViewDidBeginEditing(_ textView: UITextView)
    func textView(_ textView: UITextView, shouldChangeTextIn range: NSRange, replacementText text: String) -> Bool
    func textViewDidChange(_ textView: UITextView)
    func textViewShouldEndEditing(_ textView: UITextView) -> Bool
    func textViewDidEndEditing(_ textView: UITextView)
    func textViewDidChangeSelection(_ textView: UITextView)
    func textView(
        _ textView: UITextView, shouldInteractWith URL: URL, in characterRange: NSRange,
        interaction: UITextItemInteraction
    ) -> Bool
}

extension UITextViewDelegate {
    public func textViewShouldBeginEditing(_ textView: UITextView) -> Bool { true }
    public func textViewDidBeginEditing(_ textView: UITextView) {}
    public func textView(_ textView: UITextView, shouldChangeTextIn range: NSRange, replacementText text: String)
        -> Bool
    { true }
    public func textViewDidChange(_ textView: UITextView) {}
    public func textViewShouldEndEditing(_ textView: UITextView) -> Bool { true }
    public func textViewDidEndEditing(_ textView: UITextView) {}
    public func textViewDidChangeSelection(_ textView: UITextView) {}
    public func textView(
        _ textView: UITextView, shouldInteractWith URL: URL, in characterRange: NSRange,
        interaction: UITextItemInteraction
    ) -> Bool { true }
}

/// The use of a link in a text. It never happens here.
public enum UITextItemInteraction: Int, Sendable { case invokeDefaultAction, presentActions, preview }

/// The kinds of text that are shown as links. They have no effect.
public struct UIDataDetectorTypes: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var phoneNumber: UIDataDetectorTypes { UIDataDetectorTypes(rawValue: 1) }
    public static var link: UIDataDetectorTypes { UIDataDetectorTypes(rawValue: 2) }
    public static var address: UIDataDetectorTypes { UIDataDetectorTypes(rawValue: 4) }
    public static var all: UIDataDetectorTypes { UIDataDetectorTypes(rawValue: .max) }
}

/// The area of text in its view. It has no effect.
@MainActor @preconcurrency open class NSTextContainer: NSObject {
    open var lineFragmentPadding: CGFloat = 5
    open var maximumNumberOfLines = 0
    open var lineBreakMode = NSLineBreakMode.byWordWrapping
}

/// A text that can be edited. Setting `text` calls no delegate (as documented); `edit(_:)` does.
@MainActor @preconcurrency open class UITextView: UIScrollView, UITextInput {
    public nonisolated static var textDidBeginEditingNotification: NSNotification.Name {
        NSNotification.Name("UITextViewTextDidBeginEditingNotification")
    }
    public nonisolated static var textDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UITextViewTextDidChangeNotification")
    }
    public nonisolated static var textDidEndEditingNotification: NSNotification.Name {
        NSNotification.Name("UITextViewTextDidEndEditingNotification")
    }

    open weak var delegate: (any UITextViewDelegate)?
    private var content = ""
    open var text: String! {
        get { content }
        set {
            content = newValue ?? ""
            selectedRange = NSRange(location: content.utf16.count, length: 0)
            noteChange()
        }
    }
    open var attributedText: NSAttributedString! {
        get { NSAttributedString(string: content) }
        set { text = newValue?.string }
    }
    /// The selected range in UTF-16 units.
    open var selectedRange = NSRange(location: 0, length: 0)
    open var isEditable = true { didSet { noteChange() } }
    open var isSelectable = true
    open var textColor: UIColor?
    open var font: UIFont?
    open var textAlignment = NSTextAlignment.natural
    open var hasText: Bool { !content.isEmpty }
    open var textContainerInset = UIEdgeInsets(top: 8, left: 0, bottom: 8, right: 0)
    open private(set) lazy var textContainer = NSTextContainer()
    open var dataDetectorTypes: UIDataDetectorTypes = []
    open var linkTextAttributes: [NSAttributedString.Key: Any]! = [:]
    open var typingAttributes: [NSAttributedString.Key: Any] = [:]
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
        TextEntry.isPossible && super.becomeFirstResponder()
    }
    open var adjustsFontForContentSizeCategory = false
    open func scrollRangeToVisible(_ range: NSRange) {}

    @discardableResult open override func resignFirstResponder() -> Bool {
        guard isFirstResponder else { return true }
        guard delegate?.textViewShouldEndEditing(self) ?? true else { return false }
        _ = super.resignFirstResponder()
        delegate?.textViewDidEndEditing(self)
        NotificationCenter.default.post(name: Self.textDidEndEditingNotification, object: self)
        return true
    }

    /// Replaces the selected text.
    open func insertText(_ text: String) { _ = replace(selection, with: text) }
    /// Deletes the selected text, or else the character before it.
    open func deleteBackward() {
        if let range = TextPlaces(text: content).deleted(selection) { _ = replace(range, with: "") }
    }

    /// The selection, cut to the text: an author may set any range.
    private var selection: NSRange { UITextRange(selectedRange).range(within: content.utf16.count) }

    /// Replaces all text as a person does: the delegate may refuse the edit, and hears of it. False if it refused.
    /// Ours.
    @discardableResult package func edit(_ text: String) -> Bool {
        guard TextEntry.isPossible, isEditable, delegate?.textViewShouldBeginEditing(self) ?? true else { return false }
        if !isFirstResponder {
            becomeFirstResponder()
            delegate?.textViewDidBeginEditing(self)
            NotificationCenter.default.post(name: Self.textDidBeginEditingNotification, object: self)
        }
        return replace(NSRange(location: 0, length: content.utf16.count), with: text)
    }

    private func replace(_ range: NSRange, with text: String) -> Bool {
        guard delegate?.textView(self, shouldChangeTextIn: range, replacementText: text) ?? true else { return false }
        change(range, to: text)
        return true
    }

    private func change(_ range: NSRange, to text: String) {
        self.text = (content as NSString).replacingCharacters(in: range, with: text)
        selectedRange = NSRange(location: range.location + text.utf16.count, length: 0)
        delegate?.textViewDidChange(self)
        NotificationCenter.default.post(name: Self.textDidChangeNotification, object: self)
    }

    // MARK: Places in the text

    open var selectedTextRange: UITextRange? {
        get { UITextRange(selection) }
        set { if let newValue { selectedRange = newValue.range(within: content.utf16.count) } }
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
