// KeychainQuery: the dictionary of a keychain call, checked.

internal import CoreFoundationNames
internal import Foundation
internal import LinuxDescriptors
internal import PropertyListCoding

struct KeychainQuery {
    /// The choice between a plain password and the one that devices share.
    enum Sharing { case plain, shared, any }
    enum Limit {
        case one
        case many(Int)
    }

    /// The largest password (ours).
    static let mostBytes = 1 << 20
    private static let passwords: Set<String> = [kSecClassGenericPassword, kSecClassInternetPassword]
    private static let others: Set<String> = [kSecClassCertificate, kSecClassKey, kSecClassIdentity]
    private static let attributes: Set<String> = [
        kSecAttrAccount, kSecAttrService, kSecAttrGeneric, kSecAttrServer, kSecAttrSecurityDomain, kSecAttrProtocol,
        kSecAttrAuthenticationType, kSecAttrPort, kSecAttrPath, kSecAttrAccessible, kSecAttrLabel, kSecAttrComment,
        kSecAttrDescription, kSecAttrCreationDate, kSecAttrModificationDate, kSecAttrCreator, kSecAttrType,
        kSecAttrIsInvisible, kSecAttrIsNegative,
    ]
    /// The keys that concern a user interface, which there is none of, or keychains of the Mac.
    private static let withoutEffect: Set<String> = [
        kSecUseOperationPrompt, kSecUseAuthenticationUI, kSecUseNoAuthenticationUI, kSecUseDataProtectionKeychain,
    ]
    /// The attributes of keys of cryptography, which no password has.
    private static let keyAttributes: Set<String> = [
        kSecAttrApplicationTag, kSecAttrKeySizeInBits, kSecAttrTokenID, kSecAttrIsPermanent,
    ]

    private(set) var kind: String?
    /// The class is one of those that this keychain never holds.
    private(set) var isForeignClass = false
    /// The attributes to match or to store.
    private(set) var values = PropertyListDictionary()
    private(set) var data: [UInt8]?
    private(set) var group: String?
    private(set) var sharing: Sharing?
    private(set) var reference: String?
    private(set) var limit = Limit.one
    private(set) var returnsData = false
    private(set) var returnsAttributes = false
    private(set) var returnsReference = false
    /// An object for the item is asked for, which there is none of.
    private var asksReference = false
    private(set) var ignoresCase = false
    private var hasKeyAttribute = false

    /// - Throws: `errSecParam` for a value of a wrong type, `errSecNoSuchAttr` for an unknown key, or
    ///   one of keys of cryptography beside another class, `errSecUnimplemented` for what is not simulated.
    init(_ dictionary: CFDictionary) throws(KeychainFault) {
        for (key, value) in dictionary {
            guard let key = Self.text(key) else { throw KeychainFault(errSecParam) }
            try read(key, value)
        }
        // Ignored, it would make a query match every password.
        guard !hasKeyAttribute || isForeignClass else { throw KeychainFault(errSecNoSuchAttr) }
        // Beside other results, sources do without it.
        if asksReference, !returnsData, !returnsAttributes, !returnsReference {
            throw Self.notSimulated("kSecReturnRef of a password")
        }
    }

    private mutating func read(_ key: String, _ value: Any) throws(KeychainFault) {
        switch key {
        case kSecClass:
            guard let text = Self.text(value) else { throw KeychainFault(errSecParam) }
            if Self.others.contains(text) {
                isForeignClass = true
            } else if !Self.passwords.contains(text) {
                throw KeychainFault(errSecNoSuchClass)
            }
            kind = text
        case kSecValueData:
            guard let bytes = Self.bytes(value) else { throw KeychainFault(errSecParam) }
            guard bytes.count <= Self.mostBytes else { throw KeychainFault(errSecDataTooLarge) }
            data = bytes
        case kSecAttrAccessGroup:
            guard let text = Self.text(value) else { throw KeychainFault(errSecParam) }
            group = text
        case kSecAttrSynchronizable:
            if Self.text(value) == kSecAttrSynchronizableAny {
                sharing = .any
            } else {
                sharing = try Self.flag(value) ? .shared : .plain
            }
        case kSecValuePersistentRef:
            guard let bytes = Self.bytes(value), let id = Self.identifier(ofReference: bytes) else {
                throw KeychainFault(errSecInvalidItemRef)
            }
            reference = id
        case kSecMatchLimit:
            if Self.text(value) == kSecMatchLimitAll {
                limit = .many(.max)
            } else if Self.text(value) == kSecMatchLimitOne {
                limit = .one
            } else if let number = value as? NSNumber, number.intValue > 0 {
                limit = number.intValue == 1 ? .one : .many(number.intValue)
            } else {
                throw KeychainFault(errSecParam)
            }
        case kSecMatchCaseInsensitive: ignoresCase = try Self.flag(value)
        case kSecReturnData: returnsData = try Self.flag(value)
        case kSecReturnAttributes: returnsAttributes = try Self.flag(value)
        case kSecReturnPersistentRef: returnsReference = try Self.flag(value)
        case kSecReturnRef: asksReference = try Self.flag(value)
        case kSecAttrAccessControl: throw Self.notSimulated("kSecAttrAccessControl")
        case kSecUseAuthenticationContext: throw Self.notSimulated("kSecUseAuthenticationContext")
        case _ where Self.attributes.contains(key): values[key] = try Self.attribute(value)
        case _ where Self.withoutEffect.contains(key): break
        case _ where Self.keyAttributes.contains(key): hasKeyAttribute = true
        default:
            Self.say("the keychain knows no key “\(key.prefix(64))”")
            throw KeychainFault(errSecNoSuchAttr)
        }
    }

    // MARK: Values

    private static func text(_ value: Any) -> String? {
        if let text = value as? String { return text }
        return (value as? NSString).map { String(describing: $0) }
    }

    private static func bytes(_ value: Any) -> [UInt8]? {
        (value as? Data).map { [UInt8]($0) } ?? (value as? NSData).map { [UInt8](Data(referencing: $0)) }
    }

    private static func flag(_ value: Any) throws(KeychainFault) -> Bool {
        guard let flag = value as? Bool ?? (value as? NSNumber)?.boolValue else { throw KeychainFault(errSecParam) }
        return flag
    }

    private static func attribute(_ value: Any) throws(KeychainFault) -> PropertyList {
        if let text = text(value) { return .string(text) }
        if let bytes = bytes(value) {
            guard bytes.count <= mostBytes else { throw KeychainFault(errSecDataTooLarge) }
            return .data(bytes)
        }
        if let date = value as? Date { return .date(date.timeIntervalSinceReferenceDate) }
        if let number = value as? NSNumber { return .integer(number.int64Value) }
        if let number = value as? Int { return .integer(Int64(number)) }
        throw KeychainFault(errSecParam)
    }

    // MARK: References

    private static let referencePrefix = "exthost-keychain-item:"

    static func reference(to item: KeychainItem) -> Data { Data((referencePrefix + item.id).utf8) }

    private static func identifier(ofReference bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasPrefix(referencePrefix) ? String(text.dropFirst(referencePrefix.count)) : nil
    }

    // MARK: Saying

    static func say(_ words: String) { StandardStreams.writeError("Security: \(words)\n") }

    static func notSimulated(_ what: String) -> KeychainFault {
        say("notSimulated: \(what)")
        return KeychainFault(errSecUnimplemented)
    }

    /// Whether an item is among those that the query describes.
    func matches(_ item: KeychainItem) -> Bool {
        if let reference, item.id != reference { return false }
        if let kind, item.values[kSecClass]?.string != kind { return false }
        if let data, item.values[kSecValueData]?.data != data { return false }
        let isShared = item.values[kSecAttrSynchronizable]?.integer == 1
        switch sharing {
        case .any: break
        case .shared: if !isShared { return false }
        case .plain: if isShared { return false }
        // A reference names the item itself.
        case nil: if isShared, reference == nil { return false }
        }
        return item.matches(values, ignoringCase: ignoresCase)
    }
}
