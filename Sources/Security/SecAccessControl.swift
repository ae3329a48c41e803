// SecAccessControl, shared web credentials: calls that need a device's lock or Safari, and are refused.

public import CoreFoundationNames
public import Foundation

/// The protection of an item by a person's presence. It cannot be made here.
public final class SecAccessControl: Sendable {
    private init() {}
}

/// The conditions of an access.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public let rawValue: CFOptionFlags
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }
    public static var userPresence: Self { Self(rawValue: 1 << 0) }
    public static var biometryAny: Self { Self(rawValue: 1 << 1) }
    public static var touchIDAny: Self { biometryAny }
    public static var biometryCurrentSet: Self { Self(rawValue: 1 << 3) }
    public static var touchIDCurrentSet: Self { biometryCurrentSet }
    public static var devicePasscode: Self { Self(rawValue: 1 << 4) }
    public static var or: Self { Self(rawValue: 1 << 14) }
    public static var and: Self { Self(rawValue: 1 << 15) }
    public static var privateKeyUsage: Self { Self(rawValue: 1 << 30) }
    public static var applicationPassword: Self { Self(rawValue: 1 << 31) }
}

private func notSimulated(_ what: String) -> CFError {
    _ = KeychainQuery.notSimulated(what)
    return NSError(
        domain: NSOSStatusErrorDomain, code: Int(errSecUnimplemented),
        userInfo: [NSLocalizedDescriptionKey: "notSimulated: \(what)"])
}

/// Returns nil: a person's presence is not simulated.
///
/// - Parameters:
///   - allocator: has no effect.
///   - protection: the accessibility of the item.
///   - flags: the conditions.
///   - error: gets the error `errSecUnimplemented`.
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: Any, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    error?.pointee = Unmanaged.passRetained(notSimulated("SecAccessControlCreateWithFlags"))
    return nil
}

/// Calls the completion with an error: passwords of Safari are not simulated.
///
/// - Parameters:
///   - fqdn: the domain.
///   - account: the account.
///   - password: the password; nil removes it.
///   - completionHandler: gets the error, on a global queue.
public func SecAddSharedWebCredential(
    _ fqdn: CFString, _ account: CFString, _ password: CFString?,
    _ completionHandler: @escaping @Sendable (CFError?) -> Void
) {
    DispatchQueue.global().async { completionHandler(notSimulated("SecAddSharedWebCredential")) }
}

/// Calls the completion with an error: passwords of Safari are not simulated.
///
/// - Parameters:
///   - fqdn: the domain.
///   - account: the account.
///   - completionHandler: gets no credentials and the error, on a global queue.
public func SecRequestSharedWebCredential(
    _ fqdn: CFString?, _ account: CFString?,
    _ completionHandler: @escaping @Sendable (CFArray?, CFError?) -> Void
) {
    DispatchQueue.global().async { completionHandler(nil, notSimulated("SecRequestSharedWebCredential")) }
}

/// Returns a random password of four groups of three characters, with hyphens between them.
public func SecCreateSharedWebCredentialPassword() -> CFString? {
    // Characters that people do not take for each other.
    let characters = Array("abcdefghkmnopqrstuvwxyABCDEFGHJKLMNPQRSTUVWXYZ3456789")
    let groups = (0..<4).map { _ in String((0..<3).map { _ in characters.randomElement()! }) }
    return groups.joined(separator: "-")
}
