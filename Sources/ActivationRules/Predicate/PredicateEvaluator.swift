// PredicateEvaluator: the evaluation of a predicate's tree on a subject, without allocation for the usual operators.

/// One evaluation. It recurses at most as deeply as the parser allowed, and counts every step.
///
/// When the work is used up, every test returns false and the evaluation ends at once; the caller reports that.
struct PredicateEvaluator {
    /// A value on one side of an operator.
    enum Value {
        case nothing
        case number(Int64)
        case real(Double)
        /// A text of the rule or of the subject.
        case text(Int32, isOfRule: Bool)
        /// An array, a dictionary, a date or data of the subject.
        case node(Int32)
        /// A list or a SUBQUERY: an operand whose elements are made on demand.
        case collection(Int32)
    }

    let tree: PredicateTree.View
    let subject: RuleSubject.View
    /// The elements bound to variables.
    let slots: UnsafeMutableBufferPointer<Value>
    var work: Int
    /// The destination of a fault during evaluation, such as a bad regular expression that is not a constant.
    ///
    /// It is a pointer, so that this struct holds no references.
    private let fault: UnsafeMutablePointer<RuleError?>

    init(
        tree: PredicateTree.View, subject: RuleSubject.View, slots: UnsafeMutableBufferPointer<Value>, work: Int,
        fault: UnsafeMutablePointer<RuleError?>
    ) {
        self.tree = tree
        self.subject = subject
        self.slots = slots
        self.work = work
        self.fault = fault
    }

    /// Ends the evaluation with an error.
    mutating func fail(_ error: RuleError) {
        fault.pointee = error
        work = -1
    }

    var isAtEnd: Bool { work < 0 }

    // MARK: Clauses

    mutating func holds(_ number: Int32) -> Bool {
        work -= 1
        guard work >= 0 else { return false }
        switch tree.clauses[Int(number)] {
        case .constant(let value): return value
        case .not(let inner): return !holds(inner)
        case .and(let first, let count):
            for place in first..<(first + count) where !holds(tree.children[Int(place)]) { return false }
            return true
        case .or(let first, let count):
            for place in first..<(first + count) where holds(tree.children[Int(place)]) { return true }
            return false
        case .comparison(let comparison): return holds(tree.comparisons[Int(comparison)])
        case .types(let path, let common, let first, let count): return hasType(path, common, first, count)
        case .every(let subquery): return hasElements(tree.subqueries[Int(subquery)], all: true)
        case .some(let subquery): return hasElements(tree.subqueries[Int(subquery)], all: false)
        }
    }

    /// Evaluates `ANY path UTI-CONFORMS-TO …` for several types at once.
    private mutating func hasType(_ path: Int32, _ common: UInt64, _ first: Int32, _ count: Int32) -> Bool {
        guard case .path(let slot, let firstKey, let keyCount) = tree.operands[Int(path)] else { return false }
        let value = self.path(slot, firstKey, keyCount)
        guard case .node(let node) = value, case .array(let start, let length, let facts) = subject.nodes[Int(node)]
        else {
            // The value is an element of a list in the rule itself.
            return hasElement(value) { evaluator, element in
                guard case .text(let text, let isOfRule) = element else { return false }
                return evaluator.isType(text, of: evaluator.texts(isOfRule: isOfRule), common, first, count)
            }
        }
        if subject.facts[Int(facts)].conformance & common != 0 { return true }
        guard count > 0 else { return false }
        for place in start..<(start + length) {
            guard case .text(let text) = subject.nodes[Int(subject.children[Int(place)])] else { continue }
            if isType(text, of: subject.texts, 0, first, count) { return true }
            if work < 0 { return false }
        }
        return false
    }

    private mutating func isType(
        _ text: Int32, of view: TextTable.View, _ common: UInt64, _ first: Int32, _ count: Int32
    ) -> Bool {
        if view.entries[Int(text)].conformance & common != 0 { return true }
        for constant in first..<(first + count) {
            work -= 1
            if view.type(text, conformsTo: tree.children[Int(constant)], of: tree.texts) { return true }
        }
        return false
    }

    @inline(__always)
    mutating func holds(_ comparison: PredicateTree.Comparison) -> Bool {
        let left = side(comparison.left)
        let right = side(comparison.right)
        // This is the usual comparison of a count.
        if comparison.modifier == .none, case .number(let left) = left, case .number(let right) = right {
            switch comparison.comparator {
            case .equal: return left == right
            case .notEqual: return left != right
            case .less: return left < right
            case .lessOrEqual: return left <= right
            case .greater: return left > right
            case .greaterOrEqual: return left >= right
            default: break
            }
        }
        switch comparison.modifier {
        case .none: return test(comparison, left, right)
        case .any: return hasElement(left) { $0.test(comparison, $1, right) }
        case .all: return !hasElement(left) { !$0.test(comparison, $1, right) }
        case .noElement: return !hasElement(left) { $0.test(comparison, $1, right) }
        }
    }

    // MARK: Operands

    /// Returns the value of a comparison's side. Numbers and counts, the usual ones, take no further call.
    @inline(__always)
    private mutating func side(_ number: Int32) -> Value {
        switch tree.operands[Int(number)] {
        case .integer(let value): .number(value)
        case .count(let inner): count(inner).map { .number(Int64($0)) } ?? .nothing
        default: value(number)
        }
    }

    mutating func value(_ number: Int32) -> Value {
        switch tree.operands[Int(number)] {
        case .nothing: return .nothing
        case .boolean(let value): return .number(value ? 1 : 0)
        case .integer(let value): return .number(value)
        case .text(let text): return .text(text, isOfRule: true)
        case .path(let slot, let first, let count):
            return path(slot, first, count)
        case .list, .subquery: return .collection(number)
        case .count(let inner): return self.count(inner).map { .number(Int64($0)) } ?? .nothing
        }
    }

    @inline(__always)
    private mutating func path(_ slot: Int32, _ first: Int32, _ count: Int32) -> Value {
        let start = slot < 0 ? Value.node(subject.root) : slots[Int(slot)]
        if count == 0 { return start }
        guard case .node(var node) = start else { return .nothing }
        for place in first..<(first + count) {
            node = follow(tree.children[Int(place)], from: node)
            if node < 0 { return .nothing }
        }
        return value(ofNode: node)
    }

    /// Returns the node of a key's value, or -1 if there is none.
    @inline(__always)
    private mutating func follow(_ key: Int32, from node: Int32) -> Int32 {
        guard case .dictionary(let first, let count) = subject.nodes[Int(node)] else { return -1 }
        let symbol = key < 0 ? key : ~tree.texts.entries[Int(key)].symbol
        for pair in 0..<Int(count) {
            let place = Int(first) + 2 * pair
            let own = subject.children[place]
            let isSame =
                symbol < 0 ? own == symbol : own >= 0 && subject.texts.bytes(own).elementsEqual(tree.texts.bytes(key))
            if isSame { return subject.children[place + 1] }
            work -= 1
        }
        return -1
    }

    @inline(__always)
    func value(ofNode node: Int32) -> Value {
        switch subject.nodes[Int(node)] {
        case .integer(let value): .number(value)
        case .real(let value): .real(value)
        case .text(let text): .text(text, isOfRule: false)
        case .date, .data, .array, .dictionary: .node(node)
        }
    }

    /// Returns the value of `.@count`; nil if the operand is no collection.
    private mutating func count(_ operand: Int32) -> Int? {
        let value: Value
        switch tree.operands[Int(operand)] {
        case .subquery(let number): return count(tree.subqueries[Int(number)])
        case .path(let slot, let first, let count): value = path(slot, first, count)
        default: value = self.value(operand)
        }
        switch value {
        case .node(let node):
            guard case .array(_, let count, _) = subject.nodes[Int(node)] else { return nil }
            return Int(count)
        case .collection(let operand):
            switch tree.operands[Int(operand)] {
            case .list(_, let count): return Int(count)
            case .subquery(let number): return count(tree.subqueries[Int(number)])
            default: return nil
            }
        default: return nil
        }
    }

    private mutating func count(_ subquery: PredicateTree.Subquery) -> Int {
        let collection = value(subquery.collection)
        var found = 0
        guard case .node(let node) = collection else {
            _ = hasElement(collection) { evaluator, element in
                evaluator.slots[Int(subquery.slot)] = element
                if evaluator.holds(subquery.clause) { found += 1 }
                return false
            }
            return found
        }
        guard case .array(let first, let count, _) = subject.nodes[Int(node)] else { return 0 }
        for place in first..<(first + count) {
            slots[Int(subquery.slot)] = value(ofNode: subject.children[Int(place)])
            if holds(subquery.clause) { found += 1 }
            if work < 0 { break }
        }
        return found
    }

    /// Whether the condition of a SUBQUERY over a path holds for all elements, or for one. It tests no more than
    /// needed.
    private mutating func hasElements(_ subquery: PredicateTree.Subquery, all: Bool) -> Bool {
        guard case .path(let slot, let firstKey, let keyCount) = tree.operands[Int(subquery.collection)] else {
            return false
        }
        let collection = path(slot, firstKey, keyCount)
        guard case .node(let node) = collection, case .array(let first, let count, _) = subject.nodes[Int(node)] else {
            guard isCollection(collection) else { return false }
            // The value is an element of a list in the rule itself.
            return all
                != hasElement(collection) { evaluator, element in
                    evaluator.slots[Int(subquery.slot)] = element
                    return evaluator.holds(subquery.clause) != all
                }
        }
        for place in first..<(first + count) {
            slots[Int(subquery.slot)] = value(ofNode: subject.children[Int(place)])
            if holds(subquery.clause) != all { return !all }
            if work < 0 { return false }
        }
        return all
    }

    /// Whether `test` is true for one element. Nil and single values have no elements.
    mutating func hasElement(_ value: Value, where test: (inout Self, Value) -> Bool) -> Bool {
        switch value {
        case .node(let node):
            guard case .array(let first, let count, _) = subject.nodes[Int(node)] else { return false }
            for place in first..<(first + count) {
                work -= 1
                if work < 0 { return false }
                if test(&self, self.value(ofNode: subject.children[Int(place)])) { return true }
            }
            return false
        case .collection(let operand):
            switch tree.operands[Int(operand)] {
            case .list(let first, let count):
                for place in first..<(first + count) {
                    work -= 1
                    if work < 0 { return false }
                    if test(&self, self.value(tree.children[Int(place)])) { return true }
                }
                return false
            case .subquery(let number):
                let subquery = tree.subqueries[Int(number)]
                return hasElement(self.value(subquery.collection)) { evaluator, element in
                    evaluator.slots[Int(subquery.slot)] = element
                    return evaluator.holds(subquery.clause) && test(&evaluator, element)
                }
            default: return false
            }
        case .nothing, .number, .real, .text: return false
        }
    }

    /// Returns a text's bytes.
    @inline(__always)
    func bytes(_ text: Int32, isOfRule: Bool) -> UnsafeBufferPointer<UInt8> {
        isOfRule ? tree.texts.bytes(text) : subject.texts.bytes(text)
    }

    @inline(__always)
    func texts(isOfRule: Bool) -> TextTable.View { isOfRule ? tree.texts : subject.texts }
}
