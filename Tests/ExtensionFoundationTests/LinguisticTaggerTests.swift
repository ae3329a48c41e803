// LinguisticTaggerTests: the tokens of texts, by rules.

import ExtensionFoundation
import Foundation
import Testing

@Suite struct LinguisticTaggerTests {
    private static func tagger(_ text: String) -> NSLinguisticTagger {
        let tagger = NSLinguisticTagger(
            tagSchemes: NSLinguisticTagger.availableTagSchemes(forLanguage: "en"), options: 0)
        tagger.string = text
        return tagger
    }

    private static func tokens(
        _ text: String, _ scheme: NSLinguisticTagScheme = .tokenType, _ options: NSLinguisticTagger.Options = []
    ) -> [String] {
        var found: [String] = []
        let whole = NSRange(location: 0, length: text.utf16.count)
        tagger(text).enumerateTags(in: whole, scheme: scheme, options: options) { tag, range, _, _ in
            found.append("\(NSString(string: text).substring(with: range)) \(tag?.rawValue ?? "-")")
        }
        return found
    }

    @Test(
        "words, signs and white space are tokens",
        arguments: [
            ("Don't pay $1,000.50!", ["Don't", "pay", "1,000.50"]),
            ("the ’end’ of U.S.", ["the", "end", "of", "U", "S"]),
            ("🎈 Ça va?", ["Ça", "va"]), ("日本 and", ["日", "本", "and"]), ("", []), ("'", []),
        ])
    func words(text: String, words: [String]) {
        let found = Self.tokens(text, .tokenType, [.omitWhitespace, .omitPunctuation, .omitOther])
        #expect(found == words.map { "\($0) Word" })
    }

    // not simulated: N-311
    @Test("tags are token types and scripts, and names and lexical classes have none")
    func tags() {
        #expect(Self.tokens("a, €") == ["a Word", ", Punctuation", "  Whitespace", "€ Other"])
        #expect(Self.tokens("Ann ждёт 漢 7", .script, .omitWhitespace) == ["Ann Latn", "ждёт Cyrl", "漢 Hani", "7 -"])
        #expect(Self.tokens("Ann runs", .nameType, .omitWhitespace) == ["Ann -", "runs -"])
        #expect(Self.tokens("Ann runs", .lexicalClass, .omitWords) == ["  Whitespace"])
        #expect(Self.tokens("a, b", .lemma) == ["a -", ", -", "  -", "b -"])
        #expect(NSLinguisticTagger.availableTagSchemes(forLanguage: "de") == [.tokenType, .script])
    }

    @Test("a token has its sentence, a range bounds them, and a block stops them")
    func sentences() {
        let text = "One two. Three 3.5?\nFour。五"
        var sentences: [String] = []
        let whole = NSRange(location: 0, length: text.utf16.count)
        Self.tagger(text).enumerateTags(in: whole, scheme: .tokenType, options: .omitWhitespace) { _, _, range, _ in
            let sentence = NSString(string: text).substring(with: range)
            if sentences.last != sentence { sentences.append(sentence) }
        }
        #expect(sentences == ["One two. ", "Three 3.5?\n", "Four。", "五"])
        var (token, sentence) = (NSRange(), NSRange())
        let tag = Self.tagger(text).tag(at: 5, scheme: .tokenType, tokenRange: &token, sentenceRange: &sentence)
        #expect(tag == .word && token == NSRange(location: 4, length: 3) && sentence == NSRange(location: 0, length: 9))
        #expect(Self.tagger("").tag(at: 0, scheme: .tokenType, tokenRange: nil, sentenceRange: nil) == nil)
        var count = 0
        Self.tagger(text).enumerateTags(in: NSRange(location: 4, length: 9), scheme: .tokenType) { _, _, _, stop in
            count += 1
            stop.pointee = ObjCBool(count == 2)
        }
        #expect(count == 2)
    }
}
