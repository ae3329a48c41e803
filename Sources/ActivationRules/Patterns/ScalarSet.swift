// ScalarSet: a set of characters of a regular expression.

struct ScalarSet: Sendable {
    enum Kind: Sendable { case digit, word, space }

    var ranges: [ClosedRange<UInt32>] = []
    var kinds: [(kind: Kind, isNegated: Bool)] = []
    var isNegated = false

    func contains(_ value: UInt32, ignoringCase: Bool) -> Bool {
        if holds(value) { return !isNegated }
        if ignoringCase, let scalar = Unicode.Scalar(value) {
            // The text is in lower case already; the set is unchanged.
            let upper = scalar.properties.uppercaseMapping.unicodeScalars
            if upper.count == 1, let upper = upper.first, holds(upper.value) { return !isNegated }
        }
        return isNegated
    }

    private func holds(_ value: UInt32) -> Bool {
        ranges.contains { $0.contains(value) } || kinds.contains { Self.has(value, $0.kind) != $0.isNegated }
    }

    private static func has(_ value: UInt32, _ kind: Kind) -> Bool {
        guard let scalar = Unicode.Scalar(value) else { return false }
        switch kind {
        case .digit: return scalar.properties.generalCategory == .decimalNumber
        case .word:
            return scalar == "_" || scalar.properties.isAlphabetic
                || scalar.properties.generalCategory == .decimalNumber
        case .space: return scalar.properties.isWhitespace
        }
    }
}
