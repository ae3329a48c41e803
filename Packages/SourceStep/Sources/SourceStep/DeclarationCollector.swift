// DeclarationCollector: a file's types with their members, and under which `#if` each of them stands.

import SwiftSyntax

final class DeclarationCollector: SyntaxVisitor {
    private(set) var blocks: [TypeBlock] = []
    /// Every name that the file declares at its top or in a type, for lists of names.
    private(set) var declared: Set<String> = []
    private let file: ParsedFile
    /// The types around; nil for the body of a function, an accessor or a closure.
    private var scopes: [TypeBlock?] = []
    private var conditions: [String] = []

    init(_ file: ParsedFile) {
        self.file = file
        super.init(viewMode: .sourceAccurate)
        walk(file.tree)
    }

    // MARK: Conditions

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        var earlier: [String] = []
        for clause in node.clauses {
            // As LinuxNames writes them.
            let own = clause.condition.map { condition in
                let text = condition.trimmedDescription
                return "(\(file.knowsLinux ? text : text.replacing("os(iOS)", with: "os(Linux)")))"
            }
            conditions.append((earlier.map { "!\($0)" } + [own].compactMap(\.self)).joined(separator: " && "))
            if let own { earlier.append(own) }
            if let elements = clause.elements { walk(Syntax(elements)) }
            conditions.removeLast()
        }
        return .skipChildren
    }

    // MARK: Types

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        open(.class, node.name, node, node.genericParameterClause, node.inheritanceClause)
    }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        open(.value, node.name, node, node.genericParameterClause, node.inheritanceClause)
    }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        open(.value, node.name, node, node.genericParameterClause, node.inheritanceClause)
    }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        open(.value, node.name, node, node.genericParameterClause, node.inheritanceClause)
    }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        open(.protocol, node.name, node, nil, node.inheritanceClause)
    }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        let path = node.extendedType.trimmedDescription.split(separator: ".").map(String.init)
        let obstacle = node.genericWhereClause == nil ? nil : "the extension has a where clause"
        open(
            TypeBlock(
                kind: .extension, path: path, inherited: Self.names(node.inheritanceClause),
                exposesAll: node.attributes.has(["objc"]), objectiveCName: nil, obstacle: obstacle,
                conditions: conditions,
                place: file.place(node.extendedType)))
        return .visitChildren
    }

    override func visitPost(_ node: ClassDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: StructDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: EnumDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: ActorDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: ProtocolDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: ExtensionDeclSyntax) { scopes.removeLast() }

    private func open(
        _ kind: TypeBlock.Kind, _ name: TokenSyntax, _ node: some DeclGroupSyntax,
        _ generics: GenericParameterClauseSyntax?,
        _ inheritance: InheritanceClauseSyntax?
    ) -> SyntaxVisitorContinueKind {
        let outer = scopes.last ?? nil
        let isLocal = scopes.contains { $0 == nil }
        let isNested = !scopes.isEmpty
        var obstacle = outer?.obstacle
        if isLocal { obstacle = "the class is declared in a function" }
        if generics != nil { obstacle = "the class is generic" }
        if isNested, node.modifiers.contains(where: { $0.name.text == "private" }) {
            obstacle = "the class is private in another type"
        }
        open(
            TypeBlock(
                kind: kind, path: (outer?.path ?? []) + [name.text], inherited: Self.names(inheritance),
                exposesAll: node.attributes.has(["objcMembers"]), objectiveCName: node.attributes.objectiveCName,
                obstacle: obstacle, conditions: conditions, place: file.place(name)))
        blocks.last?.isPublic = node.modifiers.has("public", "package")
        let brace = node.memberBlock.rightBrace
        if kind == .class { blocks.last?.closingBrace = (brace.range.lowerBound, file.place(brace)) }
        return .visitChildren
    }

    private func open(_ block: TypeBlock) {
        blocks.append(block)
        if let name = block.path.last { declared.insert(name) }
        scopes.append(block)
    }

    private static func names(_ clause: InheritanceClauseSyntax?) -> [String] {
        clause?.inheritedTypes.map { $0.type.trimmedDescription } ?? []
    }

    // MARK: Bodies

    private func noteOverride(_ node: some DeclSyntaxProtocol, _ modifiers: DeclModifierListSyntax) {
        guard let block = scopes.last ?? nil, block.kind == .extension, modifiers.has("override") else { return }
        block.overrides.append(
            TypeBlock.Override(range: node.range, place: file.place(node), conditions: conditions))
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        declared.insert(node.name.text)
        noteOverride(node, node.modifiers)
        let method = MemberReader(file, conditions).method(node)
        if let block = scopes.last ?? nil {
            block.methods.append(method)
            if let requirement = OptionalRequirement(node, method, in: block) { block.optionals.append(requirement) }
        }
        scopes.append(nil)
        return .visitChildren
    }
    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        let properties = MemberReader(file, conditions).properties(node)
        declared.formUnion(properties.map(\.name))
        noteOverride(node, node.modifiers)
        if let block = scopes.last ?? nil {
            block.properties += properties
            if properties.count == 1, let requirement = OptionalRequirement(node, properties[0], in: block) {
                block.optionals.append(requirement)
            }
        }
        scopes.append(nil)
        return .visitChildren
    }
    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        if let block = scopes.last ?? nil, let found = MemberReader(file, conditions).plainInitializer(node) {
            // Of the bases, only Apple's classes have a `convenience init()` that another kind of initializer hides.
            let isOfApplesClass = block.inherited.first?.prefix(2).allSatisfy(\.isUppercase) == true
            if isOfApplesClass || node.modifiers.has("convenience") { block.initializers.append(found) }
        }
        return openBody()
    }
    override func visit(_ node: DeinitializerDeclSyntax) -> SyntaxVisitorContinueKind { openBody() }
    override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind { openBody() }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { openBody() }

    override func visitPost(_ node: FunctionDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: VariableDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: InitializerDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: DeinitializerDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: SubscriptDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: ClosureExprSyntax) { scopes.removeLast() }

    private func openBody() -> SyntaxVisitorContinueKind {
        scopes.append(nil)
        return .visitChildren
    }

    // MARK: Other names

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind { declare(node.name) }
    override func visit(_ node: AssociatedTypeDeclSyntax) -> SyntaxVisitorContinueKind { declare(node.name) }
    override func visit(_ node: GenericParameterSyntax) -> SyntaxVisitorContinueKind { declare(node.name) }
    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { declare(node.name) }
    override func visit(_ node: MacroDeclSyntax) -> SyntaxVisitorContinueKind { declare(node.name) }
    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        declared.insert((node.secondName ?? node.firstName).text)
        return .visitChildren
    }
    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind { declare(node.identifier) }
    override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind { declare(node.name) }

    private func declare(_ name: TokenSyntax) -> SyntaxVisitorContinueKind {
        declared.insert(name.text)
        return .visitChildren
    }
}
