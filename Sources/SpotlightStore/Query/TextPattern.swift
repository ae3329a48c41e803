// TextPattern: the text of a comparison, with its wildcards, and the texts that it matches.

internal import Foundation

/// A text with wildcards and modifiers, such as `"fo*"cd`.
///
/// A match takes time in proportion to the lengths of both texts, whatever they contain.
struct TextPattern: Sendable, Hashable {
    /// The way in which a comparison is made.
    struct Modifiers: OptionSet, Sendable, Hashable {
        let rawValue: Int
        /// Upper and lower case are the same.
        static let ignoresCase = Modifiers(rawValue: 1)
        /// Letters are the same with and without accents.
        static let ignoresAccents = Modifiers(rawValue: 2)
        /// The pattern may begin at any word of the text. It ends at the end of a word.
        static let words = Modifiers(rawValue: 4)
        /// Each word of the pattern is one of the text's, in any order.
        static let tokens = Modifiers(rawValue: 8)
    }

    /// The texts between the wildcards, as they were written.
    let pieces: [String]
    let modifiers: Modifiers
    private let segments: [Segment]

    /// - Parameters:
    ///   - pieces: the texts between the wildcards: one more than there are wildcards.
    ///   - modifiers: the modifiers.
    init(pieces: [String], modifiers: Modifiers) {
        self.pieces = pieces
        self.modifiers = modifiers
        segments = pieces.map { piece in
            Segment(
                SearchText(
                    piece, ignoresCase: modifiers.contains(.ignoresCase),
                    ignoresAccents: modifiers.contains(.ignoresAccents)
                ).scalars)
        }
    }

    /// Whether every value matches, also one that is no text: the pattern is `*`.
    var matchesAnything: Bool { pieces.count > 1 && pieces.allSatisfy(\.isEmpty) }

    /// Whether the pattern matches a text.
    func matches(_ text: String) -> Bool {
        if matchesAnything { return true }
        if modifiers.contains(.tokens) { return matchesTokens(of: text) }
        let mapped = folded(text)
        guard modifiers.contains(.words) else {
            return matches(mapped, start: { $0 == 0 }, end: { $0 == mapped.count })
        }
        let (starts, ends) = Self.wordBounds(of: text, folded: folded, mapped)
        return matches(mapped, start: { starts[$0] }, end: { ends[$0] })
    }

    private func folded(_ text: String) -> [UInt32] {
        SearchText(
            text, ignoresCase: modifiers.contains(.ignoresCase),
            ignoresAccents: modifiers.contains(.ignoresAccents)
        ).scalars
    }

    /// Finds the segments one after the other, each as early as possible.
    private func matches(_ text: [UInt32], start: (Int) -> Bool, end: (Int) -> Bool) -> Bool {
        // Before a first wildcard of words lies nothing else: each word may begin the match anyway.
        let isOpenAtStart = segments.count > 1 && segments[0].scalars.isEmpty && !modifiers.contains(.words)
        let isOpenAtEnd = segments.count > 1 && segments[segments.count - 1].scalars.isEmpty
        var parts = segments[...]
        if segments.count > 1, segments[0].scalars.isEmpty { parts = parts.dropFirst() }
        if isOpenAtEnd { parts = parts.dropLast() }
        guard let first = parts.indices.first, let last = parts.indices.last else { return true }
        var place = 0
        for index in parts.indices {
            let found = segments[index].first(in: text, from: place) { position in
                (index != first || isOpenAtStart || start(position))
                    && (index != last || isOpenAtEnd || end(position + segments[index].scalars.count))
            }
            guard let found else { return false }
            place = found + segments[index].scalars.count
        }
        return true
    }

    // MARK: Words

    /// Returns whether a word of the text begins or ends at each place of the mapped text.
    private static func wordBounds(
        of text: String, folded: (String) -> [UInt32], _ mapped: [UInt32]
    ) -> (starts: [Bool], ends: [Bool]) {
        var starts = [Bool](repeating: false, count: mapped.count + 1)
        var ends = starts
        var place = 0
        for word in words(of: text.precomposedStringWithCanonicalMapping) {
            place += folded(word.before).count
            starts[min(place, mapped.count)] = true
            place += folded(word.word).count
            ends[min(place, mapped.count)] = true
        }
        return (starts, ends)
    }

    /// Returns the words of a text, each with what lies between it and the word before. A capital after a small letter
    /// begins another word (documented).
    private static func words(of text: String) -> [(before: String, word: String)] {
        var words: [(before: String, word: String)] = []
        var before = String.UnicodeScalarView()
        var word = String.UnicodeScalarView()
        var wasLower = false
        func finish() {
            if !word.isEmpty { words.append((String(before), String(word))) }
            if !word.isEmpty { before = String.UnicodeScalarView() }
            word = String.UnicodeScalarView()
        }
        for scalar in text.unicodeScalars {
            if SearchText.isWordPart(scalar.value) {
                if wasLower, scalar.properties.isUppercase { finish() }
                word.append(scalar)
                wasLower = scalar.properties.isLowercase
            } else {
                finish()
                before.append(scalar)
                wasLower = false
            }
        }
        finish()
        return words
    }

    /// Whether each word of the pattern is one of the text's. The last may be the beginning of one, before a wildcard.
    private func matchesTokens(of text: String) -> Bool {
        let tokens = Self.tokens(of: folded(text))
        let isPrefix = pieces.count > 1 && pieces[pieces.count - 1].isEmpty
        let wanted = segments.flatMap { Self.tokens(of: $0.scalars) }
        guard let last = wanted.last else { return false }
        let all = Set(tokens)
        for token in wanted.dropLast() where !all.contains(token) { return false }
        return isPrefix ? tokens.contains { $0.starts(with: last) } : all.contains(last)
    }

    private static func tokens(of scalars: [UInt32]) -> [ArraySlice<UInt32>] {
        scalars.split { !SearchText.isWordPart($0) }
    }
}

/// A text that is searched for, by the algorithm of Knuth, Morris and Pratt.
private struct Segment: Sendable, Hashable {
    let scalars: [UInt32]
    /// The length of the longest beginning of the text that also ends at each place.
    private let borders: [Int]

    init(_ scalars: [UInt32]) {
        self.scalars = scalars
        var borders = [Int](repeating: 0, count: scalars.count)
        var length = 0
        for index in scalars.indices.dropFirst() {
            while length > 0, scalars[index] != scalars[length] { length = borders[length - 1] }
            if scalars[index] == scalars[length] { length += 1 }
            borders[index] = length
        }
        self.borders = borders
    }

    /// Returns the first place at or after another where the text is found and a condition holds.
    func first(in text: [UInt32], from start: Int, where fits: (Int) -> Bool) -> Int? {
        guard !scalars.isEmpty else { return (start...text.count).first(where: fits) }
        var length = 0
        var index = start
        while index < text.count {
            while length > 0, text[index] != scalars[length] { length = borders[length - 1] }
            if text[index] == scalars[length] { length += 1 }
            index += 1
            if length == scalars.count {
                if fits(index - length) { return index - length }
                length = borders[length - 1]
            }
        }
        return nil
    }
}
