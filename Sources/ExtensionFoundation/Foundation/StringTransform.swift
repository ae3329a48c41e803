// StringTransform: changes of the characters of a text. Those that need a table of scripts are missing.

import Foundation

/// A change of the characters of a text.
public struct StringTransform: RawRepresentable, Hashable, Sendable {
    /// The name of the value.
    public let rawValue: String
    /// A value by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A value by its name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// The removal of marks that combine with a letter.
    public static let stripCombiningMarks = Self("NFD; [:nonspacing mark:]Remove; NFC")
    /// The removal of diacritics.
    public static let stripDiacritics = Self("NFD; [:diacritic:]Remove; NFC")
    /// Wide forms as narrow ones.
    public static let fullwidthToHalfwidth = Self("Fullwidth-Halfwidth")
    /// Any script as Latin; not simulated.
    public static let toLatin = Self("Any-Latin")
    /// Chinese as Latin; not simulated.
    public static let mandarinToLatin = Self("Han-Latin")
    /// Latin as Cyrillic; not simulated.
    public static let latinToCyrillic = Self("Latin-Cyrillic")
    /// Latin as Greek; not simulated.
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
