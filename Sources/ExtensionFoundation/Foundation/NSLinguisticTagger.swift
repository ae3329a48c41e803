// NSLinguisticTagger: the words of a text, by rules.

public import Foundation

/// The kinds of tags. Only token types and scripts are known here.
public struct NSLinguisticTagScheme: RawRepresentable, Hashable, Sendable {
    /// The name of the value.
    public let rawValue: String
    /// A value by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A value by its name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Whether a token is a word, punctuation or white space.
    public static let tokenType = NSLinguisticTagScheme("TokenType")
    /// The class of a word; none is found here.
    public static let lexicalClass = NSLinguisticTagScheme("LexicalClass")
    /// The kind of a name; none is found here.
    public static let nameType = NSLinguisticTagScheme("NameType")
    /// The kind of a name, or else the class of a word.
    public static let nameTypeOrLexicalClass = NSLinguisticTagScheme("NameTypeOrLexicalClass")
    /// The base form of a word; none is found here.
    public static let lemma = NSLinguisticTagScheme("Lemma")
    /// The language; none is found here.
    public static let language = NSLinguisticTagScheme("Language")
    /// The script, such as `Latn`.
    public static let script = NSLinguisticTagScheme("Script")
}

/// A tag: a token type, or the code of a script such as `Latn`.
public struct NSLinguisticTag: RawRepresentable, Hashable, Sendable {
    /// The name of the value.
    public let rawValue: String
    /// A value by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A value by its name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// A word.
    public static let word = NSLinguisticTag("Word")
    /// A sign of punctuation.
    public static let punctuation = NSLinguisticTag("Punctuation")
    /// White space.
    public static let whitespace = NSLinguisticTag("Whitespace")
    /// Another token, such as a symbol.
    public static let other = NSLinguisticTag("Other")
    /// A noun.
    public static let noun = NSLinguisticTag("Noun")
    /// A verb.
    public static let verb = NSLinguisticTag("Verb")
    /// An adjective.
    public static let adjective = NSLinguisticTag("Adjective")
    /// An adverb.
    public static let adverb = NSLinguisticTag("Adverb")
    /// The name of a person.
    public static let personalName = NSLinguisticTag("PersonalName")
    /// The name of a place.
    public static let placeName = NSLinguisticTag("PlaceName")
    /// The name of an organization.
    public static let organizationName = NSLinguisticTag("OrganizationName")
    /// A word of another class.
    public static let otherWord = NSLinguisticTag("OtherWord")
}

/// A tagger that finds the tokens of a text by rules (ours), in any language.
///
/// A word is a run of letters and digits, also around an apostrophe or the point of a number. Each ideograph is a word.
/// Lexical classes, names, lemmas and languages have no tag: that takes dictionaries. One thread at a time may use it.
open class NSLinguisticTagger: NSObject {
    /// The tokens that an enumeration leaves out.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits of the options.
        public let rawValue: UInt
        /// Options by their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// No words.
        public static let omitWords = Options(rawValue: 1)
        /// No punctuation.
        public static let omitPunctuation = Options(rawValue: 2)
        /// No white space.
        public static let omitWhitespace = Options(rawValue: 4)
        /// No other tokens.
        public static let omitOther = Options(rawValue: 8)
        /// Has no effect: names are not known.
        public static let joinNames = Options(rawValue: 16)
    }

    /// The schemes that the tagger was made for.
    public let tagSchemes: [NSLinguisticTagScheme]
    /// The text.
    open var string: String? { didSet { tokens = nil } }
    private var tokens: [LinguisticToken]?

    /// - Parameters:
    ///   - tagSchemes: kept only: each enumeration names its scheme.
    ///   - opts: no effect.
    public init(tagSchemes: [NSLinguisticTagScheme], options opts: Int) { self.tagSchemes = tagSchemes }

    /// Returns the schemes that have tags here, for any language.
    open class func availableTagSchemes(forLanguage language: String) -> [NSLinguisticTagScheme] {
        [.tokenType, .script]
    }

    /// Calls `block` for each token that begins in a range, until the block sets the value at its last argument.
    ///
    /// - Parameters:
    ///   - range: the range, in UTF-16.
    ///   - scheme: the kind of tag; nil is the tag of a word of which nothing is known.
    ///   - opts: the tokens that are left out.
    ///   - block: gets the tag, the range of the token, and that of its sentence.
    open func enumerateTags(
        in range: NSRange, scheme: NSLinguisticTagScheme, options opts: Options = [],
        using block: (NSLinguisticTag?, NSRange, NSRange, UnsafeMutablePointer<ObjCBool>) -> Void
    ) {
        var isStopped = ObjCBool(false)
        for token in read() where range.contains(token.range.location) && !opts.contains(token.omitted) {
            block(token.tag(scheme), token.range, token.sentence, &isStopped)
            if isStopped.boolValue { return }
        }
    }

    /// Returns the tag of the token at a place, with the ranges of the token and of its sentence.
    ///
    /// - Parameters:
    ///   - charIndex: the place, in UTF-16.
    ///   - scheme: the kind of tag.
    ///   - tokenRange: gets the range of the token.
    ///   - sentenceRange: gets the range of the sentence.
    open func tag(
        at charIndex: Int, scheme: NSLinguisticTagScheme, tokenRange: UnsafeMutablePointer<NSRange>?,
        sentenceRange: UnsafeMutablePointer<NSRange>?
    ) -> NSLinguisticTag? {
        guard let token = read().first(where: { $0.range.contains(charIndex) }) else { return nil }
        tokenRange?.pointee = token.range
        sentenceRange?.pointee = token.sentence
        return token.tag(scheme)
    }

    private func read() -> [LinguisticToken] {
        if let tokens { return tokens }
        let found = LinguisticToken.all(of: string ?? "")
        tokens = found
        return found
    }
}

/// A word, a sign, or white space.
struct LinguisticToken {
    enum Kind { case word, punctuation, whitespace, other }

    let kind: Kind
    let range: NSRange
    /// The code of the script of a word, by ISO 15924; nil if it is none of the known ones.
    var script: String?
    /// The range of the sentence, with the white space after it.
    var sentence = NSRange()

    /// Reads a text. Each character is of one token.
    static func all(of text: String) -> [LinguisticToken] {
        var found: [LinguisticToken] = []
        var (place, rest) = (0, text[...])
        // The first token, and the place, of the sentence; and whether it ends with white space.
        var (first, start, mayEnd) = (0, 0, false)
        while let sign = rest.first {
            let kind = kind(of: sign)
            var count = 1
            if kind == .whitespace {
                count = rest.prefix { Self.kind(of: $0) == .whitespace }.count
            } else if kind == .word, !isIdeograph(sign) {
                count = wordLength(rest)
            }
            let part = rest.prefix(count)
            let length = part.utf16.count
            found.append(
                LinguisticToken(
                    kind: kind, range: NSRange(location: place, length: length),
                    script: kind == .word ? script(of: sign) : nil))
            place += length
            rest = rest.dropFirst(count)
            let isEnd: Bool =
                kind == .whitespace
                ? mayEnd || part.contains(where: \.isNewline)
                : "。！？".contains(sign) && rest.first?.isWhitespace != true
            mayEnd = kind != .whitespace && ".!?…。！？".contains(sign)
            guard isEnd || rest.isEmpty else { continue }
            for index in first..<found.count {
                found[index].sentence = NSRange(location: start, length: place - start)
            }
            (first, start) = (found.count, place)
        }
        return found
    }

    private static func kind(of character: Character) -> Kind {
        if character.isLetter || character.isNumber || character == "_" { return .word }
        if character.isWhitespace { return .whitespace }
        return character.isPunctuation ? .punctuation : .other
    }

    private static func wordLength(_ text: Substring) -> Int {
        var count = 0
        var place = text.startIndex
        while place < text.endIndex, !isIdeograph(text[place]) {
            if kind(of: text[place]) != .word {
                // A sign within a word has a letter, or for a number a digit, on both sides.
                let after = text.index(after: place)
                guard count > 0, after < text.endIndex else { break }
                let (one, other) = (text[text.index(before: place)], text[after])
                let isApostrophe = "'’".contains(text[place]) && one.isLetter && other.isLetter
                guard isApostrophe || ".,".contains(text[place]) && one.isNumber && other.isNumber else { break }
            }
            count += 1
            place = text.index(after: place)
        }
        return count
    }

    private static func isIdeograph(_ character: Character) -> Bool {
        character.unicodeScalars.first?.properties.isIdeographic == true
    }

    /// The first and the last letter of blocks with one script. Others have no code (ours).
    private static let scripts: [(ClosedRange<UInt32>, String)] = [
        (0x41...0x24F, "Latn"), (0x1E00...0x1EFF, "Latn"), (0x370...0x3FF, "Grek"), (0x1F00...0x1FFF, "Grek"),
        (0x400...0x52F, "Cyrl"), (0x530...0x58F, "Armn"), (0x590...0x5FF, "Hebr"), (0x600...0x77F, "Arab"),
        (0x900...0x97F, "Deva"), (0xE00...0xE7F, "Thai"), (0x10A0...0x10FF, "Geor"), (0x3041...0x309F, "Hira"),
        (0x30A0...0x30FF, "Kana"), (0xAC00...0xD7AF, "Hang"),
    ]

    private static func script(of character: Character) -> String? {
        guard character.isLetter, let scalar = character.unicodeScalars.first else { return nil }
        return scalar.properties.isIdeographic ? "Hani" : scripts.first { $0.0.contains(scalar.value) }?.1
    }

    var omitted: NSLinguisticTagger.Options {
        switch kind {
        case .word: .omitWords
        case .punctuation: .omitPunctuation
        case .whitespace: .omitWhitespace
        case .other: .omitOther
        }
    }

    func tag(_ scheme: NSLinguisticTagScheme) -> NSLinguisticTag? {
        switch scheme {
        case .script: return script.map { NSLinguisticTag($0) }
        case .language, .lemma: return nil
        default: break
        }
        return switch kind {
        case .word: scheme == .tokenType ? .word : nil
        case .punctuation: .punctuation
        case .whitespace: .whitespace
        case .other: .other
        }
    }
}
