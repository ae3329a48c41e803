// PredicateTruth: the detection of conditions with a constant answer, as far as counts and constants tell.

struct PredicateTruth {
    enum Answer { case always, never, open }

    /// The integers that an operand can have, both ends included. It can also be nil, for which no order holds.
    private struct Range {
        var low: Int64
        var high: Int64

        var isEmpty: Bool { low > high }

        mutating func narrow(to other: Range) { (low, high) = (max(low, other.low), min(high, other.high)) }
    }

    let tree: PredicateTree

    /// Returns the answer of a clause of the written tree.
    func answer(_ number: Int32) -> Answer {
        switch tree.clauses[Int(number)] {
        case .constant(let value): return value ? .always : .never
        case .not(let inner):
            switch answer(inner) {
            case .always: return .never
            case .never: return .always
            case .open: return .open
            }
        case .and(let first, let count):
            let children = tree.numbers(first, count)
            let answers = children.map(answer)
            if answers.contains(.never) || excludeEachOther(children) { return .never }
            return answers.allSatisfy { $0 == .always } ? .always : .open
        case .or(let first, let count):
            let answers = tree.numbers(first, count).map(answer)
            if answers.contains(.always) { return .always }
            return answers.allSatisfy { $0 == .never } ? .never : .open
        case .comparison(let comparison): return answer(tree.comparisons[Int(comparison)])
        // Only fusion makes these.
        case .types, .every, .some: return .open
        }
    }

    private func answer(_ comparison: PredicateTree.Comparison) -> Answer {
        guard comparison.modifier == .none, let left = range(comparison.left), let right = range(comparison.right)
        else {
            return .open
        }
        let isNever: Bool
        switch comparison.comparator {
        case .equal: isNever = left.high < right.low || right.high < left.low
        case .less: isNever = left.low >= right.high
        case .lessOrEqual: isNever = left.low > right.high
        case .greater: isNever = left.high <= right.low
        case .greaterOrEqual: isNever = left.high < right.low
        default: isNever = false
        }
        return isNever ? .never : .open
    }

    private func range(_ operand: Int32) -> Range? {
        switch tree.operands[Int(operand)] {
        case .integer(let value): return Range(low: value, high: value)
        case .count(let inner):
            if case .subquery(let place) = tree.operands[Int(inner)],
                answer(tree.subqueries[Int(place)].clause) == .never
            {
                return Range(low: 0, high: 0)
            }
            return Range(low: 0, high: .max)
        default: return nil
        }
    }

    /// Whether conditions that hold together leave no possible number for one count.
    private func excludeEachOther(_ clauses: ArraySlice<Int32>) -> Bool {
        var ranges: [String: Range] = [:]
        for clause in clauses {
            guard case .comparison(let number) = tree.clauses[Int(clause)] else { continue }
            let comparison = tree.comparisons[Int(number)]
            guard comparison.modifier == .none, case .count = tree.operands[Int(comparison.left)],
                case .integer(let value) = tree.operands[Int(comparison.right)],
                let allowed = Self.allowed(comparison.comparator, value)
            else { continue }
            let count = PredicatePrinter.print(operand: comparison.left, of: tree)
            ranges[count, default: Range(low: 0, high: .max)].narrow(to: allowed)
        }
        return ranges.values.contains(where: \.isEmpty)
    }

    /// Returns the numbers that a comparison allows for a count; nil if the comparator defines no order.
    private static func allowed(_ comparator: PredicateTree.Comparator, _ value: Int64) -> Range? {
        switch comparator {
        case .equal: Range(low: value, high: value)
        case .less: Range(low: 0, high: value == .min ? .min : value - 1)
        case .lessOrEqual: Range(low: 0, high: value)
        case .greater: Range(low: value == .max ? .max : value + 1, high: .max)
        case .greaterOrEqual: Range(low: value, high: .max)
        default: nil
        }
    }
}
