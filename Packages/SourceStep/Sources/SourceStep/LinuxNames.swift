// LinuxNames: modules and types that have other names here.

import SwiftSyntax

final class LinuxNames: SyntaxVisitor {
    private(set) var edits: [Edit] = []
    private let file: ParsedFile

    init(_ file: ParsedFile) {
        self.file = file
        super.init(viewMode: .sourceAccurate)
        walk(file.tree)
    }

    private func blank(_ start: some SyntaxProtocol, through end: some SyntaxProtocol) {
        edits.append(.blank(start.range.lowerBound..<end.range.upperBound, in: file.bytes))
    }

    /// `import os.log`: a module of Swift's has no parts, and the whole of it has what the part has. The kit's module
    /// of logs is named OSLog: packages of others take locks from a module os.
    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let first = node.path.first?.name else { return .skipChildren }
        if let name = ["os": Imports.log, "Darwin": "Glibc"][first.text] {
            let start = node.importKindSpecifier?.range.lowerBound ?? first.range.lowerBound
            edits.append(.replace(start..<node.path.range.upperBound, in: file.bytes, with: name))
        } else if node.importKindSpecifier == nil, node.path.count > 1 {
            edits.append(.blank(first.range.upperBound..<node.path.range.upperBound, in: file.bytes))
        }
        return .skipChildren
    }

    /// `#if os(iOS)`: an extension for iOS means that branch. A file that knows Linux has said what it means.
    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        guard let condition = node.condition, !file.knowsLinux else { return .visitChildren }
        for token in condition.tokens(viewMode: .sourceAccurate)
        where token.text == "iOS" && token.previousToken(viewMode: .sourceAccurate)?.text == "("
            && token.previousToken(viewMode: .sourceAccurate)?.previousToken(viewMode: .sourceAccurate)?.text == "os"
        {
            edits.append(.replace(token.range, in: file.bytes, with: "Linux"))
        }
        return .visitChildren
    }

    /// `if let text = url.absoluteString`: optional for Apple's `NSURL` only. A URL's text is the same with the type.
    override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
        if let value = node.initializer?.value, node.typeAnnotation == nil,
            let member = value.as(MemberAccessExprSyntax.self), member.declName.baseName.text == "absoluteString",
            member.declName.argumentNames == nil
        {
            edits.append(.insert(" as String?", at: value.range.upperBound))
        }
        return .visitChildren
    }

    /// `urls(for:in:)` and the like: Foundation's know no container. The kit's have another name.
    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let called = node.calledExpression
        let name =
            called.as(MemberAccessExprSyntax.self)?.declName.baseName
            ?? called.as(DeclReferenceExprSyntax.self)?.baseName
        let labels = node.arguments.map { $0.label?.text }
        if let name, let known = Self.searches[name.text], known == labels, let first = node.arguments.first,
            known.first == .some(nil) ? called.is(DeclReferenceExprSyntax.self) : Self.isFolder(first.expression)
        {
            edits.append(.insert("_", at: name.range.lowerBound))
        }
        return .visitChildren
    }

    /// Tells whether an expression names a folder of a container. An app's own `urls(for:in:)` takes something else.
    private static func isFolder(_ value: ExprSyntax) -> Bool {
        guard let member = value.as(MemberAccessExprSyntax.self) else { return false }
        return folders.contains(member.declName.baseName.text)
            && member.base.map { $0.trimmedDescription.hasSuffix("SearchPathDirectory") } ?? true
    }

    private static let folders: Set<String> = [
        "libraryDirectory", "cachesDirectory", "applicationSupportDirectory", "documentDirectory",
    ]

    /// The searches for common folders, with the labels of their arguments.
    private static let searches: [String: [String?]] = [
        "urls": ["for", "in"], "url": ["for", "in", "appropriateFor", "create"],
        "NSSearchPathForDirectoriesInDomains": [nil, nil, nil],
    ]

    /// `os.Logger`: the module's name in front of what it declares.
    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.declName.baseName.text
        if let base = node.base?.as(DeclReferenceExprSyntax.self), base.baseName.text == "os",
            base.argumentNames == nil, name.first?.isUppercase == true || name.hasPrefix("os_")
        {
            blank(base, through: node.period)
        }
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        if node.baseType.trimmedDescription == "os" { blank(node.baseType, through: node.period) }
        return .visitChildren
    }

    /// The values of attachments are of any type here, and of Apple's only `NSSecureCoding`: a parameter or variable of
    /// that type takes what a load hands over.
    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        guard node.name.text == "NSSecureCoding", let type = node.annotated else { return .visitChildren }
        let isUnwrapped = type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
        let suffix = type.is(OptionalTypeSyntax.self) ? "?" : isUnwrapped ? "!" : ""
        edits.append(.replace(type.range, in: file.bytes, with: "Any" + suffix))
        return .visitChildren
    }
}

extension IdentifierTypeSyntax {
    /// The whole of the type of a parameter, a variable or a generic argument, if this is what it is or wraps; nil
    /// elsewhere, as in an inheritance clause or a cast.
    fileprivate var annotated: TypeSyntax? {
        var type = TypeSyntax(self)
        while let parent = type.parent {
            if let outer = parent.as(SomeOrAnyTypeSyntax.self) {
                type = TypeSyntax(outer)
            } else if let tuple = parent.as(TupleTypeElementSyntax.self), tuple.firstName == nil,
                let list = tuple.parent?.as(TupleTypeElementListSyntax.self), list.count == 1,
                let outer = list.parent?.as(TupleTypeSyntax.self)
            {
                type = TypeSyntax(outer)
            } else if let outer = parent.as(OptionalTypeSyntax.self) {
                return Self.isAnnotation(outer.parent) ? TypeSyntax(outer) : nil
            } else if let outer = parent.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
                return Self.isAnnotation(outer.parent) ? TypeSyntax(outer) : nil
            } else {
                return Self.isAnnotation(parent) ? type : nil
            }
        }
        return nil
    }

    private static func isAnnotation(_ node: Syntax?) -> Bool {
        let kinds: [SyntaxKind] = [
            .functionParameter, .closureParameter, .typeAnnotation, .genericArgument, .tupleTypeElement,
        ]
        return node.map { kinds.contains($0.kind) } ?? false
    }
}
