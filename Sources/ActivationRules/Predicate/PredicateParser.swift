// PredicateParser: the parser of a predicate's text into its tree: tokens, conditions, comparisons.
//
// Parentheses and NOT take no stack. The contents of a SUBQUERY are parsed by recursive descent with a bounded depth.

struct PredicateParser {
    private var lexer: PredicateLexer
    var token = PredicateToken.end
    /// The place where `token` begins.
    var place = 0
    /// The token in lower case if it is a word; else empty.
    var keyword = ""
    var tree = PredicateTree()
    /// The variables that are visible at this place, innermost last.
    var scope: [(name: String, slot: Int32)] = []
    private var depth = 0
    /// The number of conditions in the deepest nesting of each clause of the tree.
    private var heights: [Int] = []
    /// The highest condition of the SUBQUERYs in the comparison that is being parsed.
    private var innerHeight = 0
    /// The nesting depth of braces, which has its own bound: a list is no condition.
    var listDepth = 0

    /// Parses a text. Errors carry line and column.
    static func parse(_ text: String) throws(RuleError) -> PredicateTree {
        guard text.utf8.count <= PredicateBounds.bytes else {
            throw RuleError(
                "the predicate has \(text.utf8.count) bytes; the limit is \(PredicateBounds.bytes)", hint: "Shorten it")
        }
        var parser = PredicateParser(lexer: PredicateLexer(text))
        try parser.advance()
        if parser.token == .end {
            throw parser.unexpected("the predicate is empty", hint: "Write a condition, or use the dictionary form")
        }
        parser.tree.root = try parser.or()
        parser.tree.height = parser.heights[Int(parser.tree.root)]
        guard parser.token == .end else { throw parser.trailing() }
        parser.tree.texts.close()
        return parser.tree
    }

    private init(lexer: PredicateLexer) { self.lexer = lexer }

    // MARK: Tokens

    mutating func advance() throws(RuleError) {
        lexer.skipSpace()
        place = lexer.place
        token = try lexer.next()
        if case .word(let word) = token { keyword = word.lowercased() } else { keyword = "" }
    }

    func unexpected(_ message: String, hint: String, at place: Int? = nil) -> RuleError {
        lexer.error(message, at: place ?? self.place, hint: hint)
    }

    mutating func take(_ expected: PredicateToken) throws(RuleError) -> Bool {
        guard token == expected else { return false }
        try advance()
        return true
    }

    private func position(_ place: Int) -> String {
        let (line, column) = PredicateLexer.position(of: place, in: lexer.scalars)
        return "line \(line), column \(column)"
    }

    /// Runs `body` one nesting level deeper.
    mutating func nested<Result>(
        _ counter: WritableKeyPath<Self, Int> = \.depth, _ body: (inout Self) throws(RuleError) -> Result
    ) throws(RuleError) -> Result {
        guard self[keyPath: counter] < PredicateBounds.depth else {
            throw unexpected("more than \(PredicateBounds.depth) levels of nesting", hint: "Make the predicate flatter")
        }
        self[keyPath: counter] += 1
        defer { self[keyPath: counter] -= 1 }
        return try body(&self)
    }

    // MARK: Clauses

    /// An open parenthesis, or the whole text, with the clauses parsed in it.
    private struct Group {
        /// The place of the parenthesis; -1 for the whole text.
        let open: Int
        /// The places of the NOTs before it.
        let negations: [Int]
        /// The places where the disjunction and its last conjunction begin.
        let start: Int
        var last: Int
        var disjuncts: [Int32] = []
        var conjuncts: [Int32] = []
    }

    /// Parses a condition to its end. OR binds weakest, then AND, then NOT.
    mutating func or() throws(RuleError) -> Int32 {
        var groups = [Group(open: -1, negations: [], start: place, last: place)]
        while true {
            var negations: [Int] = []
            while token == .not || keyword == "not" {
                negations.append(place)
                try advance()
            }
            if token == .open {
                let open = place
                try advance()
                groups.append(Group(open: open, negations: negations, start: place, last: place))
                continue
            }
            var clause = try negated(try constantOrComparison(), negations)
            // The clause may finish conjunctions, disjunctions, and parentheses that close.
            while let group = groups.popLast() {
                var group = group
                group.conjuncts.append(clause)
                if token == .and || keyword == "and" {
                    try advance()
                    groups.append(group)
                    break
                }
                group.disjuncts.append(try joined(group.conjuncts, at: group.last) { .and(first: $0, count: $1) })
                group.conjuncts = []
                if token == .or || keyword == "or" {
                    try advance()
                    group.last = place
                    groups.append(group)
                    break
                }
                clause = try joined(group.disjuncts, at: group.start) { .or(first: $0, count: $1) }
                guard group.open >= 0 else {
                    innerHeight = max(innerHeight, heights[Int(clause)])
                    return clause
                }
                try close(.close, "the parenthesis", openedAt: group.open)
                clause = try negated(clause, group.negations)
            }
        }
    }

    private mutating func joined(
        _ clauses: [Int32], at start: Int, _ make: (_ first: Int32, _ count: Int32) -> PredicateTree.Clause
    ) throws(RuleError) -> Int32 {
        guard clauses.count > 1 else { return clauses[0] }
        let inner = clauses.reduce(0) { max($0, heights[Int($1)]) }
        return try add(make(tree.add(clauses), Int32(clauses.count)), around: inner, at: start)
    }

    /// Adds a clause whose highest inner one has the height `inner`.
    private mutating func add(_ clause: PredicateTree.Clause, around inner: Int = 0, at start: Int) throws(RuleError)
        -> Int32
    {
        guard inner < PredicateBounds.conditions else {
            throw unexpected(
                "more than \(PredicateBounds.conditions) nested conditions", hint: "Make the predicate flatter",
                at: start)
        }
        heights.append(inner + 1)
        return tree.add(clause, at: start)
    }

    /// Adds the NOTs of a clause. Two of them cancel, so any number adds at most one level to the tree.
    private mutating func negated(_ clause: Int32, _ places: [Int]) throws(RuleError) -> Int32 {
        var clause = clause
        for place in places.reversed() {
            if case .not(let inner) = tree.clauses[Int(clause)] {
                clause = inner
            } else {
                clause = try add(.not(clause), around: heights[Int(clause)], at: place)
            }
        }
        return clause
    }

    private mutating func constantOrComparison() throws(RuleError) -> Int32 {
        let start = place
        switch keyword {
        case "truepredicate", "falsepredicate":
            let value = keyword == "truepredicate"
            try advance()
            return try add(.constant(value), at: start)
        default: return try comparison()
        }
    }

    mutating func close(_ expected: PredicateToken, _ what: String, openedAt start: Int) throws(RuleError) {
        guard try take(expected) else {
            if case .error(let error) = chained() { throw error }
            throw unexpected(
                "expected \(expected.written), found \(token.written)",
                hint: "\(what) of \(position(start)) is not closed here")
        }
    }

    private enum Chained { case no, error(RuleError) }

    /// Whether an operator follows a finished comparison, with the error for it.
    private func chained() -> Chained {
        if case .symbol = token {
            return .error(
                unexpected(
                    "\(token.written) after a comparison", hint: "Comparisons do not chain: join two of them with AND"))
        }
        if case .word = token, Self.comparators[keyword] != nil {
            return .error(
                unexpected(
                    "\(token.written) after a comparison", hint: "Comparisons do not chain: join two of them with AND"))
        }
        return .no
    }

    /// Creates the error for text behind a whole predicate.
    private func trailing() -> RuleError {
        if case .error(let error) = chained() { return error }
        switch token {
        case .close, .closeBrace, .closeBracket:
            return unexpected("\(token.written) closes nothing", hint: "Remove it, or open it before")
        default:
            return unexpected(
                "expected AND, OR or the end, found \(token.written)", hint: "Join two conditions with AND or OR")
        }
    }

    static let modifiers: [String: PredicateTree.Modifier] = [
        "any": .any, "some": .any, "all": .all, "none": .noElement,
    ]

    private static let symbols: [String: PredicateTree.Comparator] = [
        "==": .equal, "=": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, ">": .greater, "<=": .lessOrEqual,
        "=<": .lessOrEqual, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
    ]

    static let comparators: [String: PredicateTree.Comparator] = [
        "uti-conforms-to": .conformsTo, "uti-equals": .typeEquals, "contains": .contains, "in": .isIn,
        "beginswith": .beginsWith,
        "endswith": .endsWith, "like": .like, "matches": .matches, "between": .between,
    ]

    mutating func comparison() throws(RuleError) -> Int32 {
        let start = place
        let outerHeight = innerHeight
        innerHeight = 0
        defer { innerHeight = outerHeight }
        var modifier = PredicateTree.Modifier.none
        if let word = Self.modifiers[keyword] {
            modifier = word
            try advance()
        }
        let left = try operand()
        let comparator = try comparator(start)
        let options = try options()
        let rightPlace = place
        let right = try operand()
        var expression: Int32 = -1
        switch (comparator, tree.operands[Int(right)]) {
        case (.matches, .text(let text)):
            do {
                tree.expressions.append(try RegularExpression(tree.texts.text(text), options: options))
                expression = Int32(tree.expressions.count - 1)
            } catch {
                throw unexpected(error.message, hint: error.hint, at: rightPlace)
            }
        case (.between, .list(_, let count)) where count != 2:
            throw unexpected(
                "BETWEEN has \(count) bounds", hint: "Give it two: BETWEEN {low, high}", at: rightPlace)
        case (.between, .integer), (.between, .text), (.between, .boolean), (.between, .nothing):
            throw unexpected("BETWEEN has one bound", hint: "Give it two: BETWEEN {low, high}", at: rightPlace)
        default: break
        }
        tree.comparisons.append(
            PredicateTree.Comparison(
                modifier: modifier, comparator: comparator, options: options, left: left, right: right,
                expression: expression))
        return try add(.comparison(Int32(tree.comparisons.count - 1)), around: innerHeight, at: start)
    }

    private mutating func comparator(_ start: Int) throws(RuleError) -> PredicateTree.Comparator {
        let found: PredicateTree.Comparator?
        switch token {
        case .symbol(let symbol):
            found = Self.symbols[symbol]
            if found == nil {
                throw unexpected("there is no operator \(token.written)", hint: "There are == != < > <= >=")
            }
        case .word(let word):
            found = Self.comparators[keyword]
            if found == nil {
                let near = Self.comparators.keys.sorted().first { isOneStepApart($0, word.lowercased()) }
                throw unexpected(
                    "there is no operator \(token.written)",
                    hint: near.map { "Is \($0.uppercased()) meant?" }
                        ?? "There are == != < > <= >= UTI-CONFORMS-TO UTI-EQUALS IN CONTAINS BEGINSWITH ENDSWITH LIKE MATCHES BETWEEN"
                )
            }
        default: found = nil
        }
        guard let found else {
            throw unexpected(
                "an expression alone is not a predicate", hint: "Compare it with something, such as == 1", at: start)
        }
        try advance()
        return found
    }

    /// Parses the options `[cd]` behind an operator.
    private mutating func options() throws(RuleError) -> FoldingOptions {
        guard token == .openBracket else { return [] }
        let start = place
        try advance()
        guard case .word(let letters) = token else {
            throw unexpected("expected options, found \(token.written)", hint: "Write [c], [d] or [cd]")
        }
        var options: FoldingOptions = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            default:
                throw unexpected(
                    "there is no option “\(shortened(String(letter)))”",
                    hint: "There are c (case does not count) and d (diacritics do not)")
            }
        }
        try advance()
        try close(.closeBracket, "the bracket", openedAt: start)
        return options
    }
}
