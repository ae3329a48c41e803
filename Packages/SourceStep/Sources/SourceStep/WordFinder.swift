// WordFinder: the words of Objective-C in a file: what is dropped, the uses of selectors, and what the step leaves.

import SwiftSyntax

final class WordFinder: SyntaxVisitor {
    private(set) var edits: [Edit] = []
    private(set) var notes: [(place: Place, code: StepReport.Note.Code, message: String)] = []
    private(set) var selectors: [SelectorUse] = []
    /// Names in `Selector("tapped:")`, `NSSelectorFromString("tapped:")` and `action: "tapped:"`.
    private(set) var selectorTexts: Set<String> = []
    private(set) var optionalCalls: [OptionalCall] = []
    /// The attributes that make a class an app's: `@UIApplicationMain`, and `@main` of an app's delegate.
    private(set) var applicationMains: [(range: Range<Int>, isNew: Bool)] = []
    /// Whether a type is the program's entry, and not an app's delegate.
    private(set) var hasMain = false
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
            applicationMains.append((node.range, false))
        } else if name == "main" {
            let type = node.parent?.parent?.as(ClassDeclSyntax.self)
            let inherited = type?.inheritanceClause?.inheritedTypes.map { $0.type.trimmedDescription } ?? []
            if inherited.contains(where: ObjectiveCWord.applicationDelegates.contains) {
                applicationMains.append((node.range, true))
            } else if CompiledClauses(file).contain(node) {
                hasMain = true
            }
        } else if name == "NSManaged" {
            note(node, .notRewritten, "@NSManaged needs Core Data, which Linux does not have")
        } else if name == "convention", node.arguments?.trimmedDescription == "block" {
            edits.append(.blank(node.range, in: file.bytes))
        }
        return .visitChildren
    }

    override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
        if node.name.text == "dynamic" { edits.append(.blank(node.range, in: file.bytes)) }
        return .skipChildren
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
        if let call = OptionalCall(node) { optionalCalls.append(call) }
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
