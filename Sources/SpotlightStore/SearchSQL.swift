// SearchSQL: the statement that reads the items of a condition.

internal import SQLite

/// The text and the parameters of a statement. Its columns are number, family, identifier, domain, expiry, attributes.
struct SearchSQL {
    /// The column of an item's number, by which the rows are ordered.
    let row: String
    private(set) var values: [Statement.Value] = []
    private let tables: String
    private var conditions: [String] = []

    /// - Parameters:
    ///   - condition: the condition.
    ///   - scope: the family, by its number and its word, and whether most items are of it; nil: all families.
    init(_ condition: SearchCondition, scope: (number: Int, word: String, hasMost: Bool)?) {
        let (words, others) = Self.split(condition)
        // The rows come in order, so a page reads no more of them than it needs. Another plan would sort them all.
        if let words {
            row = "words.rowid"
            tables = "words CROSS JOIN items ON items.id = words.rowid"
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
            let text = Self.text(other, &values)
            conditions.append(text)
        }
    }

    mutating func add(_ condition: String, _ value: Statement.Value) {
        conditions.append(condition)
        values.append(value)
    }

    var text: String {
        """
        SELECT items.id, (SELECT name FROM families WHERE id = items.family), items.identifier, items.domain, \
        items.expires, items.attributes \
        FROM \(tables) WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(row) DESC
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

    private static func text(_ condition: SearchCondition, _ values: inout [Statement.Value]) -> String {
        switch condition {
        case .none: return "1"
        case .words(let text):
            values.append(.text(text))
            return "items.id IN (SELECT rowid FROM words WHERE words MATCH ?)"
        case .contains(let text):
            guard values.count < 2 * largestCount else { return "1" }
            values += [.text(text), .text(text)]
            return "(contains(items.body, ?) OR contains(items.rest, ?))"
        case .number(let name, let range):
            values.append(.text(name))
            var text = "items.id IN (SELECT item FROM numbers WHERE name = ?"
            if range.lowest > -.infinity {
                text += range.includesLowest ? " AND value >= ?" : " AND value > ?"
                values.append(.real(range.lowest))
            }
            if range.highest < .infinity {
                text += range.includesHighest ? " AND value <= ?" : " AND value < ?"
                values.append(.real(range.highest))
            }
            return text + ")"
        case .all(let parts): return join(parts, " AND ", &values)
        case .any(let parts): return join(parts, " OR ", &values)
        }
    }

    private static func join(
        _ parts: [SearchCondition], _ word: String, _ values: inout [Statement.Value]
    ) -> String {
        var texts: [String] = []
        for part in parts { texts.append(text(part, &values)) }
        return "(" + texts.joined(separator: word) + ")"
    }
}
