// CompiledClauses: the clauses of #if that are compiled on Linux, as far as their conditions can be told.

import SwiftSyntax

/// The clauses of `#if` in a file whose conditions hold. A name of the author's own does not hold.
struct CompiledClauses {
    private let file: ParsedFile

    init(_ file: ParsedFile) { self.file = file }

    /// Whether all clauses around a node are compiled.
    func contain(_ node: some SyntaxProtocol) -> Bool {
        var next = node.parent
        while let parent = next {
            if let clause = parent.as(IfConfigClauseSyntax.self), !holds(clause) { return false }
            next = parent.parent
        }
        return true
    }

    private func holds(_ clause: IfConfigClauseSyntax) -> Bool {
        guard let list = clause.parent?.as(IfConfigClauseListSyntax.self) else { return true }
        for other in list {
            let isTrue = other.condition.map { holds($0) } ?? true
            if other.id == clause.id { return isTrue }
            if isTrue { return false }
        }
        return true
    }

    private func holds(_ condition: ExprSyntax) -> Bool {
        if let literal = condition.as(BooleanLiteralExprSyntax.self) { return literal.literal.text == "true" }
        if let negation = condition.as(PrefixOperatorExprSyntax.self) { return !holds(negation.expression) }
        if let tuple = condition.as(TupleExprSyntax.self), let inner = tuple.elements.first {
            return holds(inner.expression)
        }
        if let call = condition.as(FunctionCallExprSyntax.self) {
            let argument = call.arguments.first?.expression.trimmedDescription
            switch call.calledExpression.trimmedDescription {
            // The copy of a file that does not know Linux has Linux in the place of iOS.
            case "os": return argument == "Linux" || argument == "iOS" && !file.knowsLinux
            case "targetEnvironment": return false
            default: return true
            }
        }
        guard let sequence = condition.as(SequenceExprSyntax.self) else { return false }
        // An “or” of “and”s.
        var result = false
        var all = true
        for element in sequence.elements {
            if let sign = element.as(BinaryOperatorExprSyntax.self) {
                guard sign.operator.text == "||" else { continue }
                result = result || all
                all = true
            } else {
                all = all && holds(element)
            }
        }
        return result || all
    }
}
