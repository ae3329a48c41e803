// WordFinder: the words of Objective-C in a file: what is dropped, the uses of selectors, and what the step leaves.

import SwiftSyntax

final class WordFinder: SyntaxVisitor {
    private(set) var edits: [Edit] = []
    private(set) var notes: [(place: Place, code: StepReport.Note.Code, message: String)] = []
    private(set) var selectors: [SelectorUse] = []
    /// Names in `Selector("tapped:")`, `NSSelectorFromString("tapped:")` and `action: "tapped:"`.
    private(set) var selectorTexts: Set<String> = []
    private let file: ParsedFile
    private var types: [[String]] = []

    init(_ file: ParsedFile) {
        self.file = file
        super.init(viewMode: .sourceAccurate)
        walk(file.tree)
        // Another line stands in front of it in the copy: it becomes a comment.
        if let shebang = file.tree.shebang {
            edits.append(.replace(shebang.range, in: file.bytes, with: "//" + shebang.text.dropFirst(2)))
        }
    }

    private func note(_ node: some SyntaxProtocol, _ code: StepReport.Note.Code, _ message: String) {
        notes.append((file.place(node), code, message))
    }

    // MARK: Attributes and modifiers

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        let name = node.name
        if ObjectiveCWord.dropped.contains(name) {
            edits.append(.blank(node.range, in: file.bytes))
        } else if ObjectiveCWord.main.contains(name) {
            edits.append(.replace(node.range, in: file.bytes, with: "@main"))
        } else if name == "NSManaged" {
            note(node, .notRewritten, "@NSManaged needs Core Data, which Linux does not have")
        } else if name == "convention", node.arguments?.trimmedDescription == "block" {
            edits.append(.blank(node.range, in: file.bytes))
        }
        return .visitChildren
    }

    override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
        switch node.name.text {
        case "dynamic": edits.append(.blank(node.range, in: file.bytes))
        case "optional":
            note(node, .notRewritten, "a protocol without Objective-C has no optional requirements")
        default: break
        }
        return .skipChildren
    }

    /// `import os.log`: a module of Swift's has no parts, and the whole of it has what the part has. The kit's module of logs
    /// is named OSLog: packages of others take locks from a module os.
    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let first = node.path.first?.name else { return .visitChildren }
        if first.text == "os" {
            edits.append(
                .replace(
                    (node.importKindSpecifier.map { $0.range.lowerBound } ?? first.range.lowerBound)..<node.path.range.upperBound,
                    in: file.bytes, with: Imports.log))
        } else if node.importKindSpecifier == nil, node.path.count > 1 {
            edits.append(.blank(first.range.upperBound..<node.path.range.upperBound, in: file.bytes))
        }
        return .skipChildren
    }

    // MARK: Names

    /// `os.Logger`: the module's name in front of what it declares.
    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        if let base = node.base?.as(DeclReferenceExprSyntax.self), base.baseName.text == "os", base.argumentNames == nil,
            node.declName.baseName.text.first?.isUppercase == true || node.declName.baseName.text.hasPrefix("os_")
        {
            edits.append(.blank(base.range.lowerBound..<node.period.range.upperBound, in: file.bytes))
        }
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        if node.baseType.trimmedDescription == "os" {
            edits.append(.blank(node.baseType.range.lowerBound..<node.period.range.upperBound, in: file.bytes))
        }
        return .visitChildren
    }

    /// The values of attachments are of any type here, and of Apple's only `NSSecureCoding`: a parameter or variable of that
    /// type takes what a load hands over.
    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        if node.name.text == "NSSecureCoding", let type = node.annotated {
            let suffix = type.is(OptionalTypeSyntax.self) ? "?" : type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) ? "!" : ""
            edits.append(.replace(type.range, in: file.bytes, with: "Any" + suffix))
        }
        return .visitChildren
    }

    // MARK: Types

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        types.append([node.name.text])
        guard node.attributes.has(["objc"]) else { return .visitChildren }
        // A protocol of Objective-C is for classes only: `weak` and `===` depend on it.
        let inherited = node.inheritanceClause?.inheritedTypes.map { $0.type.trimmedDescription } ?? []
        guard !inherited.contains(where: ["AnyObject", "class", "NSObjectProtocol"].contains) else {
            return .visitChildren
        }
        if let last = node.inheritanceClause?.inheritedTypes.last {
            edits.append(.insert(", AnyObject", at: last.range.upperBound))
        } else {
            edits.append(.insert(": AnyObject", at: node.name.range.upperBound))
        }
        return .visitChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { open(node.name.text) }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { open(node.name.text) }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { open(node.name.text) }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { open(node.name.text) }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        types.append(node.extendedType.trimmedDescription.split(separator: ".").map(String.init))
        return .visitChildren
    }

    override func visitPost(_ node: ProtocolDeclSyntax) { types.removeLast() }
    override func visitPost(_ node: ClassDeclSyntax) { types.removeLast() }
    override func visitPost(_ node: StructDeclSyntax) { types.removeLast() }
    override func visitPost(_ node: EnumDeclSyntax) { types.removeLast() }
    override func visitPost(_ node: ActorDeclSyntax) { types.removeLast() }
    override func visitPost(_ node: ExtensionDeclSyntax) { types.removeLast() }

    private func open(_ name: String) -> SyntaxVisitorContinueKind {
        types.append((types.last ?? []) + [name])
        return .visitChildren
    }

    // MARK: Selectors

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        expansion(node, node.macroName.text, node.arguments)
        return .visitChildren
    }

    override func visit(_ node: MacroExpansionDeclSyntax) -> SyntaxVisitorContinueKind {
        expansion(node, node.macroName.text, node.arguments)
        return .visitChildren
    }

    private func expansion(_ node: some SyntaxProtocol, _ name: String, _ arguments: LabeledExprListSyntax) {
        guard let argument = arguments.first else { return }
        if name == "selector" {
            guard let use = SelectorUse(argument, range: node.range, place: file.place(node), scope: types.last ?? [])
            else {
                return note(node, .notRewritten, "this #selector is not understood")
            }
            selectors.append(use)
        } else if name == "keyPath" {
            // Types stand in front of the properties.
            let path = argument.expression.trimmedDescription.filter { !$0.isWhitespace && $0 != "?" && $0 != "!" }
            let parts = path.split(separator: ".")
            let properties = parts.drop { $0.first?.isUppercase == true }
            let text = (properties.isEmpty ? parts.suffix(1) : properties).joined(separator: ".")
            edits.append(.replace(node.range, in: file.bytes, with: "\"\(text)\""))
        }
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let called = node.calledExpression.trimmedDescription
        let takesName = ["Selector", "NSSelectorFromString", "sel_registerName"].contains(called)
        for argument in node.arguments {
            guard takesName || ["action", "selector"].contains(argument.label?.text) else { continue }
            var value = argument.expression
            while let tuple = value.as(TupleExprSyntax.self), let inner = tuple.elements.first {
                value = inner.expression
            }
            if let text = value.as(StringLiteralExprSyntax.self)?.representedLiteralValue { selectorTexts.insert(text) }
        }
        return .visitChildren
    }
}

extension IdentifierTypeSyntax {
    /// The whole of the type of a parameter, a variable or a generic argument, if this is what it is or wraps; nil elsewhere, as
    /// in an inheritance clause or a cast.
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
        guard let node else { return false }
        return node.is(FunctionParameterSyntax.self) || node.is(ClosureParameterSyntax.self) || node.is(TypeAnnotationSyntax.self)
            || node.is(GenericArgumentSyntax.self) || node.is(TupleTypeElementSyntax.self)
    }
}
