// PredicateFusion: the transformation of a tree for evaluation: only needed parts, close together, with fused type
// tests.

/// The transformation from the written tree to the evaluated one.
///
/// Nearly every rule has the form `ANY path UTI-CONFORMS-TO "a" || ANY path UTI-CONFORMS-TO "b" || …`. As one clause it
/// resolves the path once, and common types take one test of a word. The time for a thousand rules depends on the
/// memory read, so common keys and types are numbers here instead of texts.
struct PredicateFusion {
    private let written: PredicateTree
    private var tree = PredicateTree()

    static func fused(_ written: PredicateTree) -> PredicateTree {
        var fusion = PredicateFusion(written: written)
        // The slots keep their numbers.
        fusion.tree.variables = written.variables
        fusion.tree.root = fusion.clause(written.root)
        fusion.tree.texts.close()
        return fusion.tree
    }

    private init(written: PredicateTree) { self.written = written }

    private mutating func add(_ clause: PredicateTree.Clause) -> Int32 {
        tree.clauses.append(clause)
        return Int32(tree.clauses.count - 1)
    }

    private mutating func text(_ number: Int32) -> Int32 { tree.texts.number(written.texts.text(number)) }

    // MARK: Clauses

    private mutating func clause(_ number: Int32) -> Int32 {
        switch written.clauses[Int(number)] {
        case .constant, .types, .every, .some: return add(written.clauses[Int(number)])
        case .not(let inner): return add(.not(clause(inner)))
        case .and(let first, let count):
            var fused: [Int32] = []
            for child in written.numbers(first, count) { fused.append(clause(child)) }
            return add(.and(first: tree.add(fused), count: Int32(fused.count)))
        case .or(let first, let count): return or(written.numbers(first, count))
        case .comparison(let comparison):
            if let question = question(number) { return clause(for: [question]) }
            if let fused = counted(written.comparisons[Int(comparison)]) { return fused }
            return add(.comparison(self.comparison(written.comparisons[Int(comparison)])))
        }
    }

    private mutating func comparison(_ comparison: PredicateTree.Comparison) -> Int32 {
        var copy = comparison
        copy.left = operand(comparison.left)
        copy.right = operand(comparison.right)
        if comparison.expression >= 0 {
            tree.expressions.append(written.expressions[Int(comparison.expression)])
            copy.expression = Int32(tree.expressions.count - 1)
        }
        tree.comparisons.append(copy)
        return Int32(tree.comparisons.count - 1)
    }

    /// Fuses adjacent clauses about the same path.
    private mutating func or(_ clauses: ArraySlice<Int32>) -> Int32 {
        var fused: [Int32] = []
        var run: [Question] = []
        for number in clauses {
            let next = question(number)
            if let next, let first = run.first, isSamePath(first.path, next.path) {
                run.append(next)
                continue
            }
            if !run.isEmpty { fused.append(clause(for: run)) }
            run = next.map { [$0] } ?? []
            if next == nil { fused.append(clause(number)) }
        }
        if !run.isEmpty { fused.append(clause(for: run)) }
        return fused.count == 1 ? fused[0] : add(.or(first: tree.add(fused), count: Int32(fused.count)))
    }

    // MARK: Questions for types

    /// A path and the type that its elements are tested for.
    private struct Question {
        let path: Int32
        let type: Int32
    }

    private func question(_ number: Int32) -> Question? {
        guard case .comparison(let number) = written.clauses[Int(number)] else { return nil }
        let comparison = written.comparisons[Int(number)]
        guard comparison.modifier == .any, comparison.comparator == .conformsTo,
            case .path = written.operands[Int(comparison.left)],
            case .text(let type) = written.operands[Int(comparison.right)]
        else { return nil }
        return Question(path: comparison.left, type: type)
    }

    private func isSamePath(_ left: Int32, _ right: Int32) -> Bool {
        guard case .path(let slot, let first, let count) = written.operands[Int(left)],
            case .path(let otherSlot, let otherFirst, let otherCount) = written.operands[Int(right)]
        else { return false }
        return slot == otherSlot && written.numbers(first, count) == written.numbers(otherFirst, otherCount)
    }

    private mutating func clause(for questions: [Question]) -> Int32 {
        var common: UInt64 = 0
        var others: [Int32] = []
        for question in questions {
            let bit = written.texts.entries[Int(question.type)].ownBit
            if bit != 0 { common |= bit } else { others.append(text(question.type)) }
        }
        let path = operand(questions[0].path)
        return add(.types(path: path, common: common, first: tree.add(others), count: Int32(others.count)))
    }

    // MARK: Counts that need not be counted

    /// Fuses comparisons that need no full count, where x is a path.
    ///
    /// These are `SUBQUERY(x, …).@count == x.@count`, either way round, and `SUBQUERY(x, …).@count > 0` or `>= 1`.
    private mutating func counted(_ comparison: PredicateTree.Comparison) -> Int32? {
        guard comparison.modifier == .none else { return nil }
        for (part, whole) in [(comparison.left, comparison.right), (comparison.right, comparison.left)] {
            guard case .count(let counted) = written.operands[Int(part)],
                case .subquery(let number) = written.operands[Int(counted)],
                case .path = written.operands[Int(written.subqueries[Int(number)].collection)]
            else { continue }
            if comparison.comparator == .equal, case .count(let all) = written.operands[Int(whole)],
                isSamePath(all, written.subqueries[Int(number)].collection)
            {
                return add(.every(subquery(number)))
            }
            guard part == comparison.left, case .integer(let least) = written.operands[Int(whole)] else { continue }
            if comparison.comparator == .greater && least == 0 || comparison.comparator == .greaterOrEqual && least == 1
            {
                return add(.some(subquery(number)))
            }
        }
        return nil
    }

    // MARK: Operands

    private mutating func subquery(_ number: Int32) -> Int32 {
        let subquery = written.subqueries[Int(number)]
        let collection = operand(subquery.collection)
        tree.subqueries.append(
            PredicateTree.Subquery(collection: collection, slot: subquery.slot, clause: clause(subquery.clause)))
        return Int32(tree.subqueries.count - 1)
    }

    private mutating func operand(_ number: Int32) -> Int32 {
        let copy: PredicateTree.Operand
        switch written.operands[Int(number)] {
        case .nothing, .boolean, .integer: copy = written.operands[Int(number)]
        case .text(let number): copy = .text(text(number))
        case .list(let first, let count):
            var elements: [Int32] = []
            for element in written.numbers(first, count) { elements.append(operand(element)) }
            copy = .list(first: tree.add(elements), count: count)
        case .path(let slot, let first, let count):
            var keys: [Int32] = []
            for key in written.numbers(first, count) {
                let symbol = written.texts.entries[Int(key)].symbol
                keys.append(symbol >= 0 ? ~symbol : text(key))
            }
            copy = .path(slot: slot, first: tree.add(keys), count: count)
        case .count(let inner): copy = .count(operand(inner))
        case .subquery(let number): copy = .subquery(subquery(number))
        }
        tree.operands.append(copy)
        return Int32(tree.operands.count - 1)
    }
}
