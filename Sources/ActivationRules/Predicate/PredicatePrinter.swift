// PredicatePrinter: a tree printed as one line of text, which parses to the same tree.

struct PredicatePrinter {
    let tree: PredicateTree
    private(set) var text = ""

    static func print(_ tree: PredicateTree) -> String { print(clause: tree.root, of: tree) }

    static func print(clause: Int32, of tree: PredicateTree) -> String {
        var printer = PredicatePrinter(tree: tree)
        printer.clause(clause)
        return printer.text
    }

    static func print(operand: Int32, of tree: PredicateTree) -> String {
        var printer = PredicatePrinter(tree: tree)
        printer.operand(operand)
        return printer.text
    }

    private init(tree: PredicateTree) { self.tree = tree }

    private mutating func clause(_ number: Int32) {
        switch tree.clauses[Int(number)] {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(let inner):
            text += "NOT "
            enclosed(inner) { if case .and = $0 { true } else if case .or = $0 { true } else { false } }
        case .and(let first, let count):
            for (index, child) in tree.numbers(first, count).enumerated() {
                if index > 0 { text += " AND " }
                enclosed(child) { if case .and = $0 { true } else if case .or = $0 { true } else { false } }
            }
        case .or(let first, let count):
            for (index, child) in tree.numbers(first, count).enumerated() {
                if index > 0 { text += " OR " }
                enclosed(child) { if case .or = $0 { true } else { false } }
            }
        case .comparison(let number): comparison(tree.comparisons[Int(number)])
        // The written tree has none of these; only fusion makes them.
        case .types, .every, .some: break
        }
    }

    private mutating func enclosed(_ number: Int32, _ isNeeded: (PredicateTree.Clause) -> Bool) {
        guard isNeeded(tree.clauses[Int(number)]) else { return clause(number) }
        text += "("
        clause(number)
        text += ")"
    }

    private mutating func comparison(_ comparison: PredicateTree.Comparison) {
        switch comparison.modifier {
        case .none: break
        case .any: text += "ANY "
        case .all: text += "ALL "
        case .noElement: text += "NONE "
        }
        operand(comparison.left)
        text += " " + comparison.comparator.written
        if !comparison.options.isEmpty {
            text +=
                "[" + (comparison.options.contains(.caseInsensitive) ? "c" : "")
                + (comparison.options.contains(.diacriticInsensitive) ? "d" : "") + "]"
        }
        text += " "
        operand(comparison.right)
    }

    private mutating func operand(_ number: Int32) {
        switch tree.operands[Int(number)] {
        case .nothing: text += "NIL"
        case .boolean(let value): text += value ? "TRUE" : "FALSE"
        case .integer(let value): text += "\(value)"
        case .text(let number): text += Self.quoted(tree.texts.text(number))
        case .list(let first, let count):
            text += "{"
            for (index, element) in tree.numbers(first, count).enumerated() {
                if index > 0 { text += ", " }
                operand(element)
            }
            text += "}"
        case .path(let slot, let first, let count):
            let start = slot < 0 ? [] : ["$" + tree.variables[Int(slot)]]
            text += (start + tree.keys(first, count)).joined(separator: ".")
        case .count(let inner):
            operand(inner)
            text += ".@count"
        case .subquery(let number):
            let subquery = tree.subqueries[Int(number)]
            text += "SUBQUERY("
            operand(subquery.collection)
            text += ", $\(tree.variables[Int(subquery.slot)]), "
            clause(subquery.clause)
            text += ")"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension PredicateTree.Comparator {
    var written: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .conformsTo: "UTI-CONFORMS-TO"
        case .typeEquals: "UTI-EQUALS"
        case .contains: "CONTAINS"
        case .isIn: "IN"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .like: "LIKE"
        case .matches: "MATCHES"
        case .between: "BETWEEN"
        }
    }
}
