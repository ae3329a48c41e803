// QueryParser: reads the text of a query.

/// A reader of one query, from left to right. Its nesting is bounded, so its stack is, too.
struct QueryParser {
    private let characters: [Character]
    private var place = 0
    private var depth = 0
    private var comparisons = 0
    private let limits: SearchLimits
    private let time: QueryTime

    init(_ text: String, _ limits: SearchLimits, _ time: QueryTime) {
        characters = Array(text)
        self.limits = limits
        self.time = time
    }

    private typealias Fault = SearchQuery.Fault

    mutating func parse() throws(SearchQuery.Fault) -> SearchQuery.Expression {
        let expression = try alternatives()
        skipSpace()
        guard place == characters.count else { throw fault("“\(characters[place])” is not expected here") }
        return expression
    }

    // MARK: Combinations

    private mutating func alternatives() throws(SearchQuery.Fault) -> SearchQuery.Expression {
        var parts = [try conjunction()]
        while take("||") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(SearchQuery.Fault) -> SearchQuery.Expression {
        var parts = [try term()]
        while take("&&") { parts.append(try term()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func term() throws(SearchQuery.Fault) -> SearchQuery.Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= limits.queryDepth else {
            throw fault("the query is nested more than \(limits.queryDepth) times")
        }
        if take("!") { return .not(try term()) }
        if take("(") {
            let inner = try alternatives()
            guard take(")") else { throw fault("a “)” is missing") }
            return inner
        }
        comparisons += 1
        guard comparisons <= limits.comparisons else {
            throw fault("the query has more than \(limits.comparisons) comparisons")
        }
        return try comparison()
    }

    // MARK: Comparisons

    private mutating func comparison() throws(SearchQuery.Fault) -> SearchQuery.Expression {
        let name = try attribute()
        if name == .attribute("InRange"), take("(") { return try range() }
        skipSpace()
        let start = place
        guard let operation = ["==", "!=", "<=", ">=", "=", "<", ">"].first(where: { take($0) }) else {
            throw fault("a comparison is missing: ==, !=, <, >, <= or >=")
        }
        var modifiers: TextPattern.Modifiers = []
        if take("[") {
            modifiers = try self.modifiers()
            guard take("]") else { throw fault("a “]” is missing") }
        }
        let value = try value(modifiers)
        switch (value, operation) {
        case (.text(let pattern), "=="), (.text(let pattern), "="): return .text(name: name, pattern)
        case (.text(let pattern), "!="): return .not(.text(name: name, pattern))
        case (.text, _): throw Fault(message: "\(operation) compares numbers and dates, not texts", place: start)
        case (.number(let number), _):
            guard modifiers.isEmpty else { throw Fault(message: "a number has no modifiers", place: start) }
            var range = SearchQuery.NumberRange()
            switch operation {
            case "<": (range.highest, range.includesHighest) = (number, false)
            case "<=": range.highest = number
            case ">": (range.lowest, range.includesLowest) = (number, false)
            case ">=": range.lowest = number
            default: (range.lowest, range.highest) = (number, number)
            }
            return operation == "!=" ? .not(.number(name: name, range)) : .number(name: name, range)
        }
    }

    private mutating func range() throws(SearchQuery.Fault) -> SearchQuery.Expression {
        let name = try attribute()
        guard take(",") else { throw fault("a “,” is missing after the attribute") }
        let lowest = try number()
        guard take(",") else { throw fault("a “,” is missing after the lowest value") }
        let highest = try number()
        guard take(")") else { throw fault("a “)” is missing") }
        return .number(name: name, SearchQuery.NumberRange(lowest: lowest, highest: highest))
    }

    private mutating func number() throws(SearchQuery.Fault) -> Double {
        skipSpace()
        let start = place
        guard case .number(let number) = try value([]) else {
            throw Fault(message: "InRange has numbers and dates", place: start)
        }
        return number
    }

    private mutating func attribute() throws(SearchQuery.Fault) -> SearchQuery.Name {
        skipSpace()
        if take("**") || take("*") { return .any }
        let start = place
        while place < characters.count, Self.isNamePart(characters[place]) { place += 1 }
        guard place > start else { throw fault("the name of an attribute is missing") }
        return .attribute(SearchQuery.attribute(String(characters[start..<place])))
    }

    private static func isNamePart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_.:-".contains(character)
    }

    // MARK: Values

    private enum Value {
        case text(TextPattern)
        case number(Double)
    }

    private mutating func value(_ before: TextPattern.Modifiers) throws(SearchQuery.Fault) -> Value {
        skipSpace()
        guard place < characters.count else { throw fault("a value is missing") }
        switch characters[place] {
        case "\"", "'": return .text(try pattern(before))
        case "$": return .number(try date())
        case "*":
            place += 1
            return .text(TextPattern(pieces: ["", ""], modifiers: before))
        default: break
        }
        let start = place
        while place < characters.count, Self.isNamePart(characters[place]) || characters[place] == "+" { place += 1 }
        let word = String(characters[start..<place])
        switch word {
        case "": throw fault("a value is missing")
        case "true", "YES", "yes": return .number(1)
        case "false", "NO", "no": return .number(0)
        default:
            if let number = Double(word), number.isFinite, word.first?.isLetter == false { return .number(number) }
            throw Fault(message: "“\(word)” is no number; a text stands in quotes", place: start)
        }
    }

    /// Reads a text in quotes, with its wildcards and the modifiers behind it.
    private mutating func pattern(_ before: TextPattern.Modifiers) throws(SearchQuery.Fault) -> TextPattern {
        let quote = characters[place]
        place += 1
        var pieces = [""]
        while true {
            guard place < characters.count else { throw fault("the text has no end: a \(quote) is missing") }
            let character = characters[place]
            place += 1
            switch character {
            case quote: return TextPattern(pieces: pieces, modifiers: before.union(try modifiers()))
            case "*": pieces.append("")
            case "\\":
                guard place < characters.count else { throw fault("a character is missing after \\") }
                pieces[pieces.count - 1].append(characters[place])
                place += 1
            default: pieces[pieces.count - 1].append(character)
            }
        }
    }

    private mutating func modifiers() throws(SearchQuery.Fault) -> TextPattern.Modifiers {
        var modifiers: TextPattern.Modifiers = []
        while place < characters.count, characters[place].isLetter {
            switch characters[place] {
            case "c": modifiers.insert(.ignoresCase)
            case "d": modifiers.insert(.ignoresAccents)
            case "w": modifiers.insert(.words)
            case "t": modifiers.insert(.tokens)
            default: throw fault("there is no modifier “\(characters[place])”: c, d, w or t")
            }
            place += 1
        }
        return modifiers
    }

    /// Reads `$time.NAME` or `$time.NAME(…)`.
    private mutating func date() throws(SearchQuery.Fault) -> Double {
        let start = place
        place += 1
        let wordStart = place
        while place < characters.count, Self.isNamePart(characters[place]) { place += 1 }
        let word = String(characters[wordStart..<place])
        guard word.hasPrefix("time.") else { throw Fault(message: "only $time begins with “$”", place: start) }
        let name = String(word.dropFirst(5))
        var argument = ""
        if take("(") {
            guard let end = characters[place...].firstIndex(of: ")") else { throw fault("a “)” is missing") }
            argument = String(characters[place..<end].filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" })
            place = end + 1
        }
        if name == "iso" {
            guard let value = QueryTime.iso(argument) else {
                throw Fault(message: "“\(argument)” is no date like 2026-01-31T12:00:00Z", place: start)
            }
            return value
        }
        guard QueryTime.names.contains(name) else {
            throw Fault(
                message: "there is no $time.\(name): \(QueryTime.names.joined(separator: ", ")) or iso", place: start)
        }
        guard let offset = argument.isEmpty ? 0 : Int(argument), let value = time.value(name, offset: offset) else {
            throw Fault(message: "“\(argument)” is no distance of a date", place: start)
        }
        return value
    }

    // MARK: Characters

    private mutating func skipSpace() {
        while place < characters.count, characters[place].isWhitespace { place += 1 }
    }

    /// Takes a text that comes next, after spaces.
    private mutating func take(_ text: String) -> Bool {
        skipSpace()
        guard characters[place...].starts(with: text) else { return false }
        place += text.count
        return true
    }

    private func fault(_ message: String) -> SearchQuery.Fault { Fault(message: message, place: place) }
}
