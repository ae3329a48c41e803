// CSSearchableItemAttributeSet: the attributes of an item, by name.

import AppGroups
public import Foundation
import LinuxDescriptors
package import PropertyListCoding
public import UniformTypeIdentifiers

/// The attributes of an item of an index.
///
/// Each property is the attribute of its name. An attribute that this version has no property for has the name of its
/// `CSCustomAttributeKey`. Use one object on one thread at a time.
open class CSSearchableItemAttributeSet: NSObject, NSCopying, @unchecked Sendable {  // as Apple's, of one thread
    /// The attributes that have a value.
    package var values: PropertyListDictionary = [:]
    /// The names of further attributes that free words search.
    package var searchable: Set<String> = []

    /// Makes attributes of a content of this type, such as `public.text`.
    public init(itemContentType type: String) {
        super.init()
        contentType = type
    }

    /// Makes attributes of a content of this type.
    public convenience init(contentType: UTType) { self.init(itemContentType: contentType.identifier) }

    package init(_ values: PropertyListDictionary, searchable: [String]) {
        self.values = values
        self.searchable = Set(searchable)
    }

    open func copy(with zone: NSZone? = nil) -> Any {
        CSSearchableItemAttributeSet(values, searchable: Array(searchable))
    }

    // MARK: Custom attributes

    /// Sets an attribute of the app's own: a text, number, date, data, or an array of them; nil removes it.
    ///
    /// Another value is reported on standard error and changes nothing.
    open func setValue(_ value: Any?, forCustomKey key: CSCustomAttributeKey) {
        searchable.remove(key.keyName)
        guard let value else { return values[key.keyName] = nil }
        do {
            values[key.keyName] = try propertyList((value as? URL)?.absoluteString ?? value)
            if key.isSearchable, key.isSearchableByDefault { searchable.insert(key.keyName) }
        } catch {
            StandardStreams.writeError("exthost: the attribute \(key.keyName) cannot be indexed: \(error)\n")
        }
    }

    /// Returns the value of an attribute of the app's own.
    open func value(forCustomKey key: CSCustomAttributeKey) -> Any? { values[key.keyName].map { foundationValue($0) } }

    // MARK: Persons

    /// The authors.
    public var authors: [CSPerson]? {
        get { storedPersons(#function) }
        set { store(newValue, #function) }
    }
    /// The recipients of a message in its field To.
    public var primaryRecipients: [CSPerson]? {
        get { storedPersons(#function) }
        set { store(newValue, #function) }
    }
    /// The further recipients of a message.
    public var additionalRecipients: [CSPerson]? {
        get { storedPersons(#function) }
        set { store(newValue, #function) }
    }
    /// The recipients of a message whom the others do not see.
    public var hiddenAdditionalRecipients: [CSPerson]? {
        get { storedPersons(#function) }
        set { store(newValue, #function) }
    }

    private func storedPersons(_ name: String) -> [CSPerson]? { values[name]?.array?.compactMap { CSPerson($0) } }
    private func store(_ persons: [CSPerson]?, _ name: String) {
        values[name] = persons.map { .array($0.map(\.plist)) }
    }

    // MARK: Values

    func storedText(_ name: String) -> String? { values[name]?.string }
    func storedTexts(_ name: String) -> [String]? { values[name]?.array?.compactMap(\.string) }
    func storedURL(_ name: String) -> URL? { storedText(name).flatMap { URL(string: $0) } }
    func storedData(_ name: String) -> Data? { values[name]?.data.map { Data($0) } }
    func storedDate(_ name: String) -> Date? { Self.date(values[name]) }
    func storedDates(_ name: String) -> [Date]? { values[name]?.array?.compactMap { Self.date($0) } }

    func storedNumber(_ name: String) -> NSNumber? {
        switch values[name] {
        case .boolean(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        default: nil
        }
    }

    private static func date(_ value: PropertyList?) -> Date? {
        guard case .date(let seconds) = value else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    func store(_ text: String?, _ name: String) { values[name] = text.map { .string($0) } }
    func store(_ texts: [String]?, _ name: String) { values[name] = texts.map { .array($0.map { .string($0) }) } }
    func store(_ url: URL?, _ name: String) { values[name] = url.map { .string($0.absoluteString) } }
    func store(_ data: Data?, _ name: String) { values[name] = data.map { .data([UInt8]($0)) } }
    func store(_ date: Date?, _ name: String) { values[name] = date.map { .date($0.timeIntervalSinceReferenceDate) } }
    func store(_ dates: [Date]?, _ name: String) {
        values[name] = dates.map { .array($0.map { .date($0.timeIntervalSinceReferenceDate) }) }
    }
    func store(_ number: NSNumber?, _ name: String) {
        // A number that no property list has, such as one above 2⁶³, leaves no attribute.
        values[name] = number.flatMap { try? propertyList($0) }
    }
}

/// The name of an attribute of an app's own.
open class CSCustomAttributeKey: NSObject, @unchecked Sendable {  // all its values are constant
    public let keyName: String
    /// Whether queries find items by the attribute. All attributes of this index are found by queries.
    public let isSearchable: Bool
    /// Whether free words search the attribute.
    public let isSearchableByDefault: Bool
    /// Has no effect.
    public let isUnique: Bool
    /// Has no effect: any attribute may have several values.
    public let isMultiValued: Bool

    /// Makes a key that queries and free words search.
    ///
    /// - Returns: nil unless the name consists of ASCII letters, digits and underscores, as documented.
    public convenience init?(keyName: String) {
        self.init(keyName: keyName, searchable: true, searchableByDefault: true, unique: false, multiValued: false)
    }

    /// Makes a key; each value is described at its property. Returns nil as `init(keyName:)` does.
    public init?(keyName: String, searchable: Bool, searchableByDefault: Bool, unique: Bool, multiValued: Bool) {
        let isValid = keyName.utf8.allSatisfy {
            $0 == UInt8(ascii: "_")
                || ($0 < 0x80 && (Character(Unicode.Scalar($0)).isLetter || $0 >= 0x30 && $0 <= 0x39))
        }
        guard isValid, !keyName.isEmpty else { return nil }
        self.keyName = keyName
        (isSearchable, isSearchableByDefault) = (searchable, searchableByDefault)
        (isUnique, isMultiValued) = (unique, multiValued)
    }
}

/// A person in the attributes of an item.
open class CSPerson: NSObject, @unchecked Sendable {  // all its values are constant but one of one thread
    public let displayName: String?
    /// The addresses of the person, such as e-mail addresses.
    public let handles: [String]
    /// The kind of the addresses, a key of Contacts.
    public let handleIdentifier: String
    /// The identifier of the person in Contacts.
    open var contactIdentifier: String?

    /// Makes a person; each value is described at its property.
    public init(displayName: String?, handles: [String], handleIdentifier: String) {
        (self.displayName, self.handles, self.handleIdentifier) = (displayName, handles, handleIdentifier)
    }

    init?(_ plist: PropertyList) {
        guard let members = plist.dictionary else { return nil }
        displayName = members["displayName"]?.string
        handles = members["handles"]?.array?.compactMap(\.string) ?? []
        handleIdentifier = members["handleIdentifier"]?.string ?? ""
        contactIdentifier = members["contactIdentifier"]?.string
    }

    var plist: PropertyList {
        var members: PropertyListDictionary = [
            "handles": .array(handles.map { .string($0) }), "handleIdentifier": .string(handleIdentifier),
        ]
        members["displayName"] = displayName.map { .string($0) }
        members["contactIdentifier"] = contactIdentifier.map { .string($0) }
        return .dictionary(members)
    }
}
