// LinuxNames: modules and types that have other names here.

import SwiftSyntax

final class LinuxNames: SyntaxVisitor {
    private(set) var edits: [Edit] = []
    /// Objects that are made of a generic parameter, with its bound, which a class of Apple's has to be.
    private(set) var makings: [(bound: String, edit: Edit)] = []
    private var importsFilters = false
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
        if first.text == "IdentityLookup" { importsFilters = true }
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
        make(node)
        // Only Objective-C has the plain initializer, whose sessions nobody may use.
        if name?.text == "URLSession", called.is(DeclReferenceExprSyntax.self), node.arguments.isEmpty,
            let parenthesis = node.leftParen
        {
            edits.append(.insert("configuration: .default", at: parenthesis.range.upperBound))
        }
        return .visitChildren
    }

    /// `Object()` of a generic parameter: Objective-C calls `init()` of any class, and Swift a `required` one only.
    private func make(_ node: FunctionCallExprSyntax) {
        guard let called = node.calledExpression.as(DeclReferenceExprSyntax.self), called.argumentNames == nil,
            node.arguments.isEmpty, node.trailingClosure == nil, node.rightParen != nil
        else { return }
        let name = called.baseName.text
        var next = node.parent
        while let scope = next {
            let clause = scope.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
            if let parameter = clause?.parameters.first(where: { $0.name.text == name }) {
                let base = parameter.inheritedType?.trimmedDescription ?? ""
                guard base.hasPrefix("UI") || base.hasPrefix("NS"), base != "NSObjectProtocol" else { return }
                return makings.append(
                    (base, .replace(node.range, in: file.bytes, with: "_new(\(name).self)")))
            }
            next = scope.parent
        }
    }

    /// Casts that only Objective-C or an earlier SDK compiles: `"text" as NSSecureCoding`,
    /// `(provider as AnyObject).loadItem`, `attachments = [provider as Any]`.
    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let elements = Array(node.elements)
        for ((value, cast), type) in zip(zip(elements, elements.dropFirst()), elements.dropFirst(2)) {
            guard let cast = cast.as(UnresolvedAsExprSyntax.self), cast.questionOrExclamationMark == nil,
                let type = type.as(TypeExprSyntax.self)?.type, !node.isPattern
            else { continue }
            let names = type.tokens(viewMode: .sourceAccurate).map(\.text)
            if type.isCoding, !value.is(NilLiteralExprSyntax.self) {
                edits.append(.insert(" AnyObject as!", at: cast.range.upperBound))
            } else if names == ["AnyObject"], elements.count == 3, node.castMember.map(Self.ofProvider.contains) == true
            {
                edits.append(.insert(" Any as! NSItemProvider", at: cast.range.upperBound))
                blank(type, through: type)
            } else if names == ["Any"], elements.count == 3, node.isAttachment {
                blank(cast, through: type)
            }
        }
        return .visitChildren
    }

    private static let ofProvider: Set<String> = [
        "hasItemConformingToTypeIdentifier", "loadItem", "loadObject", "canLoadObject", "registeredTypeIdentifiers",
        "loadDataRepresentation", "loadFileRepresentation",
    ]

    /// A `switch` over all cases that an enumeration had in an earlier SDK. A program of that SDK, too, ends on a case
    /// that came later. A warning names the missing cases.
    override func visit(_ node: SwitchExprSyntax) -> SyntaxVisitorContinueKind {
        let items = node.cases.map { element -> SwitchCaseItemListSyntax? in
            guard case .switchCase(let one) = element, case .case(let label) = one.label else { return nil }
            return label.caseItems
        }
        let names = items.map { items in
            items?.map { $0.whereClause == nil ? $0.pattern.trimmedDescription : "" } ?? [""]
        }
        if importsFilters, Self.earlierCases.contains(Set(names.joined())) {
            edits.append(.insert(" @unknown default: fatalError() ", at: node.rightBrace.range.lowerBound))
        }
        return .visitChildren
    }

    /// The cases of `ILMessageFilterAction` before iOS 14.
    private static let earlierCases: Set<Set<String>> = [[".none", ".allow", ".filter"]]

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

extension SequenceExprSyntax {
    /// Whether the sequence is in a pattern, as in `case let text as String`.
    fileprivate var isPattern: Bool {
        var next = parent
        while let node = next, !node.is(CodeBlockItemSyntax.self), !node.is(ClosureExprSyntax.self) {
            if node.is(ExpressionPatternSyntax.self) { return true }
            next = node.parent
        }
        return false
    }

    /// The member of `(a as B).member`.
    fileprivate var castMember: String? {
        guard let element = parent?.as(LabeledExprSyntax.self),
            let tuple = element.parent?.parent?.as(TupleExprSyntax.self), tuple.elements.count == 1
        else { return nil }
        var outer = tuple.parent
        if let chain = outer?.as(OptionalChainingExprSyntax.self) { outer = chain.parent }
        return outer?.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }

    /// Whether it is an element of a literal that is assigned to `attachments`.
    fileprivate var isAttachment: Bool {
        guard let array = parent?.parent?.parent?.as(ArrayExprSyntax.self),
            let outer = array.parent?.parent?.as(SequenceExprSyntax.self)
        else { return false }
        let elements = Array(outer.elements)
        return elements.count == 3 && elements[1].is(AssignmentExprSyntax.self)
            && elements[0].as(MemberAccessExprSyntax.self)?.declName.baseName.text == "attachments"
    }
}

extension TypeSyntax {
    /// Whether it is a protocol of archives, a composition with one, or an optional of these.
    fileprivate var isCoding: Bool {
        if let type = self.as(OptionalTypeSyntax.self) { return type.wrappedType.isCoding }
        if let type = self.as(SomeOrAnyTypeSyntax.self) { return type.constraint.isCoding }
        if let type = self.as(CompositionTypeSyntax.self) { return type.elements.contains(where: \.type.isCoding) }
        if let type = self.as(TupleTypeSyntax.self) {
            return type.elements.count == 1 && type.elements.allSatisfy(\.type.isCoding)
        }
        return ["NSSecureCoding", "NSCoding"].contains(trimmedDescription)
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
