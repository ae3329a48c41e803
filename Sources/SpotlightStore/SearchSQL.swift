// SearchSQL: the statement that finds the items of a condition.

internal import SQLite

/// The text and the parameters of a statement. Its first column is the number of an item, the highest first.
struct SearchSQL {
    /// The further columns: those of an item, but for its family, and then those of its family.
    private static let (itemColumns, familyColumns) = (
        ", items.identifier, items.domain, items.expires, items.attributes",
        """
        , (SELECT name FROM families WHERE id = items.family), (SELECT owner FROM families WHERE id = items.family)
        """
    )

    /// Returns the statement that reads one item, by its number.
    static func item(hasFamily: Bool) -> String {
        "SELECT id\(itemColumns)\(hasFamily ? familyColumns : "") FROM items WHERE id = ?"
    }

    /// The family whose items are searched.
    struct Scope: Sendable {
        let number: Int
        /// The family's word in the full-text search.
        let word: String
        /// Whether a large part of all items are of it.
        let hasMost: Bool
    }

    /// The column of an item's number, by which the rows are ordered.
    let row: String
    private(set) var values: [Statement.Value] = []
    private let tables: String
    private let columns: String
    private var conditions: [String] = []
    private let narrow: Set<SearchCondition>

    /// - Parameters:
    ///   - condition: the condition.
    ///   - narrow: the conditions on numbers that few items fulfil.
    ///   - scope: the family; nil: all families.
    ///   - readsItems: whether the statement has the columns of the items, and of their families without a scope.
    init(_ condition: SearchCondition, _ narrow: Set<SearchCondition>, scope: Scope?, readsItems: Bool) {
        self.narrow = narrow
        columns = readsItems ? Self.itemColumns + (scope == nil ? Self.familyColumns : "") : ""
        let (words, others) = Self.split(condition)
        // The rows come in order, so a page reads no more of them than it needs. Another plan would sort them all.
        if let words {
            row = "words.rowid"
            tables = others.isEmpty && !readsItems ? "words" : "words CROSS JOIN items ON items.id = words.rowid"
            add("words MATCH ?", .text(scope.map { "(scope : \($0.word)) AND (\(words))" } ?? words))
        } else if let scope {
            row = "items.id"
            // One row after the other is read sooner than each by the index.
            tables = scope.hasMost ? "items NOT INDEXED" : "items INDEXED BY itemsOfFamily"
            add("items.family = ?", .integer(scope.number))
        } else {
            row = "items.id"
            tables = "items NOT INDEXED"
        }
        for other in others {
            let text = text(other, &values)
            conditions.append(text)
        }
    }

    mutating func add(_ condition: String, _ value: Statement.Value) {
        conditions.append(condition)
        values.append(value)
    }

    var text: String {
        """
        SELECT \(row)\(columns) FROM \(tables) WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(row) DESC
        """
    }

    private static func split(_ condition: SearchCondition) -> (words: String?, others: [SearchCondition]) {
        switch condition {
        case .none: (nil, [])
        case .words(let text): (text, [])
        case .all(let parts):
            (
                parts.lazy.compactMap { if case .words(let text) = $0 { text } else { nil } }.first,
                parts.filter { if case .words = $0 { false } else { true } }
            )
        case .number, .any, .contains: (nil, [condition])
        }
    }

    /// The texts that SQLite searches each item for. The query itself decides about further ones, page by page.
    private static let largestCount = 8

    private func text(_ condition: SearchCondition, _ values: inout [Statement.Value]) -> String {
        switch condition {
        case .none: return "1"
        case .words(let text):
            values.append(.text(text))
            return "items.id IN (SELECT rowid FROM words WHERE words MATCH ?)"
        case .contains(let text):
            guard values.count < Self.largestCount else { return "1" }
            values.append(.text(text))
            return "contains(items.body, items.rest, ?)"
        case .number(let name, let range):
            // Few numbers are sooner found than looked for at each item. Those of many would be found anew for each page.
            if narrow.contains(condition) { return "items.id IN (\(Self.numbers(name, range, &values)))" }
            return "EXISTS (\(Self.numbers(name, range, &values)) AND item = items.id)"
        case .all(let parts): return join(parts, " AND ", &values)
        case .any(let parts): return join(parts, " OR ", &values)
        }
    }

    /// Returns the statement that finds the items with a number in a range.
    static func numbers(
        _ name: String, _ range: SearchQuery.NumberRange, _ values: inout [Statement.Value]
    ) -> String {
        values.append(.text(name))
        var text = "SELECT item FROM numbers WHERE name = ?"
        if range.lowest > -.infinity {
            text += range.includesLowest ? " AND value >= ?" : " AND value > ?"
            values.append(.real(range.lowest))
        }
        if range.highest < .infinity {
            text += range.includesHighest ? " AND value <= ?" : " AND value < ?"
            values.append(.real(range.highest))
        }
        return text
    }

    private func join(
        _ parts: [SearchCondition], _ word: String, _ values: inout [Statement.Value]
    ) -> String {
        var texts: [String] = []
        for part in parts { texts.append(text(part, &values)) }
        return "(" + texts.joined(separator: word) + ")"
    }
}
