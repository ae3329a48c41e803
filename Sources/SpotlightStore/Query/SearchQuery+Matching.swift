// SearchQuery+Matching: whether an item matches a query.

public import PropertyListCoding

extension SearchQuery {
    /// Whether attributes match the query.
    ///
    /// An attribute with several values matches if one of them does. `!=` is the opposite of `==`, so it also holds
    /// without the attribute.
    public func matches(_ attributes: PropertyListDictionary) -> Bool {
        var work = MatchWork(bound: .max)
        return (try? matches(attributes, &work)) ?? false
    }

    /// Whether attributes match the query, with a bound of the work.
    func matches(_ attributes: PropertyListDictionary, _ work: inout MatchWork) throws(MatchWork.Exceeded) -> Bool {
        try Self.matches(expression, attributes, &work)
    }

    private static func matches(
        _ expression: Expression, _ attributes: PropertyListDictionary, _ work: inout MatchWork
    ) throws(MatchWork.Exceeded) -> Bool {
        switch expression {
        case .all(let parts):
            for part in parts where try !matches(part, attributes, &work) { return false }
            return true
        case .any(let parts):
            for part in parts where try matches(part, attributes, &work) { return true }
            return false
        case .not(let part): return try !matches(part, attributes, &work)
        case .text(let name, let pattern):
            return try hasValue(name, attributes, &work) { value in
                if pattern.matchesAnything { return true }
                guard case .string(let text) = value else { return false }
                return pattern.matches(text)
            }
        case .number(let name, let range):
            return try hasValue(name, attributes, &work) { value in value.searchNumber.map(range.contains) ?? false }
        }
    }

    private static func hasValue(
        _ name: Name, _ attributes: PropertyListDictionary, _ work: inout MatchWork, where fits: (PropertyList) -> Bool
    ) throws(MatchWork.Exceeded) -> Bool {
        switch name {
        case .attribute(let name):
            guard let value = attributes[name] else { return false }
            return try has(value, &work, where: fits)
        case .any:
            for value in attributes.values where try has(value, &work, where: fits) { return true }
            return false
        }
    }

    private static func has(
        _ value: PropertyList, _ work: inout MatchWork, where fits: (PropertyList) -> Bool
    ) throws(MatchWork.Exceeded) -> Bool {
        guard case .array(let elements) = value else {
            try work.compare(value)
            return fits(value)
        }
        for element in elements {
            try work.compare(element)
            if fits(element) { return true }
        }
        return false
    }
}

/// The work of comparisons, in the steps in which the work of the database is counted.
struct MatchWork {
    /// The bound was reached.
    struct Exceeded: Error {}

    /// The bytes that are read in the time of a step, and those that are compared.
    static let (bytesOfStep, comparedBytesOfStep) = (16, 4)

    private(set) var steps = 0
    let bound: Int

    init(bound: Int) { self.bound = bound }

    /// Counts the comparison of a value.
    mutating func compare(_ value: PropertyList) throws(Exceeded) {
        if case .string(let text) = value { steps += text.utf8.count / Self.comparedBytesOfStep }
        steps += 1
        guard steps <= bound else { throw Exceeded() }
    }
}

extension PropertyList {
    /// The number by which queries compare the value; nil for a text and the like.
    var searchNumber: Double? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .real(let value): value
        case .date(let value): value
        default: nil
        }
    }
}
