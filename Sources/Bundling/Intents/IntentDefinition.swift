// IntentDefinition: the intents, types and enumerations of an .intentdefinition file, as far as Swift code needs them.

/// The contents of one file, or of all files of a target. All names are valid in Swift, and unique.
struct IntentDefinition: Hashable {
    var intents: [Intent] = []
    var types: [CustomType] = []
    var enumerations: [Enumeration] = []

    var isEmpty: Bool { intents.isEmpty && types.isEmpty && enumerations.isEmpty }

    struct Intent: Hashable {
        /// The name without a prefix and without `Intent`, such as `OrderSoup`.
        let name: String
        /// The prefix and the name, from which the names of all classes begin.
        let stem: String
        var category = "generic"
        var verb = "Do"
        var parameters: [Parameter] = []
        var response = Response()

        var className: String { stem + "Intent" }
        var responseName: String { className + "Response" }
        var codeName: String { className + "ResponseCode" }
        var protocolName: String { className + "Handling" }
    }

    /// A property of an intent, of a response or of a type.
    struct Property: Hashable {
        let name: String
        let type: IntentValueType
        var isMultiple = false
    }

    struct Parameter: Hashable {
        let property: Property
        var isResolved = false
        /// Whether the extension provides options while it runs.
        var hasOptions = false
        /// Whether the options depend on a term of a search.
        var isSearchable = false
        /// The reasons that the author names, for a result class of the parameter's own.
        var unsupportedReasons: [String] = []

        var name: String { property.name }
    }

    struct Response: Hashable {
        var codes: [Code] = []
        var parameters: [Property] = []
        /// The parameter that is the output; nil if there is none.
        var output: String?
    }

    struct Code: Hashable {
        let name: String
        var isSuccess = false
        /// The names of the parameters in the texts of the code, in their order.
        var parameters: [String] = []
    }

    struct CustomType: Hashable {
        /// The prefix and the name.
        let name: String
        /// The properties that `INObject` does not have.
        var properties: [Property] = []
    }

    struct Enumeration: Hashable {
        /// The prefix and the name.
        let name: String
        var cases: [Case] = []

        struct Case: Hashable {
            let name: String
            let value: Int
        }
    }

    /// The codes of every response, in the order of their values. The author's own begin at 100.
    static let commonCodes = [
        "unspecified", "ready", "continueInApp", "inProgress", "success", "failure", "failureRequiringAppLaunch",
    ]
}

/// The type of a property.
enum IntentValueType: Hashable {
    case string, boolean, integer, decimal, timeInterval, url, file, dateComponents, dateComponentsRange
    case person, speakableString, currencyAmount
    case object(String)
    case enumeration(String)

    /// Returns a type of Apple's systems by its name in the file; nil for one that the module Intents does not have.
    static func named(_ name: String) -> IntentValueType? {
        switch name {
        case "String": .string
        case "Boolean": .boolean
        case "Integer", "Long": .integer
        case "Decimal", "Double": .decimal
        case "TimeInterval": .timeInterval
        case "URL": .url
        case "File": .file
        case "Date", "DateComponents": .dateComponents
        case "DateComponentsRange": .dateComponentsRange
        case "Person": .person
        case "SpeakableString": .speakableString
        case "CurrencyAmount": .currencyAmount
        // Until custom types came, with Xcode 11.
        case "Object": .object("INObject")
        default: nil
        }
    }
}
