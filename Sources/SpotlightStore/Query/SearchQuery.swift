// SearchQuery: a parsed query of an index, in the language of CSSearchQuery.

/// A condition on the attributes of an item.
///
/// The comparisons, wildcards and modifiers are documented; the rest of the language is that of file metadata queries.
public struct SearchQuery: Sendable, Hashable {
    indirect enum Expression: Sendable, Hashable {
        case all([Expression])
        case any([Expression])
        case not(Expression)
        case text(name: Name, TextPattern)
        case number(name: Name, NumberRange)

        /// The number of comparisons.
        var comparisons: Int {
            switch self {
            case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.comparisons }
            case .not(let part): part.comparisons
            case .text, .number: 1
            }
        }
    }

    /// The attribute of a comparison.
    enum Name: Sendable, Hashable {
        case attribute(String)
        /// Any attribute: `*` or `**`.
        case any
    }

    /// The numbers that a comparison accepts. Dates are seconds since 2001, and true is 1.
    struct NumberRange: Sendable, Hashable {
        var lowest = -Double.infinity
        var highest = Double.infinity
        var includesLowest = true
        var includesHighest = true

        func contains(_ number: Double) -> Bool {
            (includesLowest ? number >= lowest : number > lowest)
                && (includesHighest ? number <= highest : number < highest)
        }
    }

    let expression: Expression

    /// A fault in the text of a query.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// The fault, in words.
        public let message: String
        /// The place of the fault: the number of characters before it.
        public let place: Int
        public var description: String { "\(message), at character \(place + 1)" }
    }

    /// Reads a query.
    ///
    /// - Parameters:
    ///   - text: the query, such as `title == "fo*"cd && rating >= 3`.
    ///   - limits: the bounds of the query.
    ///   - now: the time of `$time`, in seconds since 2001.
    ///   - timeZone: the identifier of the time zone in which days begin; nil: that of the process.
    /// - Throws: `Fault`, with the place of the first fault.
    public init(
        _ text: String, limits: SearchLimits = SearchLimits(), now: Double? = nil, timeZone: String? = nil
    ) throws(Fault) {
        guard text.utf8.count <= limits.queryBytes else {
            throw Fault(message: "the query has more than \(limits.queryBytes) bytes", place: 0)
        }
        var parser = QueryParser(text, limits, QueryTime(now: now, timeZone: timeZone))
        expression = try parser.parse()
    }

    /// Reads a query that an item matches if it matches all of several. Together they have the comparisons of one.
    ///
    /// - Parameter texts: the queries; the other parameters and the error are those of the other initializer.
    public init(
        all texts: [String], limits: SearchLimits = SearchLimits(), now: Double? = nil, timeZone: String? = nil
    ) throws(Fault) {
        var parts: [Expression] = []
        for text in texts {
            parts.append(try SearchQuery(text, limits: limits, now: now, timeZone: timeZone).expression)
        }
        expression = .all(parts)
        guard expression.comparisons <= limits.comparisons else {
            throw Fault(message: "the query and its filters have more than \(limits.comparisons) comparisons", place: 0)
        }
    }

    /// Returns the name of an attribute as it is stored: without the prefix of file metadata.
    static func attribute(_ name: String) -> String {
        for prefix in ["_kMDItem", "kMDItem"] where name.hasPrefix(prefix) && name.count > prefix.count {
            let rest = name.dropFirst(prefix.count)
            if rest.allSatisfy(\.isUppercase) { return rest.lowercased() }
            return rest.prefix(1).lowercased() + rest.dropFirst()
        }
        return name
    }
}
