// IntentValues: the types of parameters, as values that travel.

public import Foundation
public import PointMessages

extension Optional: _IntentRepresentable where Wrapped: _IntentRepresentable {
    public static var _intentType: IntentType { Wrapped._intentType }
    public static func _make(from value: IntentValue?) -> Any? {
        guard let value else { return Self.none as Any }
        return (Wrapped._make(from: value) as? Wrapped).map { Self.some($0) as Any }
    }
    public var _intentValue: IntentValue? { flatMap(\._intentValue) }
}

extension Array: _IntentRepresentable where Element: _IntentRepresentable {
    public static var _intentType: IntentType {
        var type = Element._intentType
        type.isList = true
        return type
    }
    public static func _make(from value: IntentValue?) -> Any? {
        guard case .list(let elements)? = value else { return nil }
        let made = elements.compactMap { Element._make(from: $0) as? Element }
        return made.count == elements.count ? made : nil
    }
    public var _intentValue: IntentValue? { .list(compactMap(\._intentValue)) }
}

extension String: _IntentRepresentable {
    public static var _intentType: IntentType { IntentType(.text) }
    public static func _make(from value: IntentValue?) -> Any? {
        guard case .text(let text)? = value else { return nil }
        return text
    }
    public var _intentValue: IntentValue? { .text(self) }
}

extension Int: _IntentRepresentable {
    public static var _intentType: IntentType { IntentType(.integer) }
    public static func _make(from value: IntentValue?) -> Any? {
        guard case .integer(let number)? = value else { return nil }
        return number
    }
    public var _intentValue: IntentValue? { .integer(self) }
}

extension Double: _IntentRepresentable {
    public static var _intentType: IntentType { IntentType(.number) }
    public static func _make(from value: IntentValue?) -> Any? {
        switch value {
        case .number(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }
    public var _intentValue: IntentValue? { .number(self) }
}

extension Bool: _IntentRepresentable {
    public static var _intentType: IntentType { IntentType(.boolean) }
    public static func _make(from value: IntentValue?) -> Any? {
        guard case .boolean(let truth)? = value else { return nil }
        return truth
    }
    public var _intentValue: IntentValue? { .boolean(self) }
}

extension NSNumber: _IntentRepresentable {
    public static var _intentType: IntentType { IntentType(.number) }
    public static func _make(from value: IntentValue?) -> Any? {
        switch value {
        case .number(let number): NSNumber(value: number)
        case .integer(let number): NSNumber(value: number)
        case .boolean(let truth): NSNumber(value: truth)
        default: nil
        }
    }
    public var _intentValue: IntentValue? {
        switch String(cString: objCType) {
        case "f", "d": .number(doubleValue)
        case "B", "c": .boolean(boolValue)
        default: .integer(intValue)
        }
    }
}

extension Date: _IntentRepresentable {
    public static var _intentType: IntentType { IntentType(.date) }
    public static func _make(from value: IntentValue?) -> Any? {
        guard case .date(let seconds)? = value else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }
    public var _intentValue: IntentValue? { .date(timeIntervalSince1970) }
}

extension DateComponents: _IntentRepresentable {
    private static var members: [(String, WritableKeyPath<DateComponents, Int?>)] {
        [
            ("era", \.era), ("year", \.year), ("month", \.month), ("day", \.day), ("hour", \.hour),
            ("minute", \.minute), ("second", \.second), ("weekday", \.weekday),
        ]
    }
    public static var _intentType: IntentType { IntentType(.components) }
    public static func _make(from value: IntentValue?) -> Any? {
        guard case .components(let numbers)? = value else { return nil }
        var components = DateComponents()
        for (name, path) in members { components[keyPath: path] = numbers[name] }
        return components
    }
    public var _intentValue: IntentValue? {
        var numbers: [String: Int] = [:]
        for (name, path) in Self.members { numbers[name] = self[keyPath: path] }
        return .components(numbers)
    }
}

extension URL: _IntentRepresentable {
    public static var _intentType: IntentType { IntentType(.url) }
    public static func _make(from value: IntentValue?) -> Any? {
        guard case .url(let text)? = value else { return nil }
        return URL(string: text)
    }
    public var _intentValue: IntentValue? { .url(absoluteString) }
}

extension Data: _IntentRepresentable {
    public static var _intentType: IntentType { IntentType(.data) }
    public static func _make(from value: IntentValue?) -> Any? {
        guard case .data(let bytes)? = value else { return nil }
        return Data(bytes)
    }
    public var _intentValue: IntentValue? { .data(Array(self)) }
}

/// The members of a record.
struct IntentMembers {
    private(set) var values: [String: IntentValue] = [:]

    init(_ values: [String: IntentValue] = [:]) { self.values = values }

    /// Makes the members from names and values; nil stands for no value.
    init(_ members: KeyValuePairs<String, (any _IntentRepresentable)?>) {
        for (name, member) in members { values[name] = member?._intentValue }
    }

    /// Reads a member; nil if it is absent or of another type.
    func callAsFunction<Value: _IntentRepresentable>(_ name: String) -> Value? {
        values[name].flatMap { Value._make(from: $0) as? Value }
    }
}

/// A class whose objects travel as records.
protocol IntentRecord: _IntentRepresentable {
    /// The kind of the record.
    static var kind: String { get }
    /// Makes an object; nil if a member is absent.
    static func read(_ members: IntentMembers) -> Any?
    var members: IntentMembers { get }
}

extension IntentRecord {
    public static var _intentType: IntentType { IntentType(.record, record: kind) }
    public static func _make(from value: IntentValue?) -> Any? {
        guard case .record(kind, let members)? = value else { return nil }
        return read(IntentMembers(members))
    }
    public var _intentValue: IntentValue? { .record(Self.kind, members.values) }
}

// MARK: People

extension INPersonHandleType: _IntentEnumeration {}

extension INImage: IntentRecord {
    static var kind: String { "image" }
    static func read(_ members: IntentMembers) -> Any? {
        if let data: Data = members("data") { return INImage(imageData: data) }
        if let url: URL = members("url") { return INImage(url: url) }
        return members("name").map { INImage(named: $0) }
    }
    var members: IntentMembers { IntentMembers(["data": data, "url": url, "name": name]) }
}

extension INPersonHandle: IntentRecord {
    static var kind: String { "handle" }
    static func read(_ members: IntentMembers) -> Any? {
        INPersonHandle(
            value: members("value"), type: members("type") ?? .unknown,
            label: members("label").map { INPersonHandleLabel($0) })
    }
    var members: IntentMembers { IntentMembers(["value": value, "type": type, "label": label?.rawValue]) }
}

extension INPerson: IntentRecord {
    static var kind: String { "person" }
    static func read(_ members: IntentMembers) -> Any? {
        var components: PersonNameComponents?
        let (given, family): (String?, String?) = (members("givenName"), members("familyName"))
        if given != nil || family != nil {
            var names = PersonNameComponents()
            (names.givenName, names.familyName) = (given, family)
            components = names
        }
        return INPerson(
            members("handle"), components, members("name"), members("image"), members("contactIdentifier"),
            members("customIdentifier"), members("aliases"), .none, members("isMe") ?? false)
    }
    var members: IntentMembers {
        IntentMembers([
            "handle": personHandle, "givenName": nameComponents?.givenName,
            "familyName": nameComponents?.familyName, "name": displayName.isEmpty ? nil : displayName, "image": image,
            "contactIdentifier": contactIdentifier, "customIdentifier": customIdentifier, "aliases": aliases,
            "isMe": isMe ? true : nil,
        ])
    }
}

extension INSpeakableString: IntentRecord {
    static var kind: String { "speakable" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let phrase: String = members("phrase") else { return nil }
        guard let identifier: String = members("identifier") else { return INSpeakableString(spokenPhrase: phrase) }
        return INSpeakableString(
            vocabularyIdentifier: identifier, spokenPhrase: phrase, pronunciationHint: members("hint"))
    }
    var members: IntentMembers {
        IntentMembers(["phrase": spokenPhrase, "identifier": vocabularyIdentifier, "hint": pronunciationHint])
    }
}
