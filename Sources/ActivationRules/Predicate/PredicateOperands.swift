// PredicateOperands: the parsing of a predicate's values: literals, lists, paths, counts and SUBQUERY.

extension PredicateParser {
    mutating func operand() throws(RuleError) -> Int32 {
        let start = place
        switch token {
        case .text(let text):
            let number = tree.texts.number(text)
            try advance()
            return tree.add(.text(number), at: start)
        case .integer(let value):
            try advance()
            return tree.add(.integer(value), at: start)
        case .openBrace:
            try advance()
            let list = try nested(\.listDepth) { (parser) throws(RuleError) in try parser.list(start) }
            return try counted(list, start)
        case .variable(let name):
            guard let slot = scope.last(where: { $0.name == name })?.slot else {
                throw unexpected(
                    "the variable \(token.written) is not bound here",
                    hint: scope.isEmpty
                        ? "A variable is the element of a SUBQUERY, and is known only inside its predicate"
                        : "Known here: " + scope.suffix(8).map { "$" + shortened($0.name) }.joined(separator: ", "))
            }
            try advance()
            return try path(slot: slot, keys: [], start)
        case .word(let word): return try word == "" ? missing() : named(word, start)
        default: return try missing()
        }
    }

    private mutating func missing() throws(RuleError) -> Int32 {
        switch token {
        case .dot, .comma:
            throw unexpected("expected a variable or a key, found \(token.written)", hint: emptyVariableHint)
        case .end:
            throw unexpected("the predicate ends where a value should be", hint: "Complete the comparison")
        case .open:
            throw unexpected(
                "expected a value, found “(”", hint: "Parentheses enclose conditions, braces lists: {1, 2}")
        case .collectionOperator:
            throw unexpected("expected a value, found \(token.written)", hint: "Write a collection and a dot before it")
        default:
            throw unexpected(
                "expected a value, found \(token.written)", hint: "Compare a key path, a text or an integer")
        }
    }

    /// Parses a word in the place of a value.
    private mutating func named(_ word: String, _ start: Int) throws(RuleError) -> Int32 {
        let keyword = word.lowercased()
        switch keyword {
        case "subquery":
            try advance()
            let subquery = try nested { (parser) throws(RuleError) in try parser.subquery(start) }
            return try counted(subquery, start)
        case "true", "yes", "false", "no":
            try advance()
            return tree.add(.boolean(keyword == "true" || keyword == "yes"), at: start)
        case "nil", "null":
            try advance()
            return tree.add(.nothing, at: start)
        case "and", "or", "not", "truepredicate", "falsepredicate":
            throw unexpected("expected a value, found \(token.written)", hint: "Complete the comparison before it")
        default:
            if Self.modifiers[keyword] != nil {
                throw unexpected(
                    "\(token.written) is at the wrong place", hint: "It belongs before the left side of a comparison")
            }
            if Self.comparators[keyword] != nil {
                throw unexpected(
                    "the left side of \(token.written) is missing", hint: "Write what is compared before it")
            }
            try advance()
            return try path(slot: -1, keys: [tree.texts.number(word)], start)
        }
    }

    /// Parses `.key.key.@count`.
    private mutating func path(slot: Int32, keys: [Int32], _ start: Int) throws(RuleError) -> Int32 {
        var keys = keys
        var isCount = false
        while token == .dot {
            try advance()
            switch token {
            case .word(let word):
                keys.append(tree.texts.number(word))
                try advance()
            case .collectionOperator:
                try countOperator()
                isCount = true
            default: throw afterDot()
            }
            if isCount { break }
        }
        let path = tree.add(.path(slot: slot, first: tree.add(keys), count: Int32(keys.count)), at: start)
        return isCount ? tree.add(.count(path), at: start) : path
    }

    /// Parses `.@count` behind a SUBQUERY or a list.
    private mutating func counted(_ operand: Int32, _ start: Int) throws(RuleError) -> Int32 {
        guard try take(.dot) else { return operand }
        switch token {
        case .collectionOperator: break
        case .word:
            throw unexpected(
                "a collection has no key \(token.written)", hint: "Only .@count can follow a SUBQUERY or a list")
        default: throw afterDot()
        }
        try countOperator()
        return tree.add(.count(operand), at: start)
    }

    private mutating func countOperator() throws(RuleError) {
        guard token == .collectionOperator("count") else {
            throw unexpected("there is no collection operator \(token.written)", hint: "There is only @count")
        }
        try advance()
        if token == .dot { throw unexpected("something follows .@count", hint: "A number has no keys: remove it") }
    }

    private func afterDot() -> RuleError {
        if case .variable = token {
            return unexpected(
                "expected a key, found \(token.written)", hint: "A variable can only be at the beginning of a key path")
        }
        return unexpected(
            "expected a key or @count, found \(token.written)", hint: "Complete the key path, or remove the dot")
    }

    mutating func list(_ start: Int) throws(RuleError) -> Int32 {
        var elements: [Int32] = []
        if token != .closeBrace {
            repeat { elements.append(try operand()) } while try take(.comma)
        }
        try close(.closeBrace, "the brace", openedAt: start)
        return tree.add(.list(first: tree.add(elements), count: Int32(elements.count)), at: start)
    }

    private mutating func subquery(_ start: Int) throws(RuleError) -> Int32 {
        let open = place
        guard try take(.open) else {
            throw unexpected(
                "expected “(” after SUBQUERY, found \(token.written)", hint: "Write SUBQUERY(collection, $x, condition)"
            )
        }
        let collection = try operand()
        try comma("the collection")
        guard case .variable(let name) = token else {
            if token == .comma || token == .close {
                throw unexpected("SUBQUERY has no variable, but \(token.written)", hint: emptyVariableHint)
            }
            throw unexpected(
                "expected a variable, found \(token.written)", hint: "Write SUBQUERY(collection, $x, condition)")
        }
        try advance()
        try comma("the variable")
        let slot = Int32(tree.variables.count)
        tree.variables.append(name)
        scope.append((name, slot))
        let clause = try or()
        scope.removeLast()
        try close(.close, "SUBQUERY's parenthesis", openedAt: open)
        tree.subqueries.append(PredicateTree.Subquery(collection: collection, slot: slot, clause: clause))
        return tree.add(.subquery(Int32(tree.subqueries.count - 1)), at: start)
    }

    private mutating func comma(_ what: String) throws(RuleError) {
        guard try take(.comma) else {
            throw unexpected(
                "expected “,” after \(what), found \(token.written)", hint: "Write SUBQUERY(collection, $x, condition)")
        }
    }
}
