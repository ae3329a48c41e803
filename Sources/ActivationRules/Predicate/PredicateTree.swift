// PredicateTree: a predicate as flat arrays of small values that refer to each other by number.

internal import UniformTypeIdentifiers

/// What the parser makes, the evaluator walks and the printer writes. No element holds a reference, so that a walk counts none.
struct PredicateTree: Sendable {
    enum Clause: Sendable {
        case constant(Bool)
        case not(Int32)
        /// Clauses whose numbers are in `children` from `first`.
        case and(first: Int32, count: Int32)
        case or(first: Int32, count: Int32)
        /// A number in `comparisons`.
        case comparison(Int32)
        /// Made by `PredicateFusion`: whether one of the texts that a path leads to conforms to one of several types: the common
        /// ones of a word, and the constants in `children` from `first`.
        case types(path: Int32, common: UInt64, first: Int32, count: Int32)
        /// Made by it, too: `SUBQUERY(x, …).@count == x.@count`, and `SUBQUERY(x, …).@count > 0`. A number in `subqueries`.
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
        /// Operands.
        var left: Int32
        var right: Int32
        /// A number in `expressions` where the right side is a constant of MATCHES; else -1.
        var expression: Int32
    }

    enum Operand: Sendable {
        case nothing
        case boolean(Bool)
        case integer(Int64)
        /// A number in `texts`.
        case text(Int32)
        /// Operands whose numbers are in `children` from `first`.
        case list(first: Int32, count: Int32)
        /// Keys whose texts (when fused: or `~symbol`) are in `children` from `first`, followed from a variable's slot, or from the top where it is -1.
        case path(slot: Int32, first: Int32, count: Int32)
        /// `.@count` of an operand.
        case count(Int32)
        /// A number in `subqueries`.
        case subquery(Int32)
    }

    struct Subquery: Sendable {
        var collection: Int32
        /// Each SUBQUERY has a slot of its own.
        var slot: Int32
        var clause: Int32
    }

    var clauses: [Clause] = []
    var comparisons: [Comparison] = []
    var operands: [Operand] = []
    var subqueries: [Subquery] = []
    var children: [Int32] = []
    /// A rule's own texts are seldom asked what they conform to: the system's types are enough for them.
    var texts = TextTable(types: .system)
    var expressions: [RegularExpression] = []
    /// Names of variables by slot, without the dollar sign.
    var variables: [String] = []
    /// Where in the text each clause and each operand begins, as offsets in Unicode scalars.
    var clausePlaces: [Int32] = []
    var operandPlaces: [Int32] = []
    var root: Int32 = 0
    /// How many conditions stand within each other, those in SUBQUERYs included.
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

    /// Appends a run of numbers; where it begins.
    mutating func add(_ numbers: [Int32]) -> Int32 {
        children += numbers
        return Int32(children.count - numbers.count)
    }

    func numbers(_ first: Int32, _ count: Int32) -> ArraySlice<Int32> { children[Int(first)..<Int(first + count)] }

    /// The keys of a path.
    func keys(_ first: Int32, _ count: Int32) -> [String] { numbers(first, count).map(texts.text) }
}

extension PredicateTree {
    /// The tree in place; see `TextTable.View`.
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
                                            subqueries: subqueries, children: children, expressions: expressions, texts: texts,
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
