// SecKey: keys of cryptography, which the keychain does not hold.

public import CoreFoundationNames
public import Foundation

public let kSecAttrKeyType: CFString = "type"
public let kSecAttrKeyTypeRSA: CFString = "42"
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
public let kSecAttrKeySizeInBits: CFString = "bsiz"
public let kSecAttrIsPermanent: CFString = "perm"
public let kSecAttrApplicationTag: CFString = "atag"
public let kSecAttrTokenID: CFString = "tkid"
public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"
public let kSecPrivateKeyAttrs: CFString = "private"
public let kSecPublicKeyAttrs: CFString = "public"

/// A key of cryptography. It cannot be made here.
public final class SecKey: Sendable {
    private init() {}
}

/// Makes no keys: they are not simulated.
///
/// - Parameters:
///   - parameters: the wishes for the keys.
///   - publicKey: stays as it is.
///   - privateKey: stays as it is.
/// - Returns: `errSecUnimplemented`, with one line on standard error.
public func SecKeyGeneratePair(
    _ parameters: CFDictionary, _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus { KeychainQuery.notSimulated("SecKeyGeneratePair").status }
