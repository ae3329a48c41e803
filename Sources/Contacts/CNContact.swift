// CNContact: a person of an address book, as values.

@_exported public import Foundation

/// The name of a property of a contact, by which a store fetches it.
public protocol CNKeyDescriptor: NSObjectProtocol {}

extension NSString: CNKeyDescriptor {}

public let CNContactIdentifierKey = "identifier"
public let CNContactGivenNameKey = "givenName"
public let CNContactMiddleNameKey = "middleName"
public let CNContactFamilyNameKey = "familyName"
public let CNContactNicknameKey = "nickname"
public let CNContactOrganizationNameKey = "organizationName"
public let CNContactPhoneNumbersKey = "phoneNumbers"
public let CNContactEmailAddressesKey = "emailAddresses"
public let CNContactImageDataKey = "imageData"
public let CNContactThumbnailImageDataKey = "thumbnailImageData"
public let CNContactImageDataAvailableKey = "imageDataAvailable"

/// A telephone number as a text.
open class CNPhoneNumber: NSObject, @unchecked Sendable {  // its property is constant
    public let stringValue: String
    /// - Parameter string: the number, with any separators.
    public init(stringValue string: String) { stringValue = string }

    /// The digits, with a leading `+`.
    var digits: String { stringValue.filter { $0.isASCII && $0.isNumber || $0 == "+" } }
}

/// A value with a label, such as a number at work.
open class CNLabeledValue<ValueType: NSObject>: NSObject {
    public let identifier = UUID().uuidString
    public let label: String?
    public let value: ValueType

    /// - Parameters:
    ///   - label: the label.
    ///   - value: the value.
    public init(label: String?, value: ValueType) { (self.label, self.value) = (label, value) }
}

/// A person of an address book. A store has none here; an author makes a `CNMutableContact`.
open class CNContact: NSObject {
    open private(set) var identifier = UUID().uuidString
    open fileprivate(set) var givenName = ""
    open fileprivate(set) var middleName = ""
    open fileprivate(set) var familyName = ""
    open fileprivate(set) var nickname = ""
    open fileprivate(set) var organizationName = ""
    open fileprivate(set) var phoneNumbers: [CNLabeledValue<CNPhoneNumber>] = []
    open fileprivate(set) var emailAddresses: [CNLabeledValue<NSString>] = []
    open fileprivate(set) var imageData: Data?
    open var thumbnailImageData: Data? { imageData }
    open var imageDataAvailable: Bool { imageData != nil }

    /// Makes a contact without values.
    public override init() { super.init() }

    /// Returns whether a value was fetched: always, as no store fetches only some.
    open func isKeyAvailable(_ key: String) -> Bool { true }

    /// Returns the condition of a store for contacts with a telephone number.
    ///
    /// - Parameter phoneNumber: the number. Separators do not count.
    open class func predicateForContacts(matching phoneNumber: CNPhoneNumber) -> NSPredicate {
        let wanted = phoneNumber.digits
        return condition { $0.phoneNumbers.contains { $0.value.digits == wanted } }
    }

    /// Returns the condition of a store for contacts with a name.
    ///
    /// - Parameter name: a part of the name, in any case.
    open class func predicateForContacts(matchingName name: String) -> NSPredicate {
        let wanted = name.lowercased()
        return condition {
            CNContactFormatter.string(from: $0, style: .fullName)?.lowercased().contains(wanted) == true
        }
    }

    /// Returns the condition of a store for contacts with identifiers.
    ///
    /// - Parameter identifiers: the identifiers.
    open class func predicateForContacts(withIdentifiers identifiers: [String]) -> NSPredicate {
        condition { identifiers.contains($0.identifier) }
    }

    private class func condition(_ holds: @escaping @Sendable (CNContact) -> Bool) -> NSPredicate {
        NSPredicate { object, _ in (object as? CNContact).map(holds) ?? false }
    }
}

/// A contact that an author fills. No store saves it here.
open class CNMutableContact: CNContact {
    open override var givenName: String {
        get { super.givenName }
        set { super.givenName = newValue }
    }
    open override var middleName: String {
        get { super.middleName }
        set { super.middleName = newValue }
    }
    open override var familyName: String {
        get { super.familyName }
        set { super.familyName = newValue }
    }
    open override var nickname: String {
        get { super.nickname }
        set { super.nickname = newValue }
    }
    open override var organizationName: String {
        get { super.organizationName }
        set { super.organizationName = newValue }
    }
    open override var phoneNumbers: [CNLabeledValue<CNPhoneNumber>] {
        get { super.phoneNumbers }
        set { super.phoneNumbers = newValue }
    }
    open override var emailAddresses: [CNLabeledValue<NSString>] {
        get { super.emailAddresses }
        set { super.emailAddresses = newValue }
    }
    open override var imageData: Data? {
        get { super.imageData }
        set { super.imageData = newValue }
    }
}

/// The styles of a name.
public enum CNContactFormatterStyle: Int, Sendable { case fullName, phoneticFullName }

/// A formatter of names: the given name first (ours, for all languages).
open class CNContactFormatter: NSObject {
    open var style = CNContactFormatterStyle.fullName
    public override init() { super.init() }

    /// Returns the name of a contact; nil if it has none.
    ///
    /// - Parameter contact: the contact.
    open func string(from contact: CNContact) -> String? { Self.string(from: contact, style: style) }

    /// Returns the name of a contact, or of its organization; nil if it has none.
    ///
    /// - Parameters:
    ///   - contact: the contact.
    ///   - style: no effect: phonetic names are not kept.
    open class func string(from contact: CNContact, style: CNContactFormatterStyle) -> String? {
        let parts: [String] = [contact.givenName, contact.middleName, contact.familyName].filter { !$0.isEmpty }
        let name: String = parts.isEmpty ? contact.organizationName : parts.joined(separator: " ")
        return name.isEmpty ? nil : name
    }

    /// Returns the keys of the values that a name needs.
    ///
    /// - Parameter style: the style.
    open class func descriptorForRequiredKeys(for style: CNContactFormatterStyle) -> any CNKeyDescriptor {
        NSString(string: CNContactGivenNameKey)
    }
}
