// PredicateExplanation: the explanation of a predicate's result: each condition, for each element that it was tested
// on.

extension ActivationPredicate {
    func explain(_ subject: RuleSubject, work: Int, in explanation: inout RuleExplanation) throws(RuleError) {
        let walk = PredicateExplanation(tree: written, subject: subject)
        // The explanation evaluates each condition again at every level.
        explanation = try Self.evaluate(written, from: written.root, subject, work: 8 * work) {
            [explanation] evaluator in
            var result = explanation
            walk.clause(written.root, &evaluator, &result, level: 0, prefix: "")
            return result
        }
    }
}

struct PredicateExplanation {
    let tree: PredicateTree
    let subject: RuleSubject
    /// The names of items and attachments, by node.
    private let names: [Int32: String]

    init(tree: PredicateTree, subject: RuleSubject) {
        self.tree = tree
        self.subject = subject
        var names: [Int32: String] = [:]
        let attachments = AttachmentNames(subject.attachments)
        for (index, node) in subject.attachmentNodes.joined().enumerated() { names[node] = attachments.name(index) }
        for (index, node) in subject.itemNodes.enumerated() { names[node] = "item \(index + 1)" }
        self.names = names
    }

    private static let longestClause = 160
    /// Shortens a clause in the middle, because its end says what it tests.
    private static func cut(_ text: String) -> String {
        let line = shortened(text, to: PredicateBounds.bytes)
        return line.count <= longestClause ? line : line.prefix(longestClause - 41) + "…" + line.suffix(40)
    }

    /// The maximum number of elements of one collection that are shown.
    private static let elementCount = 20

    func clause(
        _ number: Int32, _ evaluator: inout PredicateEvaluator, _ explanation: inout RuleExplanation, level: Int,
        prefix: String
    ) {
        // Beyond the maximum nothing is shown, so nothing is evaluated.
        guard explanation.clauses.count < RuleExplanation.greatestCount, !evaluator.isAtEnd else { return }
        let holds = evaluator.holds(number)
        let text = prefix + Self.cut(PredicatePrinter.print(clause: number, of: tree))
        switch tree.clauses[Int(number)] {
        case .constant, .types, .every, .some: explanation.add(text, holds, "", level: level)
        case .not(let inner):
            explanation.add(text, holds, "", level: level)
            clause(inner, &evaluator, &explanation, level: level + 1, prefix: "")
        case .and(let first, let count), .or(let first, let count):
            let children = tree.numbers(first, count)
            let holding = children.filter { evaluator.holds($0) }.count
            explanation.add(text, holds, "\(holding) of \(count) conditions hold", level: level)
            for child in children { clause(child, &evaluator, &explanation, level: level + 1, prefix: "") }
        case .comparison(let place):
            let comparison = tree.comparisons[Int(place)]
            let left = describe(comparison.left, &evaluator)
            let right = describe(comparison.right, &evaluator)
            let detail = right.map { "\(left ?? "?") against \($0)" } ?? left ?? ""
            explanation.add(text, holds, detail, level: level)
            elements(of: comparison.left, &evaluator, &explanation, level: level + 1)
            elements(of: comparison.right, &evaluator, &explanation, level: level + 1)
        }
    }

    /// Adds each element that a SUBQUERY was tested on, with its condition.
    private func elements(
        of operand: Int32, _ evaluator: inout PredicateEvaluator, _ explanation: inout RuleExplanation, level: Int
    ) {
        let operand = if case .count(let inner) = tree.operands[Int(operand)] { inner } else { operand }
        guard case .subquery(let number) = tree.operands[Int(operand)] else { return }
        let subquery = tree.subqueries[Int(number)]
        var elements: [PredicateEvaluator.Value] = []
        _ = evaluator.hasElement(evaluator.value(subquery.collection)) { _, element in
            elements.append(element)
            return elements.count == Self.elementCount
        }
        for (index, element) in elements.enumerated() {
            evaluator.slots[Int(subquery.slot)] = element
            let name = name(element, &evaluator) ?? "element \(index + 1)"
            clause(subquery.clause, &evaluator, &explanation, level: level, prefix: "\(name): ")
        }
    }

    private func name(_ value: PredicateEvaluator.Value, _ evaluator: inout PredicateEvaluator) -> String? {
        if case .node(let node) = value, let name = names[node] { return name }
        return describe(value, &evaluator)
    }

    /// Returns the value of an operand; nil for a constant, which the clause shows, and for a value that fills no line.
    private func describe(_ operand: Int32, _ evaluator: inout PredicateEvaluator) -> String? {
        switch tree.operands[Int(operand)] {
        case .nothing, .boolean, .text, .list: return nil
        case .integer(let value): return "\(value)"
        case .path, .count, .subquery: return describe(evaluator.value(operand), &evaluator)
        }
    }

    private func describe(_ value: PredicateEvaluator.Value, _ evaluator: inout PredicateEvaluator) -> String? {
        switch value {
        case .nothing: return "nil"
        case .number(let value): return "\(value)"
        case .real(let value): return "\(value)"
        case .text(let text, let isOfRule):
            return shortened(isOfRule ? tree.texts.text(text) : subject.texts.text(text))
        case .node(let node):
            if let name = names[node] { return name }
            guard case .array(_, let count, _) = subject.nodes[Int(node)] else { return nil }
            let texts = subject.textElements(of: node)
            return count > 0 && texts.count == Int(count) ? AttachmentNames.list(texts) : "\(count) elements"
        case .collection: return nil
        }
    }
}
