// AttachmentQuestion: the usual predicate as three small values: how many items have how many attachments of some
// types.

/// The predicate of Apple's guide, with any types and counts. On an `AttachmentTable` it is evaluated without a tree.
///
/// The form is `SUBQUERY(extensionItems, $item, SUBQUERY($item.attachments, $attachment, ANY
/// $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "…" || …).@count == $item.attachments.@count).@count == 1`.
struct AttachmentQuestion: Sendable {
    /// The required number of elements of a collection.
    enum Amount: Sendable, Hashable {
        case all
        case within(ClosedRange<Int64>)

        @inline(__always)
        func holds(_ count: Int, of all: Int) -> Bool {
            switch self {
            case .all: count == all
            case .within(let range): range.contains(Int64(count))
            }
        }
    }

    let items: Amount
    let attachments: Amount
    /// The common types, as bits. An attachment conforms to one of them.
    let types: UInt64

    /// Recognizes the question in a tree; nil for a tree of any other form.
    ///
    /// - Parameter tree: a fused tree.
    init?(_ tree: PredicateTree) {
        guard let outer = Self.counted(tree.root, in: tree, slot: -1, key: "extensionItems"),
            let inner = Self.counted(outer.clause, in: tree, slot: outer.slot, key: "attachments"),
            case .types(let path, let common, _, 0) = tree.clauses[Int(inner.clause)],
            Self.isPath(path, in: tree, slot: inner.slot, key: "registeredTypeIdentifiers")
        else { return nil }
        (items, attachments, types) = (outer.amount, inner.amount, common)
    }

    /// - Parameter table: a table that is whole.
    @inline(__always)
    func holds(of table: AttachmentTable) -> Bool {
        var (found, start) = (0, 0)
        for end in table.ends {
            var conforming = 0
            for place in start..<end where table.conformances[place] & types != 0 { conforming += 1 }
            if attachments.holds(conforming, of: end - start) { found += 1 }
            start = end
        }
        return items.holds(found, of: table.ends.count)
    }

    /// Returns the parts of a clause that counts the elements of a collection for which another clause holds.
    private static func counted(
        _ clause: Int32, in tree: PredicateTree, slot: Int32, key: String
    ) -> (amount: Amount, slot: Int32, clause: Int32)? {
        let amount: Amount
        let number: Int32
        switch tree.clauses[Int(clause)] {
        case .every(let subquery): (amount, number) = (.all, subquery)
        case .some(let subquery): (amount, number) = (.within(1...Int64.max), subquery)
        case .comparison(let place):
            let comparison = tree.comparisons[Int(place)]
            guard comparison.modifier == .none, case .count(let counted) = tree.operands[Int(comparison.left)],
                case .subquery(let subquery) = tree.operands[Int(counted)],
                case .integer(let value) = tree.operands[Int(comparison.right)],
                let range = range(comparison.comparator, value)
            else { return nil }
            (amount, number) = (.within(range), subquery)
        default: return nil
        }
        let subquery = tree.subqueries[Int(number)]
        guard isPath(subquery.collection, in: tree, slot: slot, key: key) else { return nil }
        return (amount, subquery.slot, subquery.clause)
    }

    private static func isPath(_ operand: Int32, in tree: PredicateTree, slot: Int32, key: String) -> Bool {
        guard case .path(slot, let first, 1) = tree.operands[Int(operand)] else { return false }
        return tree.children[Int(first)] == ~TextTable.Symbol.number(key)
    }

    /// Returns the numbers that satisfy a comparison; nil if they are no range.
    private static func range(_ comparator: PredicateTree.Comparator, _ value: Int64) -> ClosedRange<Int64>? {
        switch comparator {
        case .equal: value...value
        case .lessOrEqual: Int64.min...value
        case .greaterOrEqual: value...Int64.max
        case .less where value > Int64.min: Int64.min...value - 1
        case .greater where value < Int64.max: value + 1...Int64.max
        default: nil
        }
    }
}
