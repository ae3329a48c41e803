// PredicateFusion: makes one clause of the many that ask for a type of the same attachment.

/// `ANY path UTI-CONFORMS-TO "a" || ANY path UTI-CONFORMS-TO "b" || …` is how nearly every rule is written; as one clause it
/// walks the path once, and for common types is one test of a word. The written clauses stay in the tree beside it.
struct PredicateFusion {
    private(set) var tree: PredicateTree

    /// The tree with fused clauses added, and the clause to begin with.
    static func fused(_ tree: PredicateTree) -> (tree: PredicateTree, root: Int32) {
        var fusion = PredicateFusion(tree: tree)
        for number in fusion.tree.subqueries.indices {
            fusion.tree.subqueries[number].clause = fusion.fuse(fusion.tree.subqueries[number].clause)
        }
        let root = fusion.fuse(tree.root)
        return (fusion.tree, root)
    }

    private mutating func fuse(_ number: Int32) -> Int32 {
        let place = Int(tree.clausePlaces[Int(number)])
        switch tree.clauses[Int(number)] {
        case .constant, .types: return number
        case .not(let inner): return tree.add(.not(fuse(inner)), at: place)
        case .and(let first, let count):
            var fused: [Int32] = []
            for child in tree.numbers(first, count) { fused.append(fuse(child)) }
            return tree.add(.and(first: tree.add(fused), count: Int32(fused.count)), at: place)
        case .or(let first, let count): return or(Array(tree.numbers(first, count)), at: place)
        case .comparison: return question(number).map { clause(for: [$0], at: place) } ?? number
        }
    }

    /// A path and the type asked for.
    private struct Question {
        let path: Int32
        let type: Int32
    }

    private func question(_ number: Int32) -> Question? {
        guard case .comparison(let number) = tree.clauses[Int(number)] else { return nil }
        let comparison = tree.comparisons[Int(number)]
        guard comparison.modifier == .any, comparison.comparator == .conformsTo,
            case .path = tree.operands[Int(comparison.left)], case .text(let type) = tree.operands[Int(comparison.right)]
        else { return nil }
        return Question(path: comparison.left, type: type)
    }

    private func isSamePath(_ left: Int32, _ right: Int32) -> Bool {
        guard case .path(let slot, let first, let count) = tree.operands[Int(left)],
            case .path(let otherSlot, let otherFirst, let otherCount) = tree.operands[Int(right)]
        else { return false }
        return slot == otherSlot && tree.numbers(first, count) == tree.numbers(otherFirst, otherCount)
    }

    private mutating func clause(for questions: [Question], at place: Int) -> Int32 {
        var common: UInt64 = 0
        var others: [Int32] = []
        for question in questions {
            let bit = tree.texts.entries[Int(question.type)].ownBit
            if bit != 0 { common |= bit } else { others.append(question.type) }
        }
        return tree.add(
            .types(path: questions[0].path, common: common, first: tree.add(others), count: Int32(others.count)), at: place)
    }

    /// Neighbours that ask the same path become one.
    private mutating func or(_ clauses: [Int32], at place: Int) -> Int32 {
        var fused: [Int32] = []
        var run: [Question] = []
        for number in clauses {
            let next = question(number)
            if let next, let first = run.first, isSamePath(first.path, next.path) {
                run.append(next)
                continue
            }
            if !run.isEmpty { fused.append(clause(for: run, at: place)) }
            run = next.map { [$0] } ?? []
            if next == nil { fused.append(fuse(number)) }
        }
        if !run.isEmpty { fused.append(clause(for: run, at: place)) }
        if fused.count == 1 { return fused[0] }
        return tree.add(.or(first: tree.add(fused), count: Int32(fused.count)), at: place)
    }
}
