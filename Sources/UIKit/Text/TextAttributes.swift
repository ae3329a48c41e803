// TextAttributes: attributes of strings for their look, which have no effect.

public import Foundation

extension NSAttributedString.Key {
    public static var font: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSFont") }
    public static var paragraphStyle: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSParagraphStyle") }
    public static var foregroundColor: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSColor") }
    public static var backgroundColor: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSBackgroundColor") }
    public static var kern: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSKern") }
    public static var strikethroughStyle: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSStrikethrough") }
    public static var underlineStyle: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSUnderline") }
    public static var strokeColor: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSStrokeColor") }
    public static var strokeWidth: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSStrokeWidth") }
    public static var shadow: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSShadow") }
    public static var attachment: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSAttachment") }
    public static var link: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSLink") }
    public static var baselineOffset: NSAttributedString.Key { NSAttributedString.Key(rawValue: "NSBaselineOffset") }
}

public struct NSUnderlineStyle: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static var single: NSUnderlineStyle { NSUnderlineStyle(rawValue: 1) }
    public static var thick: NSUnderlineStyle { NSUnderlineStyle(rawValue: 2) }
    public static var double: NSUnderlineStyle { NSUnderlineStyle(rawValue: 9) }
}

/// The layout of a paragraph. It has no effect.
open class NSParagraphStyle: NSObject {
    open fileprivate(set) var alignment = NSTextAlignment.natural
    open class var `default`: NSParagraphStyle { NSParagraphStyle() }
}

open class NSMutableParagraphStyle: NSParagraphStyle {
    open override var alignment: NSTextAlignment {
        get { super.alignment }
        set { super.alignment = newValue }
    }
    open var lineBreakMode = NSLineBreakMode.byWordWrapping
    open var lineSpacing: CGFloat = 0
    open var paragraphSpacing: CGFloat = 0
    open var paragraphSpacingBefore: CGFloat = 0
    open var lineHeightMultiple: CGFloat = 0
    open var firstLineHeadIndent: CGFloat = 0
    open var headIndent: CGFloat = 0
    open var tailIndent: CGFloat = 0
    open var minimumLineHeight: CGFloat = 0
    open var maximumLineHeight: CGFloat = 0
}

open class NSShadow: NSObject {
    open var shadowOffset = CGSize.zero
    open var shadowBlurRadius: CGFloat = 0
    open var shadowColor: Any?
}
