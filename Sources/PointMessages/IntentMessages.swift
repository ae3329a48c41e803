// IntentMessages: the calls of an intents extension, and the values that they carry.

public import ExtensionPointKit

/// A value of a parameter, of a response or of an object, as it travels.
public indirect enum IntentValue: Sendable, Hashable {
    case text(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    /// Seconds since 1970.
    case date(Double)
    /// The components of a date by their names, such as `year` and `hour`.
    case components([String: Int])
    case data([UInt8])
    case url(String)
    /// An object with named members: the kind, such as `person`, and the members that have a value.
    case record(String, [String: IntentValue])
    case list([IntentValue])

    /// The member of a record; nil for another value.
    public subscript(_ member: String) -> IntentValue? {
        guard case .record(_, let members) = self else { return nil }
        return members[member]
    }

    /// The number of values in this one: itself, its members and elements, and theirs.
    ///
    /// Each 64 bytes of texts, names and data count as one more.
    public var size: Int {
        switch self {
        case .text(let text), .url(let text): 1 + text.utf8.count / 64
        case .data(let bytes): 1 + bytes.count / 64
        case .record(let kind, let members):
            members.reduce(1 + kind.utf8.count / 64) { $0 + $1.key.utf8.count / 64 + $1.value.size }
        case .list(let elements): elements.reduce(1) { $0 + $1.size }
        case .components(let numbers): numbers.keys.reduce(1) { $0 + 1 + $1.utf8.count / 64 }
        case .integer, .number, .boolean, .date: 1
        }
    }

    /// Returns whether lists and records are nested deeper than a limit.
    ///
    /// - Parameter limit: the number of levels that are allowed below this value.
    /// - Returns: whether there are more.
    public func isDeeper(than limit: Int) -> Bool {
        switch self {
        case .record(_, let members): limit < 1 || members.values.contains { $0.isDeeper(than: limit - 1) }
        case .list(let elements): limit < 1 || elements.contains { $0.isDeeper(than: limit - 1) }
        default: false
        }
    }
}

extension IntentValue: Codable {
    private enum Key: String, CodingKey {
        case text, integer, number, boolean, date, components, data, url, record, members, list
    }

    /// Reads a value.
    ///
    /// - Throws: `DecodingError`, also for a kind that this side does not know.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func value<Value: Decodable>(_ key: Key) throws -> Value? {
            try container.decodeIfPresent(Value.self, forKey: key)
        }
        if let text: String = try value(.text) {
            self = .text(text)
        } else if let integer: Int = try value(.integer) {
            self = .integer(integer)
        } else if let number: Double = try value(.number) {
            self = .number(number)
        } else if let boolean: Bool = try value(.boolean) {
            self = .boolean(boolean)
        } else if let seconds: Double = try value(.date) {
            self = .date(seconds)
        } else if let components: [String: Int] = try value(.components) {
            self = .components(components)
        } else if let bytes: [UInt8] = try value(.data) {
            self = .data(bytes)
        } else if let url: String = try value(.url) {
            self = .url(url)
        } else if let kind: String = try value(.record) {
            self = .record(kind, try value(.members) ?? [:])
        } else if let elements: [IntentValue] = try value(.list) {
            self = .list(elements)
        } else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "it is no value of an intent"))
        }
    }

    /// Writes the value.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .text(let text): try container.encode(text, forKey: .text)
        case .integer(let integer): try container.encode(integer, forKey: .integer)
        case .number(let number): try container.encode(number, forKey: .number)
        case .boolean(let boolean): try container.encode(boolean, forKey: .boolean)
        case .date(let seconds): try container.encode(seconds, forKey: .date)
        case .components(let components): try container.encode(components, forKey: .components)
        case .data(let bytes): try container.encode(bytes, forKey: .data)
        case .url(let url): try container.encode(url, forKey: .url)
        case .record(let kind, let members):
            try container.encode(kind, forKey: .record)
            try container.encode(members, forKey: .members)
        case .list(let elements): try container.encode(elements, forKey: .list)
        }
    }
}

/// The type of a parameter or of a member.
public struct IntentType: Codable, Sendable, Hashable {
    /// The kinds of values.
    public enum Kind: String, OpenEnumeration, Hashable, CaseIterable {
        case text, integer, number, boolean, date, components, data, url, record, enumeration
        case unrecognized
    }

    public var kind: Kind
    /// Whether the value is a list of such values.
    public var isList: Bool
    /// The kind of a record, such as `person`.
    public var record: String?
    /// The cases of an enumeration with their numbers.
    public var cases: [String: Int]?
    /// `enumeration`: whether a value is a set of cases, whose numbers are bits. Nil stands for one case.
    public var isSet: Bool?

    public init(
        _ kind: Kind, isList: Bool = false, record: String? = nil, cases: [String: Int]? = nil, isSet: Bool? = nil
    ) {
        (self.kind, self.isList, self.record, self.cases, self.isSet) = (kind, isList, record, cases, isSet)
    }

    /// The type of the elements of a list, or else the type itself.
    public var element: IntentType { IntentType(kind, record: record, cases: cases, isSet: isSet) }

    /// Whether a value is of this type.
    public func holds(_ value: IntentValue) -> Bool {
        if isList {
            guard case .list(let elements) = value else { return false }
            return elements.allSatisfy(element.holds)
        }
        return switch (kind, value) {
        case (.text, .text), (.integer, .integer), (.number, .number), (.number, .integer), (.boolean, .boolean),
            (.date, .date), (.components, .components), (.data, .data), (.url, .url):
            true
        case (.enumeration, .integer(let number)):
            if isSet == true {
                cases.map { number & ~$0.values.reduce(0, |) == 0 } ?? true
            } else {
                cases?.values.contains(number) ?? true
            }
        case (.record, .record(let name, _)): name == record
        default: false
        }
    }
}

/// An intent as it travels.
public struct IntentDescription: Codable, Sendable, Hashable {
    /// The name of the class, as in `IntentsSupported`.
    public var className: String
    /// The identifier of the intent.
    public var identifier: String
    /// The parameters that have a value.
    public var values: [String: IntentValue]

    public init(_ className: String, identifier: String, values: [String: IntentValue]) {
        (self.className, self.identifier, self.values) = (className, identifier, values)
    }
}

/// The result of the resolution of a parameter, or of one of its elements.
public struct IntentResolution: Codable, Sendable, Hashable {
    /// The kinds of results.
    public enum Kind: String, OpenEnumeration, Hashable, CaseIterable {
        case success, notRequired, needsValue, disambiguation, confirmationRequired, unsupported
        case unrecognized
    }

    public var kind: Kind
    /// `success`: the resolved value. `confirmationRequired`: the value to confirm.
    public var value: IntentValue?
    /// `disambiguation`: the values from which the person chooses.
    public var options: [IntentValue]
    /// `unsupported`, `needsValue` and `confirmationRequired`: the number of the reason.
    public var reason: Int?

    public init(
        _ kind: Kind, value: IntentValue? = nil, options: [IntentValue] = [], reason: Int? = nil
    ) {
        (self.kind, self.value, self.options, self.reason) = (kind, value, options, reason)
    }
}

/// The response to an intent, as it travels.
public struct IntentAnswer: Codable, Sendable, Hashable {
    /// The activity with which the app continues.
    public struct Activity: Codable, Sendable, Hashable {
        public var type: String
        public var title: String?
        /// The entries of `userInfo` that a property list can hold, as texts, numbers, dates, data and lists of them.
        public var userInfo: [String: IntentValue]
        public var webpage: String?

        public init(type: String, title: String?, userInfo: [String: IntentValue], webpage: String?) {
            (self.type, self.title, self.userInfo, self.webpage) = (type, title, userInfo, webpage)
        }
    }

    /// The name of the class.
    public var className: String
    /// The name of the code, such as `success`.
    public var code: String
    /// The number of the code.
    public var number: Int
    /// Whether the code stands for success.
    public var isSuccess: Bool
    /// The properties that have a value.
    public var values: [String: IntentValue]
    public var activity: Activity?

    public init(
        _ className: String, code: String, number: Int, isSuccess: Bool, values: [String: IntentValue],
        activity: Activity?
    ) {
        (self.className, self.code, self.number, self.isSuccess) = (className, code, number, isSuccess)
        (self.values, self.activity) = (values, activity)
    }
}

/// Asks for the parameters of a class of intents.
public struct DescribeIntent: PointMessage {
    public static let name = "intents.describe"

    /// A parameter.
    public struct Parameter: Codable, Sendable, Hashable {
        public var name: String
        public var type: IntentType
        /// Whether the intent has a method that resolves the parameter.
        public var isResolved: Bool

        public init(_ name: String, _ type: IntentType, isResolved: Bool) {
            (self.name, self.type, self.isResolved) = (name, type, isResolved)
        }
    }

    public struct Reply: Codable, Sendable {
        /// The parameters in the order of their resolution.
        public var parameters: [Parameter]
        public init(_ parameters: [Parameter]) { self.parameters = parameters }
    }

    public var className: String
    public init(_ className: String) { self.className = className }
}

/// Asks the handler to resolve a parameter.
public struct ResolveIntent: PointMessage {
    public static let name = "intents.resolve"

    public struct Reply: Codable, Sendable {
        /// A result, or one for each element of a list. Nil if the handler has no method for the parameter.
        public var results: [IntentResolution]?
        public init(_ results: [IntentResolution]?) { self.results = results }
    }

    public var intent: IntentDescription
    public var parameter: String
    public init(_ intent: IntentDescription, parameter: String) { (self.intent, self.parameter) = (intent, parameter) }
}

/// Asks the handler to confirm an intent.
public struct ConfirmIntent: PointMessage {
    public static let name = "intents.confirm"

    public struct Reply: Codable, Sendable {
        /// The response; nil if the handler has no method for the confirmation.
        public var answer: IntentAnswer?
        public init(_ answer: IntentAnswer?) { self.answer = answer }
    }

    public var intent: IntentDescription
    public init(_ intent: IntentDescription) { self.intent = intent }
}

/// Asks the handler to perform an intent.
public struct HandleIntent: PointMessage {
    public static let name = "intents.handle"

    public struct Reply: Codable, Sendable {
        public var answer: IntentAnswer
        public init(_ answer: IntentAnswer) { self.answer = answer }
    }

    public var intent: IntentDescription
    public init(_ intent: IntentDescription) { self.intent = intent }
}

/// The host's last call. The framework completes the request after it.
public struct EndIntent: PointMessage {
    public static let name = "intents.end"
    public init() {}
}
