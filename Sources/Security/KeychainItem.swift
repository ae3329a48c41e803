// KeychainItem: one password of a keychain, as its file holds it.

internal import CoreFoundationNames
internal import Foundation
internal import PropertyListCoding

/// The status of a keychain call that failed.
struct KeychainFault: Error {
    let status: OSStatus
    init(_ status: OSStatus) { self.status = status }
}

struct KeychainItem {
    /// The attributes that distinguish two items of a class, without the access group.
    private static let keys = [
        kSecClassGenericPassword: [kSecAttrAccount, kSecAttrService, kSecAttrSynchronizable],
        kSecClassInternetPassword: [
            kSecAttrAccount, kSecAttrServer, kSecAttrSecurityDomain, kSecAttrProtocol, kSecAttrAuthenticationType,
            kSecAttrPort, kSecAttrPath, kSecAttrSynchronizable,
        ],
    ]
    private static let identifier = "id"

    /// The identifier of the item, which never changes.
    let id: String
    var values: PropertyListDictionary

    /// Makes a new item.
    init(_ values: PropertyListDictionary) {
        (id, self.values) = (UUID().uuidString, values)
    }

    /// Reads an item of a file; nil if it is none.
    init?(stored: PropertyList) {
        guard var values = stored.dictionary, let id = values[Self.identifier]?.string,
            let kind = values[kSecClass]?.string, Self.keys[kind] != nil
        else { return nil }
        values[Self.identifier] = nil
        (self.id, self.values) = (id, values)
    }

    var stored: PropertyList {
        var values = values
        values[Self.identifier] = .string(id)
        return .dictionary(values)
    }

    /// Whether two items of one group would be the same to a keychain.
    func isSame(as other: KeychainItem) -> Bool {
        guard let kind = values[kSecClass]?.string, other.values[kSecClass]?.string == kind else { return false }
        return Self.keys[kind]!.allSatisfy { Self.key($0, values) == Self.key($0, other.values) }
    }

    /// The value of a key, with an absent one as the empty one.
    private static func key(_ name: String, _ values: PropertyListDictionary) -> PropertyList {
        let value = values[name]
        switch name {
        case kSecAttrSynchronizable: return .integer(value?.integer ?? 0)
        case kSecAttrPort: return .integer(value?.integer ?? 0)
        default: return value ?? .string("")
        }
    }

    /// Whether the item has all of these attributes.
    func matches(_ wanted: PropertyListDictionary, ignoringCase: Bool) -> Bool {
        wanted.allSatisfy { name, value in
            guard let own = values[name] else { return value == Self.key(name, PropertyListDictionary()) }
            if own == value { return true }
            guard ignoringCase, let text = own.string, let other = value.string else { return false }
            return text.lowercased() == other.lowercased()
        }
    }
}
