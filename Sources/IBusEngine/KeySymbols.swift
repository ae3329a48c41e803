// KeySymbols: the characters of X11's key symbols (X11/keysymdef.h).

/// The symbols of keys that type a character.
enum KeySymbols {
    /// Returns the character that a key types; nil for another key.
    static func character(_ symbol: UInt32) -> Character? {
        switch symbol {
        // Latin 1, and since 1998 all other characters, have the number of the scalar.
        case 0x20...0x7e, 0xa0...0xff: return scalar(symbol)
        case 0x100_0100...0x110_ffff: return scalar(symbol - 0x100_0000)
        // The keypad.
        case 0xff80: return " "
        case 0xffaa...0xffaf, 0xffb0...0xffb9: return scalar(symbol - 0xff80)
        case 0xffbd: return "="
        default: break
        }
        if let run = runs.first(where: { $0.symbol <= symbol && symbol - $0.symbol < $0.count }) {
            return scalar(run.scalar + (symbol - run.symbol))
        }
        return rows[symbol]
    }

    private static func scalar(_ number: UInt32) -> Character? {
        // A control character, or none.
        guard let scalar = Unicode.Scalar(number), scalar.properties.generalCategory != .control else { return nil }
        return Character(scalar)
    }

    /// Symbols in a row with scalars in a row: Arabic, Hebrew, Thai, Korean, the ligature oe, the euro.
    private static let runs: [(symbol: UInt32, scalar: UInt32, count: UInt32)] = [
        (0x5ac, 0x60c, 1), (0x5bb, 0x61b, 1), (0x5bf, 0x61f, 1), (0x5c1, 0x621, 26), (0x5e0, 0x640, 19),
        (0xcdf, 0x2017, 1), (0xce0, 0x5d0, 27), (0xda1, 0xe01, 58), (0xddf, 0xe3f, 15), (0xdf0, 0xe50, 10),
        (0xea1, 0x3131, 51), (0xed4, 0x11a8, 27), (0xeef, 0x316d, 1), (0xef0, 0x3171, 1), (0xef1, 0x3178, 1),
        (0xef2, 0x317f, 1), (0xef3, 0x3181, 1), (0xef4, 0x3184, 1), (0xef5, 0x3186, 1), (0xef6, 0x318d, 2),
        (0xef8, 0x11eb, 1), (0xef9, 0x11f0, 1), (0xefa, 0x11f9, 1), (0x13bc, 0x152, 2), (0x13be, 0x178, 1),
        (0x20ac, 0x20ac, 1),
    ]

    /// Symbols from the first one on; a blank is a symbol without a character.
    private static let rows: [UInt32: Character] = {
        var all: [UInt32: Character] = [:]
        for (first, characters) in written {
            for (place, character) in characters.unicodeScalars.enumerated() where character != " " {
                all[first + UInt32(place)] = Character(character)
            }
        }
        return all
    }()

    private static let written: [(first: UInt32, characters: String)] = [
        // Latin 2.
        (0x1a1, "Ą˘Ł ĽŚ  ŠŞŤŹ ŽŻ ą˛ł ľśˇ šşťź˝žżŔ  Ă ĹĆ Č Ę Ě  ĎĐŃŇ  Ő  ŘŮ Ű"),
        (0x1de, "Ţ ŕ  ă ĺć č ę ě  ďđńň  ő  řů ű  ţ˙"),
        // Latin 3.
        (0x2a1, "Ħ    Ĥ  İ ĞĴ    ħ    ĥ  ı ğĵ"),
        (0x2c5, "ĊĈ"),
        (0x2d5, "Ġ  Ĝ    ŬŜ"),
        (0x2e5, "ċĉ"),
        (0x2f5, "ġ  ĝ    ŭŝ"),
        // Latin 4.
        (0x3a2, "ĸŖ ĨĻ   ĒĢŦ"),
        (0x3b3, "ŗ ĩļ   ēģŧŊ ŋĀ"),
        (0x3c7, "Į    Ė  Ī ŅŌĶ     Ų   ŨŪ ā"),
        (0x3e7, "į    ė  ī ņōķ     ų   ũū"),
        // Katakana.
        (0x47e, "‾"),
        (0x4a1, "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワ"),
        (0x4dd, "ン゛゜"),
        // Cyrillic.
        (0x6a1, "ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏюабцдефгхийклмнопярстужвьызшэ"),
        (0x6dd, "щчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"),
        // Greek.
        (0x7a1, "ΆΈΉΊΪ ΌΎΫ Ώ  ΅― άέήίϊΐόύϋΰώ     ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣ ΤΥΦΧΨΩ"),
        (0x7e1, "αβγδεζηθικλμνξοπρσςτυφχψω"),
        // Publishing.
        (0xaa1, "\u{2003}\u{2002}\u{2004}\u{2005}\u{2007}\u{2008}\u{2009}\u{200a}—–   …‥⅓⅔⅕⅖⅗⅘⅙⅚℅  ‒"),
        (0xac3, "⅛⅜⅝⅞  ™"),
        (0xad0, "‘’“”℞‰′″ ✝"),
        (0xaec, "♣♦♥ ✠†‡✓✗♯♭♂♀☎⌕℗‸‚„"),
    ]
}
