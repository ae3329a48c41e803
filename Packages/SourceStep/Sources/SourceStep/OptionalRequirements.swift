// OptionalRequirements: `@objc optional` in protocols, the calls `object.method?(…)`, and what stands for both here.

import SwiftSyntax

/// One optional requirement of a protocol.
struct OptionalRequirement {
    let member: ExposedMembers.Member
    /// The types of the protocol's name, and the words in front of an extension's members.
    let `protocol`: String
    let access: String
    /// A method's parameters as they are written, in parentheses. `names` are the names inside the method.
    var parameters = "()"
    var names: [String] = []
    /// Nil for Void.
    let result: String?
    /// Why no method can stand for it; nil if one can.
    let obstacle: String?
    let range: Range<Int>
    let place: Place

    /// A method or property of an extension, which asks the object's table. Its value is nil where the object's class
    /// has no such member. Where the class is known, its own member counts, whatever value is wanted.
    var text: String {
        let type = result.map { $0.hasSuffix("?") || $0.hasSuffix("!") ? String($0.dropLast()) : $0 } ?? "Void"
        let arguments = names.map { "\($0) as Any?" }.joined(separator: ", ")
        let body = "_optional(self, _sel(\"\(member.selector)\"), [\(arguments)], (\(type)).self)"
        let declaration =
            switch member {
            case .method(let method): "@discardableResult \(access)func \(method.written)\(parameters) -> (\(type))?"
            case .property(let property): "\(access)var \(property.written): (\(type))?"
            case .observed, .initializer: ""
            }
        let conditions = member.traits.conditions.joined(separator: " && ")
        let (opening, closing) = conditions.isEmpty ? ("", "") : ("#if \(conditions)\n", "#endif\n")
        return "\(opening)extension \(`protocol`) {\n    @_disfavoredOverload \(declaration) { \(body) }\n}\n\(closing)"
    }
}

extension OptionalRequirement {
    /// A method, if it has `optional`.
    init?(_ node: FunctionDeclSyntax, _ method: Method, in block: TypeBlock) {
        guard node.modifiers.has("optional") else { return nil }
        let clause = node.signature.parameterClause
        let borrowed = clause.parameters.contains { parameter in
            let text = parameter.type.trimmedDescription
            return text.contains("->") && !text.contains("@escaping") && !text.hasSuffix("?")
        }
        self.init(
            member: .method(method), protocol: block.name, access: block.isPublic ? "public " : "",
            parameters: clause.trimmedDescription.split(whereSeparator: \.isNewline).joined(separator: " "),
            names: clause.parameters.map { ($0.secondName ?? $0.firstName).text },
            result: method.returnType,
            obstacle: method.firstObstacle ?? (borrowed ? "it takes a closure that does not escape" : nil),
            range: node.range, place: method.traits.place)
    }

    /// A property, if it has `optional`.
    init?(_ node: VariableDeclSyntax, _ property: Property, in block: TypeBlock) {
        guard node.modifiers.has("optional"), case .written(let type) = property.type else { return nil }
        self.init(
            member: .property(property), protocol: block.name, access: block.isPublic ? "public " : "",
            result: type.text, obstacle: property.traits.ofType ? "it is a property of the type" : nil,
            range: node.range,
            place: property.traits.place)
    }
}

/// `delegate.method?(…)`.
struct OptionalCall {
    let name: String
    /// The labels in the parentheses. Closures that follow have none.
    let labels: [String]
    let trailing: Int
    let receiver: String
    /// The question mark.
    let range: Range<Int>

    init?(_ node: FunctionCallExprSyntax) {
        guard let chain = node.calledExpression.as(OptionalChainingExprSyntax.self) else { return nil }
        if let member = chain.expression.as(MemberAccessExprSyntax.self) {
            name = member.declName.baseName.text
            receiver = member.base?.trimmedDescription ?? ""
        } else if let reference = chain.expression.as(DeclReferenceExprSyntax.self) {
            name = reference.baseName.text
            receiver = ""
        } else {
            return nil
        }
        labels = node.arguments.map { $0.label?.text ?? "" }
        trailing = (node.trailingClosure == nil ? 0 : 1) + node.additionalTrailingClosures.count
        range = chain.questionMark.range
    }

    func means(_ method: Method) -> Bool {
        name == method.name && method.labels.count == labels.count + trailing && method.labels.starts(with: labels)
    }
}

/// The optional requirements of a target.
struct OptionalRequirements {
    private let methods: [String: [Method]]
    private let properties: [String: Property]
    /// A closure of such a name is called in the same way.
    private let closures: Set<String>

    init(_ blocks: [TypeBlock]) {
        let all = blocks.flatMap(\.optionals).filter { $0.obstacle == nil }
        var methods: [String: [Method]] = [:]
        var properties: [String: Property] = [:]
        for requirement in all {
            switch requirement.member {
            case .method(let method): methods[method.name, default: []].append(method)
            case .property(let property): properties[property.name] = property
            case .observed, .initializer: break
            }
        }
        self.methods = methods
        self.properties = properties
        let own = Set(properties.keys)
        closures = Set(blocks.flatMap(\.properties).map(\.name)).subtracting(own)
    }

    /// The Objective-C name of the requirement that a method may fulfil.
    func selector(of method: Method) -> String? {
        methods[method.name]?.first { $0.labels == method.labels }?.selector
    }

    func has(_ property: Property) -> Bool { properties[property.name] != nil }

    /// Whether the question mark of a call stands for an optional requirement. Those of the kit are none here: each has
    /// a body.
    func isCalled(_ call: OptionalCall) -> Bool {
        if methods[call.name]?.contains(where: call.means) == true { return !closures.contains(call.name) }
        let receiver = call.receiver.lowercased()
        return Self.kit.contains(call.name) && (receiver.contains("delegate") || receiver.contains("datasource"))
    }

    /// The kit's delegates: the first names of their methods.
    private static let kit: Set<String> = [
        "scrollViewDidScroll", "scrollViewWillBeginDragging", "scrollViewDidEndDragging",
        "scrollViewDidEndDecelerating", "scrollViewDidEndScrollingAnimation", "viewForZooming", "tableView",
        "numberOfSections", "collectionView", "textViewShouldBeginEditing", "textViewDidBeginEditing", "textView",
        "textViewDidChange", "textViewShouldEndEditing", "textViewDidEndEditing", "textViewDidChangeSelection",
        "textFieldShouldBeginEditing", "textFieldDidBeginEditing", "textFieldShouldEndEditing",
        "textFieldDidEndEditing", "textField", "textFieldShouldClear", "textFieldShouldReturn",
        "presentationControllerDidDismiss", "presentationControllerWillDismiss", "presentationControllerShouldDismiss",
    ]
}
