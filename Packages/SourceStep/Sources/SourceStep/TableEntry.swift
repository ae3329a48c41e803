// TableEntry: the Swift text of one entry of a table.

enum TableEntry {
    /// A method has one entry, a property one for its getter and one for its setter.
    static func lines(of member: ExposedMembers.Member, class name: String, type: (WrittenType) -> String) -> [String] {
        switch member {
        case .method(let method): [line(method, name, type)]
        case .property(let property): lines(property, name, type)
        case .observed(let property):
            ["_Method(\"@\(name).\(property.name)\") { _, _ in \\\(name).\(property.written) as AnyKeyPath }"]
        case .initializer: ["_Method(\"init\") { _, _ in \(name)() as Any? }"]
        }
    }

    private static func line(_ method: Method, _ name: String, _ type: (WrittenType) -> String) -> String {
        let values = method.parameters.enumerated().map { place, parameter in
            (parameter.label.isEmpty ? "" : parameter.label + ": ")
                + argument("\(parameter.isUnused ? "unused: " : "")\(place)", type(parameter.type))
        }
        let call = "(target as! \(name)).\(method.written)(\(values.joined(separator: ", ")))"
        let body = method.returnType == nil ? "\(call); return nil" : "\(call) as Any?"
        return entry(method.selector, values.isEmpty ? "_" : "arguments", body)
    }

    private static func lines(_ property: Property, _ name: String, _ type: (WrittenType) -> String) -> [String] {
        let value = "(target as! \(name)).\(property.written)"
        let getter = entry(property.getter, "_", "\(value) as Any?")
        guard property.isSettable else { return [getter] }
        let given =
            switch property.type {
            case .written(let written): argument("0", type(written))
            case .inferred: "arguments[0, type(of: \(value))]"
            }
        return [getter, entry(property.setter, "arguments", "\(value) = \(given); return nil")]
    }

    private static func entry(_ selector: String, _ arguments: String, _ body: String) -> String {
        "_Method(\"\(selector)\") { target, \(arguments) in \(body) }"
    }

    private static func argument(_ place: String, _ type: String) -> String {
        let isSimple = type.allSatisfy { $0.isLetter || $0.isNumber || "_.?".contains($0) }
        // A type over several lines is one here.
        let text = type.split(whereSeparator: \.isNewline).joined(separator: " ")
        return "arguments[\(place), \(isSimple ? text : "(\(text))").self]"
    }
}
