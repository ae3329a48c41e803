// MemberReader: a method or property as the tables need it.

import SwiftSyntax

struct MemberReader {
    private let file: ParsedFile
    private let conditions: [String]

    init(_ file: ParsedFile, _ conditions: [String]) {
        self.file = file
        self.conditions = conditions
    }

    func method(_ node: FunctionDeclSyntax) -> Method {
        let signature = node.signature
        let effects = signature.effectSpecifiers
        var obstacle: String?
        if effects?.asyncSpecifier != nil { obstacle = "it is async" }
        if effects?.throwsClause != nil { obstacle = "it throws" }
        if node.genericParameterClause != nil { obstacle = "it is generic" }
        if case .identifier = node.name.tokenKind {} else { obstacle = "it is an operator" }
        let result = signature.returnClause?.type.trimmedDescription
        return Method(
            traits: traits(node.attributes, node.modifiers, node.name), written: node.name.text,
            parameters: signature.parameterClause.parameters.map { Self.parameter($0, of: node) },
            returnType: ["Void", "()", "Swift.Void"].contains(result) ? nil : result, obstacle: obstacle)
    }

    /// `init()` that hides its base's `convenience init()`; nil for any other.
    func plainInitializer(_ node: InitializerDeclSyntax) -> MemberTraits? {
        let signature = node.signature
        guard !node.modifiers.has("override"), !node.modifiers.has("required"),
            signature.parameterClause.parameters.isEmpty, signature.effectSpecifiers == nil, node.optionalMark == nil,
            node.genericParameterClause == nil
        else { return nil }
        return traits(node.attributes, node.modifiers, node.initKeyword)
    }

    func properties(_ node: VariableDeclSyntax) -> [Property] {
        node.bindings.compactMap { binding in
            guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { return nil }
            // `var a, b: Int` gives the type once.
            let following = node.bindings.drop { $0.id != binding.id }
            let annotation =
                binding.initializer == nil ? following.lazy.compactMap(\.typeAnnotation).first : binding.typeAnnotation
            var property = Property(
                traits: traits(node.attributes, node.modifiers, pattern.identifier), written: pattern.identifier.text,
                type: annotation.map { .written(Self.castType($0.type)) }
                    ?? Self.literalType(binding.initializer?.value),
                isSettable: node.bindingSpecifier.tokenKind == .keyword(.var) && !node.modifiers.hidesSetter)
            readAccessors(binding.accessorBlock, &property)
            property.reports = ObservedProperties(node).edits
            return property
        }
    }

    private func readAccessors(_ block: AccessorBlockSyntax?, _ property: inout Property) {
        guard let block else { return }
        guard case .accessors(let accessors) = block.accessors else {
            property.isSettable = false
            return
        }
        let words = Set(accessors.map(\.accessorSpecifier.text))
        if words.contains("get"), !words.contains("set"), !words.contains("_modify") { property.isSettable = false }
        for accessor in accessors {
            guard let name = accessor.attributes.objectiveCName else { continue }
            if accessor.accessorSpecifier.text == "get" { property.getterName = name }
            if accessor.accessorSpecifier.text == "set" { property.setterName = name }
        }
    }

    private func traits(
        _ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax, _ name: TokenSyntax
    ) -> MemberTraits {
        MemberTraits(
            isExplicit: attributes.has(ObjectiveCWord.exposing), objectiveCName: attributes.objectiveCName,
            ofType: modifiers.has("static", "class"), isPrivate: modifiers.has("private", "fileprivate"),
            isOverride: modifiers.has("override"), isUnavailable: attributes.isUnavailable,
            isNonObjectiveC: attributes.has(["nonobjc"]), conditions: conditions, place: file.place(name))
    }

    // MARK: Types

    private static func parameter(
        _ node: FunctionParameterSyntax, of function: FunctionDeclSyntax
    ) -> Method.Parameter {
        let label = node.firstName.text == "_" ? "" : node.firstName.text.filter { $0 != "`" }
        var obstacle: String?
        if node.ellipsis != nil { obstacle = "it takes any number of values" }
        if let type = node.type.as(AttributedTypeSyntax.self) {
            if type.specifiers.contains(where: { $0.trimmedDescription == "inout" }) {
                obstacle = "it has an inout parameter"
            }
            if type.attributes.has(["autoclosure"]) { obstacle = "it has an autoclosure" }
        }
        if node.type.tokens(viewMode: .sourceAccurate).contains(where: { $0.tokenKind == .keyword(.some) }) {
            obstacle = "it is generic"
        }
        return Method.Parameter(
            label: label, type: castType(node.type), obstacle: obstacle,
            isUnused: !mentions((node.secondName ?? node.firstName).text, function))
    }

    /// Whether a method's body may use one of its parameters. A method without a body here, and one that another module
    /// may override, may use each.
    private static func mentions(_ name: String, _ function: FunctionDeclSyntax) -> Bool {
        guard let body = function.body, !function.modifiers.has("open") else { return true }
        let bare = name.filter { $0 != "`" }
        guard bare != "_" else { return false }
        return body.tokens(viewMode: .sourceAccurate).contains { $0.text.filter { $0 != "`" } == bare }
    }

    /// The type for a cast: without what only a declaration may have. `T!` is `T?`.
    static func castType(_ type: TypeSyntax) -> WrittenType {
        if let type = type.as(AttributedTypeSyntax.self) {
            let kept = type.attributes.all.filter { !["escaping", "autoclosure", "noescape"].contains($0.name) }
            let inner = castType(type.baseType)
            return kept.isEmpty
                ? inner : wrapped(kept.map(\.trimmedDescription).joined(separator: " ") + " ", inner, "")
        }
        if let type = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return wrapped("", castType(type.wrappedType), "?")
        }
        let start = type.positionAfterSkippingLeadingTrivia.utf8Offset
        let names = NameFinder.names(in: type).map { node in
            WrittenType.Name(offset: node.positionAfterSkippingLeadingTrivia.utf8Offset - start, name: node.name.text)
        }
        return WrittenType(text: type.trimmedDescription, names: names)
    }

    private static func wrapped(_ before: String, _ type: WrittenType, _ after: String) -> WrittenType {
        WrittenType(
            text: before + type.text + after,
            names: type.names.map { WrittenType.Name(offset: $0.offset + before.utf8.count, name: $0.name) })
    }

    private static func literalType(_ value: ExprSyntax?) -> Property.ValueType {
        let name: String? =
            switch value?.kind {
            case .integerLiteralExpr: "Int"
            case .floatLiteralExpr: "Double"
            case .booleanLiteralExpr: "Bool"
            case .stringLiteralExpr: "String"
            default: nil
            }
        return name.map { .written(WrittenType(text: $0)) } ?? .inferred
    }
}

/// The names in a type that stand alone or at the start of a chain.
private final class NameFinder: SyntaxVisitor {
    private var found: [IdentifierTypeSyntax] = []

    static func names(in type: TypeSyntax) -> [IdentifierTypeSyntax] {
        let finder = NameFinder(viewMode: .sourceAccurate)
        finder.walk(type)
        return finder.found
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        found.append(node)
        return .visitChildren
    }
}
