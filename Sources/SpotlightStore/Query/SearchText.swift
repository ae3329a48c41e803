// SearchText: text in the form in which it is compared.

internal import Foundation

/// The Unicode scalars of a text, without the differences that a comparison ignores.
///
/// Each scalar is mapped by itself. So a text that contains another still contains it after both are mapped, and the
/// words of an index find at least what the stricter comparisons of a query match.
struct SearchText: Sendable, Hashable {
    /// The mapped scalars.
    let scalars: [UInt32]

    /// Maps a text.
    ///
    /// - Parameters:
    ///   - text: the text. Zero bytes are dropped.
    ///   - ignoresCase: whether upper and lower case are the same.
    ///   - ignoresAccents: whether letters are the same with and without accents.
    init(_ text: String, ignoresCase: Bool, ignoresAccents: Bool) {
        var scalars: [UInt32] = []
        var text = text
        let isPlain = text.withUTF8 { bytes in
            scalars.reserveCapacity(bytes.count)
            for byte in bytes {
                guard byte < 0x80 else { return false }
                guard byte > 0 else { continue }
                let isUpper = byte >= 0x41 && byte <= 0x5a
                scalars.append(UInt32(isUpper && ignoresCase ? byte | 0x20 : byte))
            }
            return true
        }
        if !isPlain {
            scalars.removeAll(keepingCapacity: true)
            for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars where scalar.value > 0 {
                Self.append(scalar, to: &scalars, ignoresCase, ignoresAccents)
            }
        }
        self.scalars = scalars
    }

    private static func append(
        _ scalar: Unicode.Scalar, to scalars: inout [UInt32], _ ignoresCase: Bool, _ ignoresAccents: Bool
    ) {
        guard ignoresAccents, scalar.value >= 0x80, scalar.value < accentsEnd else {
            return appendCase(of: scalar, to: &scalars, ignoresCase)
        }
        for base in withoutAccents[Int(scalar.value)] {
            if let base = Unicode.Scalar(base) { appendCase(of: base, to: &scalars, ignoresCase) }
        }
    }

    private static func appendCase(of scalar: Unicode.Scalar, to scalars: inout [UInt32], _ ignoresCase: Bool) {
        guard ignoresCase else { return scalars.append(scalar.value) }
        // The sigma at the end of a word has no other capital.
        if scalar.value == 0x3c2 { return scalars.append(0x3c3) }
        for lower in scalar.properties.lowercaseMapping.unicodeScalars { scalars.append(lower.value) }
    }

    /// The end of the scripts whose accents are marks. In later ones, such as kana, a mark makes another letter.
    private static let accentsEnd: UInt32 = 0x2000

    /// The scalars of a letter without its accents, by the letter. A mark by itself has none.
    private static let withoutAccents: [[UInt32]] = (0..<accentsEnd).map { value in
        guard let scalar = Unicode.Scalar(value) else { return [value] }
        if scalar.properties.generalCategory == .nonspacingMark { return [] }
        let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
        let bases = parts.filter { $0.properties.generalCategory != .nonspacingMark }
        return bases.count == parts.count ? [value] : bases.map(\.value)
    }

    /// A part of a mapped text.
    init(_ scalars: some Sequence<UInt32>) { self.scalars = Array(scalars) }

    /// The text of the scalars.
    var text: String {
        var text = String.UnicodeScalarView()
        for value in scalars { if let scalar = Unicode.Scalar(value) { text.append(scalar) } }
        return String(text)
    }

    /// The form in which texts are indexed: without regard to case and accents.
    static func indexed(_ text: String) -> SearchText { SearchText(text, ignoresCase: true, ignoresAccents: true) }

    // MARK: Words

    /// Whether a scalar is part of a word.
    static func isWordPart(_ value: UInt32) -> Bool {
        if value < 0x80 {
            return (value >= 0x30 && value <= 0x39) || (value | 0x20 >= 0x61 && value | 0x20 <= 0x7a)
        }
        guard let properties = Unicode.Scalar(value)?.properties else { return false }
        return properties.isAlphabetic || properties.numericType != nil
            || properties.generalCategory == .nonspacingMark
    }

    /// Whether SQLite, whose tables of letters are older, surely has a token for a scalar.
    static func isSurelyToken(_ value: UInt32) -> Bool {
        switch value {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case 0xc0...0xd6, 0xd8...0xf6, 0xf8...0x24f: true
        case 0x391...0x3a1, 0x3a3...0x3a9, 0x3b1...0x3c9, 0x410...0x44f: true
        case 0x3041...0x3096, 0x30a1...0x30fa, 0x4e00...0x9fa5, 0xac00...0xd7a3: true
        default: false
        }
    }
}
