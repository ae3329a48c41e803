// UITextView: text that can be edited.

public import Foundation

/// Told of edits. Every method has a body that does nothing, in place of Objective-C's optional ones.
@MainActor @preconcurrency public protocol UITextViewDelegate: AnyObject {
    func textViewShouldBeginEditing(_ textView: UITextView) -> Bool
    func textViewDidBeginEditing(_ textView: UITextView)
    func textView(_ textView: UITextView, shouldChangeTextIn range: NSRange, replacementText text: String) -> Bool
    func textViewDidChange(_ textView: UITextView)
    func textViewDidEndEditing(_ textView: UITextView)
}

extension UITextViewDelegate {
    public func textViewShouldBeginEditing(_ textView: UITextView) -> Bool { true }
    public func textViewDidBeginEditing(_ textView: UITextView) {}
    public func textView(_ textView: UITextView, shouldChangeTextIn range: NSRange, replacementText text: String) -> Bool { true }
    public func textViewDidChange(_ textView: UITextView) {}
    public func textViewDidEndEditing(_ textView: UITextView) {}
}

/// A text that can be edited. Setting `text` tells no delegate (as documented); an edit does, as `edit(_:)` makes one.
@MainActor @preconcurrency open class UITextView: UIView {
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
    /// In UTF-16 units.
    open var selectedRange = NSRange(location: 0, length: 0)
    open var isEditable = true { didSet { noteChange() } }
    open var isSelectable = true
    open var textColor: UIColor?
    open var font: UIFont?
    open var textAlignment = NSTextAlignment.natural
    open var hasText: Bool { !content.isEmpty }

    open func insertText(_ text: String) {
        let range = NSRange(location: min(selectedRange.location, content.utf16.count), length: 0)
        _ = replace(range, with: text)
    }

    /// What a person does who replaces all of it: the delegate may refuse, and is told. False if it was refused. Ours.
    @discardableResult package func edit(_ text: String) -> Bool {
        guard isEditable, delegate?.textViewShouldBeginEditing(self) ?? true else { return false }
        if !isFirstResponder {
            becomeFirstResponder()
            delegate?.textViewDidBeginEditing(self)
        }
        return replace(NSRange(location: 0, length: content.utf16.count), with: text)
    }

    private func replace(_ range: NSRange, with text: String) -> Bool {
        guard delegate?.textView(self, shouldChangeTextIn: range, replacementText: text) ?? true else { return false }
        self.text = (content as NSString).replacingCharacters(in: range, with: text)
        delegate?.textViewDidChange(self)
        return true
    }
}
