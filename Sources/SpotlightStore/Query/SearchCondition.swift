// SearchCondition: a condition that the database can decide, and that holds for every item that matches a query.

/// A necessary condition of a match. The query itself decides about the items for which it holds.
indirect enum SearchCondition: Sendable, Hashable {
    /// The condition of any item: each may match.
    case none
    /// An expression of FTS5.
    case words(String)
    /// The texts of an item contain a text, without regard to case and accents.
    case contains(String)
    /// An attribute has a number in a range.
    case number(name: String, SearchQuery.NumberRange)
    case all([SearchCondition])
    case any([SearchCondition])

    /// The columns that have all texts of an item.
    private static let columns = "{body rest}"

    /// The alternations of && and ||, beyond which an item may match anyway. FTS5 and SQLite bound theirs.
    private static let largestDepth = 6

    init(_ query: SearchQuery) { self.init(query.expression, 0) }

    private init(_ expression: SearchQuery.Expression, _ depth: Int) {
        guard depth <= Self.largestDepth else {
            self = .none
            return
        }
        switch expression {
        case .all: self = Self.all(of: Self.conjunction(expression).map { Self($0, depth + 1) })
        case .any: self = Self.any(of: Self.alternatives(expression).map { Self($0, depth + 1) })
        case .not: self = .none
        case .text(_, let pattern): self = Self.texts(of: pattern)
        // Each attribute could have the number.
        case .number(.any, _): self = .none
        case .number(.attribute(let name), let range): self = .number(name: name, range)
        }
    }

    /// Returns the parts of all conjunctions that stand directly in each other.
    private static func conjunction(_ expression: SearchQuery.Expression) -> [SearchQuery.Expression] {
        if case .all(let parts) = expression { parts.flatMap(conjunction) } else { [expression] }
    }

    private static func alternatives(_ expression: SearchQuery.Expression) -> [SearchQuery.Expression] {
        if case .any(let parts) = expression { parts.flatMap(alternatives) } else { [expression] }
    }

    private static func all(of parts: [SearchCondition]) -> SearchCondition {
        let known = parts.filter { $0 != .none }
        let words = known.compactMap(\.wordsText)
        var others = known.filter { $0.wordsText == nil }
        if !words.isEmpty {
            others.append(.words(words.count == 1 ? words[0] : words.map { "(\($0))" }.joined(separator: " AND ")))
        }
        return others.isEmpty ? .none : others.count == 1 ? others[0] : .all(others)
    }

    private static func any(of parts: [SearchCondition]) -> SearchCondition {
        guard !parts.contains(.none) else { return .none }
        let words = parts.compactMap(\.wordsText)
        guard words.count == parts.count else { return .any(parts) }
        return .words(words.map { "(\($0))" }.joined(separator: " OR "))
    }

    private var wordsText: String? { if case .words(let text) = self { text } else { nil } }

    /// Whether an index finds the items, so that no others are looked at.
    ///
    /// - Parameter narrow: the conditions on numbers that few items fulfil.
    func isIndexed(_ narrow: Set<SearchCondition>) -> Bool {
        switch self {
        case .words: true
        case .number: narrow.contains(self)
        case .all(let parts): parts.contains { $0.isIndexed(narrow) }
        case .none, .any, .contains: false
        }
    }

    /// Whether a part of the condition are words.
    var hasWords: Bool {
        switch self {
        case .words: true
        case .all(let parts), .any(let parts): parts.contains { $0.hasWords }
        case .none, .contains, .number: false
        }
    }

    /// The condition without its words, which also holds for every match.
    var withoutWords: SearchCondition {
        switch self {
        case .words: .none
        case .all(let parts): Self.all(of: parts.map(\.withoutWords))
        case .any(let parts): Self.any(of: parts.map(\.withoutWords))
        case .none, .contains, .number: self
        }
    }

    // MARK: Texts

    /// Returns the condition that the texts of an item fulfil if one of them matches a pattern.
    private static func texts(of pattern: TextPattern) -> SearchCondition {
        if pattern.matchesAnything { return .none }
        if let words = words(of: pattern) { return .words("\(Self.columns) : (\(words))") }
        // The words of a pattern may stand in another order.
        let parts =
            pattern.modifiers.contains(.tokens)
            ? pattern.pieces.flatMap { piece in
                SearchText.indexed(piece).scalars.split { !SearchText.isWordPart($0) }.map { SearchText($0).text }
            } : pattern.pieces.map { SearchText.indexed($0).text }
        return all(of: parts.filter { !$0.isEmpty }.map { .contains($0) })
    }

    /// Returns the words that each match of a pattern has, as an expression of FTS5; nil if none is known.
    private static func words(of pattern: TextPattern) -> String? {
        // The words of these modifiers are not those of the index.
        guard pattern.modifiers.isDisjoint(with: [.words, .tokens]) else { return nil }
        var phrases: [String] = []
        for (index, piece) in pattern.pieces.enumerated() {
            let isLast = index == pattern.pieces.count - 1
            // What follows a wildcard may be the end of a word.
            let text = index == 0 ? piece[...] : piece.firstIndex(of: " ").map { piece[$0...] } ?? ""
            if let phrase = phrase(text, isPrefix: !isLast) { phrases.append(phrase) }
        }
        return phrases.isEmpty ? nil : phrases.joined(separator: " AND ")
    }

    /// Returns a phrase of FTS5.
    ///
    /// - Parameters:
    ///   - text: the words of the phrase.
    ///   - isPrefix: whether the last of them may be the beginning of a word.
    /// - Returns: nil if the text might have no word: FTS5 would find nothing.
    static func phrase(_ text: some StringProtocol, isPrefix: Bool) -> String? {
        phrase(text, isPrefix: isPrefix, where: SearchText.isSurelyToken)
    }

    private static func phrase(
        _ text: some StringProtocol, isPrefix: Bool, where isToken: (UInt32) -> Bool
    ) -> String? {
        let mapped = SearchText.indexed(String(text))
        guard mapped.scalars.contains(where: isToken) else { return nil }
        return "\"" + mapped.text.replacing("\"", with: "\"\"") + "\"" + (isPrefix ? " *" : "")
    }

    /// Returns the condition of a search for free words: each is the beginning of a word of the main texts.
    ///
    /// - Returns: nil without a word.
    static func freeWords(_ text: String, limit: Int) -> SearchCondition? {
        let phrases = text.split(whereSeparator: \.isWhitespace).prefix(limit).compactMap {
            // What FTS5 finds is the answer here, and no candidate for another test: so any letter will do.
            phrase($0, isPrefix: true, where: SearchText.isWordPart)
        }
        return phrases.isEmpty ? nil : .words("body : (" + phrases.joined(separator: " AND ") + ")")
    }
}
