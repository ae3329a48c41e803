// SecCode: the code of this process, which has no signature, with the app groups among its entitlements.

internal import AppGroups
public import CoreFoundationNames
internal import ExtensionWire
public import Foundation

/// A running program: this process is the only one that can be named.
public final class SecCode: Sendable { fileprivate init() {} }

/// A program on disk.
public final class SecStaticCode: Sendable { fileprivate init() {} }

/// The extent of a call about code. It has no effect.
public struct SecCSFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}
public let kSecCSSigningInformation: UInt32 = 1 << 1

public let kSecCodeInfoEntitlementsDict: CFString = "entitlements-dict"
/// The key of an identifier, which only signed code has.
public let kSecCodeInfoIdentifier: CFString = "identifier"

/// Gives the code of this process. Any thread.
@discardableResult
public func SecCodeCopySelf(_ flags: SecCSFlags, _ code: UnsafeMutablePointer<SecCode?>) -> OSStatus {
    code.pointee = SecCode()
    return errSecSuccess
}

/// Gives the code on disk of running code.
@discardableResult
public func SecCodeCopyStaticCode(
    _ code: SecCode, _ flags: SecCSFlags, _ staticCode: UnsafeMutablePointer<SecStaticCode?>
) -> OSStatus {
    staticCode.pointee = SecStaticCode()
    return errSecSuccess
}

/// Gives the facts about code, as of unsigned code: no identifier. Of the entitlements it has the app groups that this
/// process holds.
@discardableResult
public func SecCodeCopySigningInformation(
    _ code: SecStaticCode, _ flags: SecCSFlags, _ information: UnsafeMutablePointer<CFDictionary?>
) -> OSStatus {
    let groups = HeldGroups.current.groups.map(\.text).sorted()
    let entitlements = groups.isEmpty ? [:] : [Entitlements.groupsKey: groups]
    information.pointee = [kSecCodeInfoEntitlementsDict: entitlements] as NSDictionary
    return errSecSuccess
}
