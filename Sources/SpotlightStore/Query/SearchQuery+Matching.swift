// SearchQuery+Matching: whether an item matches a query.

public import PropertyListCoding

extension SearchQuery {
    /// Whether attributes match the query.
    ///
    /// An attribute with several values matches if one of them does. `!=` is the opposite of `==`, so it also holds
    /// without the attribute.
    public func matches(_ attributes: PropertyListDictionary) -> Bool { Self.matches(expression, attributes) }

    private static func matches(_ expression: Expression, _ attributes: PropertyListDictionary) -> Bool {
        switch expression {
        case .all(let parts): parts.allSatisfy { matches($0, attributes) }
        case .any(let parts): parts.contains { matches($0, attributes) }
        case .not(let part): !matches(part, attributes)
        case .text(let name, let pattern):
            hasValue(name, attributes) { value in
                if pattern.matchesAnything { return true }
                guard case .string(let text) = value else { return false }
                return pattern.matches(text)
            }
        case .number(let name, let range):
            hasValue(name, attributes) { value in value.searchNumber.map(range.contains) ?? false }
        }
    }

    private static func hasValue(
        _ name: Name, _ attributes: PropertyListDictionary, where fits: (PropertyList) -> Bool
    ) -> Bool {
        func any(of value: PropertyList) -> Bool {
            if case .array(let elements) = value { return elements.contains(where: fits) }
            return fits(value)
        }
        switch name {
        case .attribute(let name): return attributes[name].map(any) ?? false
        case .any: return attributes.values.contains(where: any)
        }
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
