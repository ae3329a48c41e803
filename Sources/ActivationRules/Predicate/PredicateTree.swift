// PredicateTree: a predicate as flat arrays of small values that refer to each other by index.

internal import UniformTypeIdentifiers

/// The tree that the parser makes, the evaluator runs and the printer prints. No element holds a reference.
///
/// Thus a pass through the tree counts no references.
struct PredicateTree: Sendable {
    enum Clause: Sendable {
        case constant(Bool)
        case not(Int32)
        /// Clauses whose numbers are in `children` from `first`.
        case and(first: Int32, count: Int32)
        case or(first: Int32, count: Int32)
        /// An index into `comparisons`.
        case comparison(Int32)
        /// A test whether one of a path's texts conforms to one of several types; only `PredicateFusion` makes it.
        ///
        /// The types are the common ones, as bits of a word, and the constants in `children` from `first`.
        case types(path: Int32, common: UInt64, first: Int32, count: Int32)
        /// The comparison `SUBQUERY(x, …).@count == x.@count`, by an index into `subqueries`.
        ///
        /// The case `some` is `SUBQUERY(x, …).@count > 0`. Only `PredicateFusion` makes both.
        case every(Int32)
        case some(Int32)
    }

    enum Modifier: UInt8, Sendable { case none, any, all, noElement }

    enum Comparator: UInt8, Sendable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
        case conformsTo, typeEquals
        case contains, isIn, beginsWith, endsWith, like, matches, between
    }

    struct Comparison: Sendable {
        var modifier: Modifier
        var comparator: Comparator
        var options: FoldingOptions
        /// The indices of the operands.
        var left: Int32
        var right: Int32
        /// An index into `expressions` if the right side is a constant of MATCHES; else -1.
        var expression: Int32
    }

    enum Operand: Sendable {
        case nothing
        case boolean(Bool)
        case integer(Int64)
        /// An index into `texts`.
        case text(Int32)
        /// Operands whose numbers are in `children` from `first`.
        case list(first: Int32, count: Int32)
        /// A path from a variable's slot, or from the top if the slot is -1.
        ///
        /// The keys are in `children` from `first`, as indices into `texts`; a fused tree may have `~symbol` instead.
        case path(slot: Int32, first: Int32, count: Int32)
        /// The `.@count` of an operand.
        case count(Int32)
        /// An index into `subqueries`.
        case subquery(Int32)
    }

    struct Subquery: Sendable {
        var collection: Int32
        /// The slot of the variable. Each SUBQUERY has its own.
        var slot: Int32
        var clause: Int32
    }

    var clauses: [Clause] = []
    var comparisons: [Comparison] = []
    var operands: [Operand] = []
    var subqueries: [Subquery] = []
    var children: [Int32] = []
    /// The rule's texts. Their own conformance is rarely needed, so the system's types are enough.
    var texts = TextTable(types: .system)
    var expressions: [RegularExpression] = []
    /// The names of the variables by slot, without the dollar sign.
    var variables: [String] = []
    /// The place in the text where each clause begins, in Unicode scalars. `operandPlaces` has the same for operands.
    var clausePlaces: [Int32] = []
    var operandPlaces: [Int32] = []
    var root: Int32 = 0
    /// The maximum number of nested conditions, including those in SUBQUERYs.
    var height = 0

    mutating func add(_ clause: Clause, at place: Int) -> Int32 {
        clauses.append(clause)
        clausePlaces.append(Int32(place))
        return Int32(clauses.count - 1)
    }

    mutating func add(_ operand: Operand, at place: Int) -> Int32 {
        operands.append(operand)
        operandPlaces.append(Int32(place))
        return Int32(operands.count - 1)
    }

    /// Appends a run of numbers, and returns the index of the first.
    mutating func add(_ numbers: [Int32]) -> Int32 {
        children += numbers
        return Int32(children.count - numbers.count)
    }

    func numbers(_ first: Int32, _ count: Int32) -> ArraySlice<Int32> { children[Int(first)..<Int(first + count)] }

    /// Returns the keys of a path.
    func keys(_ first: Int32, _ count: Int32) -> [String] { numbers(first, count).map(texts.text) }
}

extension PredicateTree {
    /// The tree's arrays in place; see `TextTable.View`.
    struct View {
        let clauses: UnsafeBufferPointer<Clause>
        let comparisons: UnsafeBufferPointer<Comparison>
        let operands: UnsafeBufferPointer<Operand>
        let subqueries: UnsafeBufferPointer<Subquery>
        let children: UnsafeBufferPointer<Int32>
        let expressions: UnsafeBufferPointer<RegularExpression>
        let texts: TextTable.View
        let slotCount: Int
    }

    @inline(__always)
    func withView<Result>(_ body: (View) -> Result) -> Result {
        clauses.withUnsafeBufferPointer { clauses in
            comparisons.withUnsafeBufferPointer { comparisons in
                operands.withUnsafeBufferPointer { operands in
                    subqueries.withUnsafeBufferPointer { subqueries in
                        children.withUnsafeBufferPointer { children in
                            expressions.withUnsafeBufferPointer { expressions in
                                texts.withView { texts in
                                    body(
                                        View(
                                            clauses: clauses, comparisons: comparisons, operands: operands,
                                            subqueries: subqueries, children: children, expressions: expressions,
                                            texts: texts,
                                            slotCount: variables.count))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
