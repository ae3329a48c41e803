// UITextRange: positions and ranges in a text, for fields and text views.

public import Foundation

/// A place in a text.
@MainActor @preconcurrency open class UITextPosition: NSObject {
    /// The offset in UTF-16 units.
    let offset: Int

    init(_ offset: Int) { self.offset = offset }
    public override init() { offset = 0 }
}

/// A part of a text.
@MainActor @preconcurrency open class UITextRange: NSObject {
    private let own: NSRange

    init(_ range: NSRange) { own = range }
    public override init() { own = NSRange(location: 0, length: 0) }

    open var start: UITextPosition { UITextPosition(own.location) }
    open var end: UITextPosition { UITextPosition(own.location + own.length) }
    open var isEmpty: Bool { start.offset == end.offset }

    /// Returns the range cut to a text of `count` UTF-16 units.
    func range(within count: Int) -> NSRange {
        let first = min(max(start.offset, 0), count)
        return NSRange(location: first, length: min(max(end.offset, first), count) - first)
    }
}

/// A text that a person types into, by its positions.
///
/// Nothing is laid out: rectangles are zero. A text is never marked, since there is no input of several steps.
@MainActor @preconcurrency public protocol UITextInput: UIKeyInput {
    var selectedTextRange: UITextRange? { get set }
    var markedTextRange: UITextRange? { get }
    var beginningOfDocument: UITextPosition { get }
    var endOfDocument: UITextPosition { get }
    func text(in range: UITextRange) -> String?
    func replace(_ range: UITextRange, withText text: String)
    func setMarkedText(_ markedText: String?, selectedRange: NSRange)
    func unmarkText()
    func textRange(from fromPosition: UITextPosition, to toPosition: UITextPosition) -> UITextRange?
    func position(from position: UITextPosition, offset: Int) -> UITextPosition?
    func offset(from: UITextPosition, to toPosition: UITextPosition) -> Int
    func compare(_ position: UITextPosition, to other: UITextPosition) -> ComparisonResult
    func firstRect(for range: UITextRange) -> CGRect
    func caretRect(for position: UITextPosition) -> CGRect
}

/// The positions of a plain text.
@MainActor struct TextPlaces {
    let text: String

    var end: UITextPosition { UITextPosition(text.utf16.count) }

    func text(in range: UITextRange) -> String? {
        (text as NSString).substring(with: range.range(within: text.utf16.count))
    }

    /// Returns the range between two positions, given in either order.
    func range(_ first: UITextPosition, _ second: UITextPosition) -> UITextRange {
        let start = min(first.offset, second.offset)
        return UITextRange(NSRange(location: start, length: max(first.offset, second.offset) - start))
    }

    /// Returns the position at an offset; nil outside of the text.
    func position(_ position: UITextPosition, _ offset: Int) -> UITextPosition? {
        let place = position.offset + offset
        return (0...text.utf16.count).contains(place) ? UITextPosition(place) : nil
    }

    /// Returns the range that deleting backward removes: the selection, or else the character before it. Nil at the
    /// start.
    func deleted(_ selection: NSRange) -> NSRange? {
        guard selection.length == 0 else { return selection }
        guard selection.location > 0 else { return nil }
        return (text as NSString).rangeOfComposedCharacterSequence(at: selection.location - 1)
    }

    static func compare(_ first: UITextPosition, _ second: UITextPosition) -> ComparisonResult {
        first.offset == second.offset
            ? .orderedSame : first.offset < second.offset ? .orderedAscending : .orderedDescending
    }
}
