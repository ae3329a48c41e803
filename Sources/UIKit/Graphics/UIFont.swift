// UIFont: a font's name and size.

public import Foundation

/// A font. Safe to use from any thread. It has no effect: nothing is drawn, and no font is looked up.
public final class UIFont: NSObject, Sendable {
    /// The boldness of a font.
    public struct Weight: RawRepresentable, Hashable, Sendable {
        public let rawValue: CGFloat
        public init(rawValue: CGFloat) { self.rawValue = rawValue }
        public init(_ rawValue: CGFloat) { self.rawValue = rawValue }
        public static var ultraLight: Weight { Weight(-0.8) }
        public static var thin: Weight { Weight(-0.6) }
        public static var light: Weight { Weight(-0.4) }
        public static var regular: Weight { Weight(0) }
        public static var medium: Weight { Weight(0.23) }
        public static var semibold: Weight { Weight(0.3) }
        public static var bold: Weight { Weight(0.4) }
        public static var heavy: Weight { Weight(0.56) }
        public static var black: Weight { Weight(0.62) }
    }

    /// The purpose of a text.
    public struct TextStyle: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var largeTitle: TextStyle { TextStyle(rawValue: "UICTFontTextStyleTitle0") }
        public static var title1: TextStyle { TextStyle(rawValue: "UICTFontTextStyleTitle1") }
        public static var title2: TextStyle { TextStyle(rawValue: "UICTFontTextStyleTitle2") }
        public static var title3: TextStyle { TextStyle(rawValue: "UICTFontTextStyleTitle3") }
        public static var headline: TextStyle { TextStyle(rawValue: "UICTFontTextStyleHeadline") }
        public static var subheadline: TextStyle { TextStyle(rawValue: "UICTFontTextStyleSubhead") }
        public static var body: TextStyle { TextStyle(rawValue: "UICTFontTextStyleBody") }
        public static var callout: TextStyle { TextStyle(rawValue: "UICTFontTextStyleCallout") }
        public static var footnote: TextStyle { TextStyle(rawValue: "UICTFontTextStyleFootnote") }
        public static var caption1: TextStyle { TextStyle(rawValue: "UICTFontTextStyleCaption1") }
        public static var caption2: TextStyle { TextStyle(rawValue: "UICTFontTextStyleCaption2") }

        /// The size in points that applies without a user's own setting.
        fileprivate var size: CGFloat {
            switch self {
            case .largeTitle: 34
            case .title1: 28
            case .title2: 22
            case .title3: 20
            case .callout: 16
            case .subheadline: 15
            case .footnote: 13
            case .caption1: 12
            case .caption2: 11
            default: 17
            }
        }
    }

    public static var labelFontSize: CGFloat { 17 }
    public static var buttonFontSize: CGFloat { 18 }
    public static var smallSystemFontSize: CGFloat { 12 }
    public static var systemFontSize: CGFloat { 14 }

    public let fontName: String
    /// The size in points.
    public let pointSize: CGFloat
    public var familyName: String { fontName }
    /// The metrics of a typical font, in points (ours: no font is looked up).
    public var lineHeight: CGFloat { pointSize * 1.2 }
    public var ascender: CGFloat { pointSize * 0.95 }
    public var descender: CGFloat { pointSize * -0.24 }
    public var capHeight: CGFloat { pointSize * 0.7 }
    public var xHeight: CGFloat { pointSize * 0.53 }

    public init?(name: String, size: CGFloat) {
        fontName = name
        pointSize = size
    }

    private init(system name: String, _ size: CGFloat) {
        fontName = name
        pointSize = size
    }

    public class func systemFont(ofSize size: CGFloat) -> UIFont { UIFont(system: "system", size) }
    public class func systemFont(ofSize size: CGFloat, weight: Weight) -> UIFont {
        UIFont(system: "system-\(weight.rawValue)", size)
    }
    public class func boldSystemFont(ofSize size: CGFloat) -> UIFont { UIFont(system: "system-bold", size) }
    public class func italicSystemFont(ofSize size: CGFloat) -> UIFont { UIFont(system: "system-italic", size) }
    public class func monospacedSystemFont(ofSize size: CGFloat, weight: Weight) -> UIFont {
        UIFont(system: "monospaced", size)
    }
    public class func monospacedDigitSystemFont(ofSize size: CGFloat, weight: Weight) -> UIFont {
        UIFont(system: "digits", size)
    }
    public class func preferredFont(forTextStyle style: TextStyle) -> UIFont {
        UIFont(system: style.rawValue, style.size)
    }
    public class func preferredFont(
        forTextStyle style: TextStyle, compatibleWith traitCollection: UITraitCollection?
    ) -> UIFont { preferredFont(forTextStyle: style) }

    public func withSize(_ size: CGFloat) -> UIFont { UIFont(system: fontName, size) }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? UIFont).map { $0.fontName == fontName && $0.pointSize == pointSize } ?? false
    }
    public override var hash: Int { fontName.hashValue ^ pointSize.hashValue }
}

/// A scale for fonts by the user's text size. It changes nothing here.
public final class UIFontMetrics: NSObject, Sendable {
    public static let `default` = UIFontMetrics(forTextStyle: .body)
    public init(forTextStyle style: UIFont.TextStyle) {}
    public func scaledFont(for font: UIFont) -> UIFont { font }
    public func scaledFont(for font: UIFont, maximumPointSize: CGFloat) -> UIFont { font }
    public func scaledValue(for value: CGFloat) -> CGFloat { value }
}
