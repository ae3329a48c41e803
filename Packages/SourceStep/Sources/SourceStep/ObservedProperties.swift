// ObservedProperties: the changes of `dynamic` properties, which their observers and setters report.

import SwiftSyntax

/// Objective-C reports the changes of a `dynamic` property. Here the property's own code does, on the author's lines.
final class ObservedProperties: SyntaxVisitor {
    private(set) var edits: [Edit] = []

    init(_ file: ParsedFile) {
        super.init(viewMode: .sourceAccurate)
        walk(file.tree)
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard node.modifiers.has("dynamic"), !node.modifiers.has("static", "class", "override"), node.isInClass,
            let binding = node.bindings.first, node.bindings.count == 1,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text.filter({ $0 != "`" })
        else { return .visitChildren }
        let (before, after) = ("_willChange(self, \"\(name)\")", "_didChange(self, \"\(name)\")")
        guard let block = binding.accessorBlock else {
            insert(" { willSet { \(before) } didSet { \(after) } }", at: binding.range.upperBound)
            return .visitChildren
        }
        guard case .accessors(let accessors) = block.accessors else { return .visitChildren }
        func body(_ word: String) -> CodeBlockSyntax? { accessors.first { $0.accessorSpecifier.text == word }?.body }
        if let setter = body("set") {
            insert(" \(before); defer { \(after) };", at: setter.leftBrace.range.upperBound)
        } else if body("willSet") != nil || body("didSet") != nil {
            insert(" \(before);", in: body("willSet"), or: " willSet { \(before) }", of: block)
            // After the author's code, which may return early.
            let didSet = body("didSet")
            let text = didSet?.statements.isEmpty == true ? " \(after);" : " defer { \(after) };"
            insert(text, in: didSet, or: " didSet { \(after) }", of: block)
        }
        return .visitChildren
    }

    private func insert(_ text: String, at offset: Int) { edits.append(.insert(text, at: offset)) }

    private func insert(_ text: String, in body: CodeBlockSyntax?, or accessor: String, of block: AccessorBlockSyntax) {
        insert(body == nil ? accessor : text, at: (body?.leftBrace ?? block.leftBrace).range.upperBound)
    }
}

extension SyntaxProtocol {
    /// Whether a class or an extension is the nearest declaration around the node.
    fileprivate var isInClass: Bool {
        var next = parent
        while let node = next, !node.isProtocol((any DeclGroupSyntax).self), !node.is(CodeBlockSyntax.self) {
            next = node.parent
        }
        return next?.is(ClassDeclSyntax.self) == true || next?.is(ExtensionDeclSyntax.self) == true
    }
}
