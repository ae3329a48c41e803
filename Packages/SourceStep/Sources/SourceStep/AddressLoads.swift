// AddressLoads: the search for data that a file loads from an address without a session.

import SwiftSyntax

/// `Data(contentsOf: URL(string: text)!)` and the like, also with a name that has such a URL in the same function, or
/// anywhere outside of functions.
///
/// On Linux, Foundation loads all but files by FoundationNetworking, and ends a process that has not loaded that
/// module. A URL from elsewhere counts as that of a file: FoundationNetworking brings libcurl along.
final class AddressLoads: SyntaxVisitor {
    private static let types: Set<String> = ["Data", "NSData", "String", "NSString", "NSArray", "NSDictionary"]

    /// The names that have a URL of a text.
    private var names: Set<String> = []
    private var sources: [ExprSyntax] = []
    private var isFoundInFunction = false

    /// Whether a node has such a load.
    static func are(in node: some SyntaxProtocol) -> Bool {
        let finder = AddressLoads(viewMode: .sourceAccurate)
        finder.walk(node)
        return finder.isFoundInFunction
            || finder.sources.contains { source in
                isMade(source) || source.tokens(viewMode: .sourceAccurate).contains { finder.names.contains($0.text) }
            }
    }

    /// Whether a value contains `URL(string:` or `NSURL(string:`.
    private static func isMade(_ value: ExprSyntax) -> Bool {
        let words = value.tokens(viewMode: .sourceAccurate).map(\.text)
        return words.indices.dropLast(3).contains {
            words[$0].hasSuffix("URL") && words[($0 + 1)...($0 + 3)].elementsEqual(["(", "string", ":"])
        }
    }

    private func note(_ pattern: PatternSyntax, _ value: InitializerClauseSyntax?) {
        guard let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.text, let value, Self.isMade(value.value)
        else { return }
        names.insert(name)
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        note(node.pattern, node.initializer)
        return .visitChildren
    }
    override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
        note(node.pattern, node.initializer)
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let first = node.arguments.first, first.label?.text == "contentsOf",
            Self.types.contains(node.calledExpression.trimmedDescription)
        {
            sources.append(first.expression)
        }
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if let body = node.body, Self.are(in: body) { isFoundInFunction = true }
        return .skipChildren
    }
}
