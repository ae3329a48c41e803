// IntentSwiftWriter+Tables: the tables by which the module Intents sets parameters, calls handlers and reads answers.

extension IntentSwiftWriter {
    mutating func writeTable(of type: IntentDefinition.CustomType) {
        writeTable(type.properties, of: type.name)
    }

    /// Writes the properties of an object or of a response.
    private mutating func writeTable(_ properties: [IntentDefinition.Property], of owner: String) {
        guard !properties.isEmpty else { return }
        add(0, "")
        add(1, "override public class var _properties: [_IntentProperty] {")
        add(2, "[")
        for property in properties { add(3, "_IntentProperty(\(entry(property, of: owner))),") }
        add(2, "]")
        add(1, "}")
    }

    private func entry(_ property: IntentDefinition.Property, of owner: String) -> String {
        let kind = property.numberKind.map { ", as: .\($0)" } ?? ""
        return "\"\(property.name)\", \\\(owner).\(IntentNames.written(property.name))\(kind)"
    }

    mutating func writeTables(of intent: IntentDefinition.Intent) {
        let (handler, name, response) = (intent.protocolName, intent.className, intent.responseName)
        if !intent.parameters.isEmpty {
            add(0, "")
            add(1, "override public class var _parameters: [_IntentParameter] {")
            add(2, "[")
            for parameter in intent.parameters {
                let entry = entry(parameter.property, of: name)
                guard parameter.isResolved else {
                    add(3, "_IntentParameter(\(entry)),")
                    continue
                }
                let result = intent.results(of: parameter)
                let method = "resolve\(IntentNames.capitalized(parameter.name))"
                add(3, "_IntentParameter(")
                add(4, "\(entry),")
                add(
                    4, "resolve: { (handler: any \(handler), intent: \(name), answer: @escaping (\(result)) -> Void) in"
                )
                add(5, "handler.\(method)(for: intent, with: answer)")
                add(4, "},")
                add(4, "async: { (handler: any \(handler), intent: \(name)) async -> \(result) in")
                add(5, "await handler.\(method)(for: intent)")
                add(4, "}),")
            }
            add(2, "]")
            add(1, "}")
        }
        add(0, "")
        add(1, "override public class var _handling: _IntentHandling? {")
        add(2, "_IntentHandling(")
        add(3, "\"\(handler)\",")
        for (step, end) in [("confirm", ","), ("handle", ")")] {
            add(
                3,
                "\(step): { (handler: any \(handler), intent: \(name), answer: @escaping (\(response)) -> Void) in")
            add(4, "handler.\(step)(intent: intent, completion: answer)")
            add(3, "},")
            add(3, "\(step)Async: { (handler: any \(handler), intent: \(name)) async -> \(response) in")
            add(4, "await handler.\(step)(intent: intent)")
            add(3, "}\(end)")
        }
        add(1, "}")
    }

    mutating func writeTables(of response: IntentDefinition.Response, _ intent: IntentDefinition.Intent) {
        let own = Set(response.ownCodes.map(\.name))
        add(0, "")
        add(1, "override public var _code: _IntentCode {")
        if own.isEmpty {
            add(2, "_IntentCode(code)")
        } else {
            add(2, "switch code {")
            for isSuccess in [true, false] {
                let names = response.codes.filter { own.contains($0.name) && $0.isSuccess == isSuccess }
                    .map { "." + IntentNames.written($0.name) }
                guard !names.isEmpty else { continue }
                add(2, "case \(names.joined(separator: ", ")): _IntentCode(code, isSuccess: \(isSuccess))")
            }
            add(2, "default: _IntentCode(code)")
            add(2, "}")
        }
        add(1, "}")
        add(1, "override public func _setCode(_ number: Int) {")
        add(2, "code = \(intent.codeName)(rawValue: number) ?? code")
        add(1, "}")
        writeTable(response.parameters, of: intent.responseName)
    }

    /// Writes the body of a method that the author has not written. Nothing reads the value that it returns.
    mutating func writeDefault(of method: IntentDefinition.Intent.Method, _ intent: IntentDefinition.Intent) {
        if method.kind == .defaultValue {
            guard let property = method.parameter?.property else { return }
            return add(2, property.isEnumeration ? "\(property.swiftType)(rawValue: 0)!" : "nil")
        }
        add(2, "_intentMethodNotWritten(\"\(method.title) of \(intent.protocolName)\")")
        guard method.isAsync else { return }
        switch method.kind {
        case .handle, .confirm: add(2, "return \(intent.responseName)(code: .unspecified, userActivity: nil)")
        case .resolve: add(2, method.parameter?.property.isMultiple == true ? "return []" : "return .notRequired()")
        case .optionsCollection, .searchedCollection: add(2, "return INObjectCollection(items: [])")
        case .options: add(2, "return []")
        case .defaultValue: break
        }
    }
}

extension IntentDefinition.Intent {
    /// Returns the type of the answer of a parameter's resolution.
    func results(of parameter: IntentDefinition.Parameter) -> String {
        parameter.property.isMultiple ? "[\(result(of: parameter))]" : result(of: parameter)
    }
}

extension IntentDefinition.Property {
    var isEnumeration: Bool { if case .enumeration = type { !isMultiple } else { false } }

    /// The kind of number that an `NSNumber` holds; nil for other types.
    var numberKind: String? {
        switch type {
        case .boolean: "boolean"
        case .integer: "integer"
        case .decimal, .timeInterval: "number"
        case .enumeration: isMultiple ? "integer" : nil
        default: nil
        }
    }
}
