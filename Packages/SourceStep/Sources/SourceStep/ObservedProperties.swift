// ObservedProperties: the changes of `dynamic` properties, which their observers and setters report.

import SwiftSyntax

/// Objective-C reports the changes of a `dynamic` property. Here the property's own code does, on the author's lines.
struct ObservedProperties {
    private(set) var edits: [Edit] = []

    /// - Parameter node: a property. One whose changes no code could report has no edits.
    init(_ node: VariableDeclSyntax) {
        guard node.bindingSpecifier.tokenKind == .keyword(.var), node.modifiers.has("dynamic"),
            !node.modifiers.has("static", "class", "override"),
            let binding = node.bindings.first, node.bindings.count == 1,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text.filter({ $0 != "`" })
        else { return }
        let (before, after) = ("_willChange(self, \"\(name)\")", "_didChange(self, \"\(name)\")")
        guard let block = binding.accessorBlock else {
            insert(" { willSet { \(before) } didSet { \(after) } }", at: binding.range.upperBound)
            return
        }
        guard case .accessors(let accessors) = block.accessors else { return }
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
    }

    private mutating func insert(_ text: String, at offset: Int) { edits.append(.insert(text, at: offset)) }

    private mutating func insert(
        _ text: String, in body: CodeBlockSyntax?, or accessor: String, of block: AccessorBlockSyntax
    ) {
        insert(body == nil ? accessor : text, at: (body?.leftBrace ?? block.leftBrace).range.upperBound)
    }
}
