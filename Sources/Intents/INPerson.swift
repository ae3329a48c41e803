// INPerson: the people and pictures that a message is from. They hold what is set.

public import Foundation

/// A picture of a person or a conversation: its data, its name or its place. Nothing shows it.
open class INImage: NSObject, @unchecked Sendable {  // its properties are constant
    package let data: Data?
    package let url: URL?
    package let name: String?

    public init(imageData: Data) { (data, url, name) = (imageData, nil, nil) }
    public init(url: URL) { (data, self.url, name) = (nil, url, nil) }
    public init(named name: String) { (data, url, self.name) = (nil, nil, name) }
}

/// The kinds of a person's address.
public enum INPersonHandleType: Int, Sendable, CaseIterable {
    case unknown, emailAddress, phoneNumber
}

/// A person's address, such as a telephone number.
open class INPersonHandle: NSObject, @unchecked Sendable {  // its properties are constant
    public let value: String?
    public let type: INPersonHandleType

    /// The label of the address in the address book.
    public let label: INPersonHandleLabel?

    /// - Parameters:
    ///   - value: the address.
    ///   - type: the kind of address.
    public convenience init(value: String?, type: INPersonHandleType) {
        self.init(value: value, type: type, label: nil)
    }

    /// - Parameters:
    ///   - value: the address.
    ///   - type: the kind of address.
    ///   - label: the label in the address book.
    public init(value: String?, type: INPersonHandleType, label: INPersonHandleLabel?) {
        (self.value, self.type, self.label) = (value, type, label)
    }
}

/// The label of an address, such as `home`.
public struct INPersonHandleLabel: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public static let home = INPersonHandleLabel("home")
    public static let work = INPersonHandleLabel("work")
    public static let iPhone = INPersonHandleLabel("iPhone")
    public static let mobile = INPersonHandleLabel("mobile")
    public static let main = INPersonHandleLabel("main")
    public static let homeFax = INPersonHandleLabel("homeFax")
    public static let workFax = INPersonHandleLabel("workFax")
    public static let pager = INPersonHandleLabel("pager")
    public static let other = INPersonHandleLabel("other")
    public static let school = INPersonHandleLabel("school")
}

/// The reasons for which a system suggests a person.
public enum INPersonSuggestionType: Int, Sendable {
    case none, socialProfile, instantMessageAddress
}

/// A sender or a recipient.
open class INPerson: NSObject, @unchecked Sendable {  // its properties are constant
    public let personHandle: INPersonHandle?
    public let nameComponents: PersonNameComponents?
    private let name: String?
    public let image: INImage?
    public let contactIdentifier: String?
    public let customIdentifier: String?
    public let aliases: [INPersonHandle]?
    public let suggestionType: INPersonSuggestionType
    public let isMe: Bool

    public convenience init(
        personHandle: INPersonHandle, nameComponents: PersonNameComponents?, displayName: String?, image: INImage?,
        contactIdentifier: String?, customIdentifier: String?
    ) {
        self.init(
            personHandle, nameComponents, displayName, image, contactIdentifier, customIdentifier, nil, .none, false)
    }

    public convenience init(
        personHandle: INPersonHandle, nameComponents: PersonNameComponents?, displayName: String?, image: INImage?,
        contactIdentifier: String?, customIdentifier: String?, isMe: Bool,
        suggestionType: INPersonSuggestionType = .none
    ) {
        self.init(
            personHandle, nameComponents, displayName, image, contactIdentifier, customIdentifier, nil,
            suggestionType, isMe)
    }

    public convenience init(
        personHandle: INPersonHandle, nameComponents: PersonNameComponents?, displayName: String?, image: INImage?,
        contactIdentifier: String?, customIdentifier: String?, aliases: [INPersonHandle]?,
        suggestionType: INPersonSuggestionType
    ) {
        self.init(
            personHandle, nameComponents, displayName, image, contactIdentifier, customIdentifier, aliases,
            suggestionType, false)
    }

    init(
        _ handle: INPersonHandle?, _ components: PersonNameComponents?, _ name: String?, _ image: INImage?,
        _ contact: String?, _ custom: String?, _ aliases: [INPersonHandle]?, _ suggestion: INPersonSuggestionType,
        _ isMe: Bool
    ) {
        (personHandle, nameComponents, self.name, self.image) = (handle, components, name, image)
        (contactIdentifier, customIdentifier, self.aliases) = (contact, custom, aliases)
        (suggestionType, self.isMe) = (suggestion, isMe)
    }

    /// The name that is set, or else given and family name, or else the address.
    open var displayName: String {
        if let name { return name }
        let parts = [nameComponents?.givenName, nameComponents?.familyName].compactMap { $0 }
        return parts.isEmpty ? personHandle?.value ?? "" : parts.joined(separator: " ")
    }
}

/// A name as a person says it.
open class INSpeakableString: NSObject, @unchecked Sendable {  // its properties are constant
    public let spokenPhrase: String
    public let vocabularyIdentifier: String?
    public let pronunciationHint: String?

    public init(spokenPhrase: String) {
        (self.spokenPhrase, vocabularyIdentifier, pronunciationHint) = (spokenPhrase, nil, nil)
    }
    public init(vocabularyIdentifier: String, spokenPhrase: String, pronunciationHint: String?) {
        (self.vocabularyIdentifier, self.spokenPhrase) = (vocabularyIdentifier, spokenPhrase)
        self.pronunciationHint = pronunciationHint
    }
}
