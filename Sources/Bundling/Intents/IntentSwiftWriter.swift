// IntentSwiftWriter: the Swift source of a definition of intents, with the declarations that Xcode generates.

/// The writer. Each name was checked by the reader, so no text of a file reaches the source unchecked.
struct IntentSwiftWriter {
    let definition: IntentDefinition
    private var lines: [String] = []

    init(_ definition: IntentDefinition) {
        self.definition = definition
        lines = [
            "// GeneratedIntents: the classes of the target's definitions of intents. Made by exthostctl bundle, and "
                + "replaced each time.", "", "import ExtensionFoundation", "import Intents",
        ]
        definition.enumerations.forEach { write($0) }
        definition.types.forEach { write($0) }
        definition.intents.forEach { write($0) }
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    mutating func add(_ depth: Int, _ text: String) {
        lines.append(text.isEmpty ? "" : String(repeating: "    ", count: depth) + text)
    }

    // MARK: Enumerations and types

    private mutating func write(_ enumeration: IntentDefinition.Enumeration) {
        let (name, result) = (enumeration.name, enumeration.name + "ResolutionResult")
        add(0, "")
        add(0, "nonisolated public enum \(name): Int, Sendable, _IntentEnumeration {")
        for entry in enumeration.cases { add(1, "case \(IntentNames.written(entry.name)) = \(entry.value)") }
        add(0, "}")
        add(0, "")
        add(0, "nonisolated public class \(result): INEnumResolutionResult {")
        add(1, "public class func success(with resolvedValue: \(name)) -> Self {")
        add(2, "_success(resolvedValue)")
        add(1, "}")
        add(1, "public class func confirmationRequired(with valueToConfirm: \(name)) -> Self {")
        add(2, "_confirmationRequired(valueToConfirm)")
        add(1, "}")
        add(0, "}")
    }

    private mutating func write(_ type: IntentDefinition.CustomType) {
        let (name, result) = (type.name, type.name + "ResolutionResult")
        add(0, "")
        add(0, "nonisolated public class \(name): INObject {")
        write(type.properties)
        writeTable(of: type)
        add(0, "}")
        add(0, "")
        add(0, "nonisolated public class \(result): INObjectResolutionResult {")
        add(1, "public class func success(with resolvedObject: \(name)) -> Self {")
        add(2, "_success(resolvedObject)")
        add(1, "}")
        add(1, "public class func disambiguation(with objectsToDisambiguate: [\(name)]) -> Self {")
        add(2, "_disambiguation(objectsToDisambiguate)")
        add(1, "}")
        add(1, "public class func confirmationRequired(with objectToConfirm: \(name)?) -> Self {")
        add(2, "_confirmationRequired(objectToConfirm)")
        add(1, "}")
        add(0, "}")
    }

    private mutating func write(_ properties: [IntentDefinition.Property]) {
        for property in properties {
            add(1, "public var \(IntentNames.written(property.name)): \(property.swiftType)\(property.initialValue)")
        }
    }

    // MARK: Intents

    private mutating func write(_ intent: IntentDefinition.Intent) {
        add(0, "")
        add(0, "nonisolated public class \(intent.className): INIntent {")
        write(intent.parameters.map(\.property))
        writeTables(of: intent)
        add(0, "}")
        writeHandling(intent)
        writeResponse(intent)
        for parameter in intent.parameters where !parameter.unsupportedReasons.isEmpty {
            let reason = intent.stem + IntentNames.capitalized(parameter.name) + "UnsupportedReason"
            add(0, "")
            add(0, "nonisolated public enum \(reason): Int, Sendable {")
            for (index, name) in parameter.unsupportedReasons.enumerated() {
                add(1, "case \(IntentNames.written(name))\(index == 0 ? " = 1" : "")")
            }
            add(0, "}")
            add(0, "")
            let result = intent.result(of: parameter)
            add(0, "nonisolated public class \(result): \(parameter.property.type.resolutionResult) {")
            add(1, "public class func unsupported(forReason reason: \(reason)) -> Self {")
            add(2, "unsupported(forReason: reason.rawValue)")
            add(1, "}")
            add(0, "}")
        }
    }

    private mutating func writeHandling(_ intent: IntentDefinition.Intent) {
        let methods = intent.methods
        add(0, "")
        add(0, "nonisolated public protocol \(intent.protocolName): NSObjectProtocol {")
        for method in methods { add(1, method.declaration) }
        add(0, "}")
        add(0, "")
        add(0, "nonisolated extension \(intent.protocolName) {")
        for method in methods {
            add(1, "public \(method.declaration) {")
            writeDefault(of: method, intent)
            add(1, "}")
        }
        add(0, "}")
    }

    private mutating func writeResponse(_ intent: IntentDefinition.Intent) {
        let (name, response) = (intent.responseName, intent.response)
        add(0, "")
        add(0, "nonisolated public enum \(intent.codeName): Int, Sendable {")
        for (index, code) in IntentDefinition.commonCodes.enumerated() { add(1, "case \(code) = \(index)") }
        for (name, value) in response.ownCodes { add(1, "case \(IntentNames.written(name)) = \(value)") }
        add(0, "}")
        add(0, "")
        add(0, "nonisolated public class \(name): INIntentResponse {")
        write(response.parameters)
        add(1, "public fileprivate(set) var code: \(intent.codeName) = .unspecified")
        add(0, "")
        add(1, "public convenience init(code: \(intent.codeName), userActivity: NSUserActivity?) {")
        add(2, "self.init()")
        add(2, "self.code = code")
        add(2, "self.userActivity = userActivity")
        add(1, "}")
        for code in response.codes where !code.parameters.isEmpty {
            let parameters = code.parameters.compactMap { name in response.parameters.first { $0.name == name } }
            let arguments = parameters.enumerated().map { index, property in
                let name = IntentNames.written(property.name)
                // A name that the code repeats at its end has no label.
                let isRepeated = index == 0 && code.name.hasSuffix(IntentNames.capitalized(property.name))
                return "\(isRepeated ? "_ " : "")\(name): \(property.argumentType)"
            }
            add(0, "")
            add(1, "public static func \(IntentNames.written(code.name))(")
            add(2, arguments.joined(separator: ", "))
            add(1, ") -> \(name) {")
            add(2, "let _response = \(name)(code: .\(IntentNames.written(code.name)), userActivity: nil)")
            for property in parameters {
                let name = IntentNames.written(property.name)
                add(2, "_response.\(name) = \(name)")
            }
            add(2, "return _response")
            add(1, "}")
        }
        writeTables(of: response, intent)
        add(0, "}")
    }
}

extension IntentDefinition.Response {
    /// The author's own codes with their values.
    var ownCodes: [(name: String, value: Int)] {
        codes.map(\.name).filter { !IntentDefinition.commonCodes.contains($0) }.enumerated()
            .map { ($0.element, 100 + $0.offset) }
    }
}

extension IntentDefinition.Intent {
    /// Returns the class of the results of a parameter.
    func result(of parameter: IntentDefinition.Parameter) -> String {
        parameter.unsupportedReasons.isEmpty
            ? parameter.property.type.resolutionResult
            : stem + IntentNames.capitalized(parameter.name) + "ResolutionResult"
    }

    /// A method of the protocol of handlers.
    struct Method {
        let kind: Kind
        /// The name with its labels, for messages.
        let title: String
        let declaration: String
        let isAsync: Bool
        let parameter: IntentDefinition.Parameter?

        enum Kind { case handle, confirm, resolve, optionsCollection, searchedCollection, options, defaultValue }
    }

    /// The methods: of each pair, the form with a completion first.
    var methods: [Method] {
        var found: [Method] = []
        func add(
            _ kind: Method.Kind, _ base: String, _ arguments: [(String, String)], completion: String,
            _ parameters: String,
            result: String, throwing: Bool = false, _ parameter: IntentDefinition.Parameter? = nil
        ) {
            let list = arguments.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
            let labels = arguments.map { $0.0.prefix { $0 != " " } + ":" }.joined()
            let label = completion.prefix { $0 != " " }
            found.append(
                Method(
                    kind: kind, title: "\(base)(\(labels)\(label):)",
                    declaration: "func \(base)(\(list), \(completion): @escaping (\(parameters)) -> Void)",
                    isAsync: false, parameter: parameter))
            found.append(
                Method(
                    kind: kind, title: "\(base)(\(labels))",
                    declaration: "func \(base)(\(list)) async \(throwing ? "throws " : "")-> \(result)", isAsync: true,
                    parameter: parameter))
        }
        let subject = [("intent", className)]
        for (kind, base) in [(Method.Kind.confirm, "confirm"), (.handle, "handle")] {
            add(kind, base, subject, completion: "completion", responseName, result: responseName)
        }
        for parameter in parameters {
            let name = IntentNames.capitalized(parameter.name)
            let (property, subject) = (parameter.property, [("for intent", className)])
            if parameter.isResolved {
                let results = results(of: parameter)
                add(
                    .resolve, "resolve\(name)", subject, completion: "with completion", results, result: results,
                    parameter)
            }
            guard parameter.hasOptions else { continue }
            let collection = "INObjectCollection<\(property.type.objectType)>"
            for kind in [Method.Kind.optionsCollection, .searchedCollection] {
                add(
                    kind, "provide\(name)OptionsCollection",
                    subject + (kind == .searchedCollection ? [("searchTerm", "String?")] : []),
                    completion: "with completion", "\(collection)?, (any Error)?", result: collection, throwing: true,
                    parameter)
            }
            let list = "[\(property.type.elementType)]"
            add(
                .options, "provide\(name)Options", subject, completion: "with completion",
                "\(list)?, (any Error)?", result: list, throwing: true, parameter)
            found.append(
                Method(
                    kind: .defaultValue, title: "default\(name)(for:)",
                    declaration: "func default\(name)(for intent: \(className)) -> \(property.swiftType)",
                    isAsync: false, parameter: parameter))
        }
        return found
    }
}

extension IntentDefinition.Property {
    /// The type of the property: optional, except for an enumeration, which has a case for no value.
    var swiftType: String {
        if isMultiple { return "[\(type.elementType)]?" }
        if case .enumeration(let name) = type { return name }
        return type.elementType + "?"
    }

    var initialValue: String {
        guard case .enumeration(let name) = type, !isMultiple else { return "" }
        return " = \(name)(rawValue: 0)!"
    }

    /// The type in a method that makes a response.
    var argumentType: String {
        if isMultiple { return "[\(type.elementType)]" }
        if case .enumeration(let name) = type { return name }
        return type.elementType
    }
}

extension IntentValueType {
    /// The type of one value, and of the elements of several.
    var elementType: String {
        switch self {
        case .string: "String"
        case .boolean, .integer, .decimal, .timeInterval, .enumeration: "NSNumber"
        case .url: "URL"
        case .file: "INFile"
        case .dateComponents: "DateComponents"
        case .dateComponentsRange: "INDateComponentsRange"
        case .person: "INPerson"
        case .speakableString: "INSpeakableString"
        case .currencyAmount: "INCurrencyAmount"
        case .object(let name): name
        }
    }

    /// The type of an element of a collection of objects.
    var objectType: String {
        switch self {
        case .string: "NSString"
        case .url: "NSURL"
        case .dateComponents: "NSDateComponents"
        default: elementType
        }
    }

    var resolutionResult: String {
        switch self {
        case .string: "INStringResolutionResult"
        case .boolean: "INBooleanResolutionResult"
        case .integer: "INIntegerResolutionResult"
        case .decimal: "INDoubleResolutionResult"
        case .timeInterval: "INTimeIntervalResolutionResult"
        case .url: "INURLResolutionResult"
        case .file: "INFileResolutionResult"
        case .dateComponents: "INDateComponentsResolutionResult"
        case .dateComponentsRange: "INDateComponentsRangeResolutionResult"
        case .person: "INPersonResolutionResult"
        case .speakableString: "INSpeakableStringResolutionResult"
        case .currencyAmount: "INCurrencyAmountResolutionResult"
        case .object(let name), .enumeration(let name): name + "ResolutionResult"
        }
    }
}
