// SelectorUse: one `#selector(…)` as it is written.

import SwiftSyntax

struct SelectorUse {
    enum Kind { case method, getter, setter }

    let kind: Kind
    let base: String
    /// Nil where only the base name is written.
    let labels: [String]?
    /// The type in front of the name; nil for none, `self` and `super`.
    let type: [String]?
    /// Whether the name belongs to a value of a type that only the compiler knows.
    let isOfUnknownType: Bool
    /// The parameters' types after `as`.
    let signature: [String]?
    /// The types around.
    let scope: [String]
    let range: Range<Int>
    let place: Place

    init?(_ argument: LabeledExprSyntax, range: Range<Int>, place: Place, scope: [String]) {
        switch argument.label?.text {
        case nil: kind = .method
        case "getter": kind = .getter
        case "setter": kind = .setter
        default: return nil
        }
        var expression = argument.expression
        var signature: [String]?
        while true {
            if let tuple = expression.as(TupleExprSyntax.self), let inner = tuple.elements.first {
                expression = inner.expression
            } else if let sequence = expression.as(SequenceExprSyntax.self), let first = sequence.elements.first {
                signature = sequence.elements.last?.as(TypeExprSyntax.self).flatMap { Self.parameters($0.type) }
                expression = first
            } else {
                break
            }
        }
        let name: DeclReferenceExprSyntax
        if let member = expression.as(MemberAccessExprSyntax.self) {
            name = member.declName
            let receiver = member.base?.trimmedDescription ?? ""
            let isType = receiver.first?.isUppercase == true && receiver != "Self"
            let isOwn = ["self", "super", "Self", ""].contains(receiver)
            type = isType ? receiver.split(separator: ".").map(String.init) : nil
            isOfUnknownType = !isType && !isOwn
        } else if let reference = expression.as(DeclReferenceExprSyntax.self) {
            name = reference
            type = nil
            isOfUnknownType = false
        } else {
            return nil
        }
        base = name.baseName.text.filter { $0 != "`" }
        labels = name.argumentNames?.arguments.map { $0.name.text == "_" ? "" : $0.name.text.filter { $0 != "`" } }
        self.signature = signature
        self.scope = scope
        self.range = range
        self.place = place
    }

    /// `(Foo) -> (UIButton) -> Void` → `["UIButton"]`.
    private static func parameters(_ type: TypeSyntax) -> [String]? {
        var type = type
        if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
            type = only.type
        }
        guard let function = type.as(FunctionTypeSyntax.self) else { return nil }
        return parameters(function.returnClause.type) ?? function.parameters.map { $0.type.trimmedDescription }
    }
}
