// StringTransform: changes of the characters of a text. Those that need a table of scripts are missing.

import Foundation

/// A change of the characters of a text.
public struct StringTransform: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public static let stripCombiningMarks = Self("NFD; [:nonspacing mark:]Remove; NFC")
    public static let stripDiacritics = Self("NFD; [:diacritic:]Remove; NFC")
    public static let fullwidthToHalfwidth = Self("Fullwidth-Halfwidth")
    public static let toLatin = Self("Any-Latin")
    public static let mandarinToLatin = Self("Han-Latin")
    public static let latinToCyrillic = Self("Latin-Cyrillic")
    public static let latinToGreek = Self("Latin-Greek")
}

extension StringProtocol {
    /// Returns the text without its combining marks or diacritics, or with narrow Latin letters, digits, signs and
    /// spaces for wide ones; nil for another transform. Wide katakana stay.
    ///
    /// - Parameters:
    ///   - transform: the change. No script is turned into another one here.
    ///   - reverse: the other direction, which none of these changes has: nil.
    public func applyingTransform(_ transform: StringTransform, reverse: Bool) -> String? {
        if reverse { return nil }
        switch transform {
        case .fullwidthToHalfwidth:
            let scalars = unicodeScalars.map { scalar -> Unicode.Scalar in
                switch scalar.value {
                case 0xff01...0xff5e: Unicode.Scalar(scalar.value - 0xfee0) ?? scalar
                case 0x3000: " "
                default: scalar
                }
            }
            return String(String.UnicodeScalarView(scalars))
        case .stripCombiningMarks, .stripDiacritics:
            let marks: Set<Unicode.GeneralCategory> = [.nonspacingMark]
            let scalars = decomposedStringWithCanonicalMapping.unicodeScalars.filter {
                !marks.contains($0.properties.generalCategory)
                    && !(transform == .stripDiacritics && $0.properties.isDiacritic)
            }
            return String(String.UnicodeScalarView(scalars)).precomposedStringWithCanonicalMapping
        default: return nil
        }
    }
}
