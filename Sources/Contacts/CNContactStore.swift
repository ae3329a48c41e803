// CNContactStore: the address book of a device on which no app may read it.

public import Foundation

public let CNErrorDomain = "CNErrorDomain"

/// Whether an app may read the address book. Here it is always denied.
public enum CNAuthorizationStatus: Int, Sendable { case notDetermined, restricted, denied, authorized, limited }
public enum CNEntityType: Int, Sendable { case contacts }

/// The reason why contacts are not known.
public struct CNError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case communicationError = 1, dataAccessError, authorizationDenied = 100, recordDoesNotExist = 200

        public static func ~= (code: Code, error: any Error) -> Bool { (error as? CNError)?.code == code }
    }

    public let code: Code
    /// Makes the error of a code.
    public init(_ code: Code) { self.code = code }
    public static var errorDomain: String { CNErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: "notSimulated: this device has no address book"]
    }
    public static var authorizationDenied: Code { .authorizationDenied }
    public static var recordDoesNotExist: Code { .recordDoesNotExist }
}

/// The order of contacts.
public enum CNContactSortOrder: Int, Sendable { case none, userDefault, givenName, familyName }

/// A wish for contacts. It is kept only.
open class CNContactFetchRequest: NSObject {
    open var keysToFetch: [any CNKeyDescriptor]
    open var predicate: NSPredicate?
    open var sortOrder = CNContactSortOrder.none
    open var unifyResults = true

    /// - Parameter keysToFetch: the keys of the wanted values.
    public init(keysToFetch: [any CNKeyDescriptor]) { self.keysToFetch = keysToFetch }
}

/// The address book of a device on which no app may read it: each read fails with `CNError.authorizationDenied`.
///
/// Safe to use from any thread.
open class CNContactStore: NSObject, @unchecked Sendable {  // has no state
    public override init() { super.init() }

    /// Returns `denied`.
    open class func authorizationStatus(for entityType: CNEntityType) -> CNAuthorizationStatus { .denied }

    /// Answers that access is not granted: nobody is asked.
    ///
    /// - Parameters:
    ///   - entityType: the contacts.
    ///   - completionHandler: called on another thread, with false and `CNError.authorizationDenied`.
    open func requestAccess(
        for entityType: CNEntityType, completionHandler: @escaping (Bool, (any Error)?) -> Void
    ) {
        nonisolated(unsafe) let call = completionHandler  // called once
        DispatchQueue.global().async { call(false, CNError(.authorizationDenied)) }
    }

    /// Fails.
    ///
    /// - Throws: `CNError.authorizationDenied`.
    open func requestAccess(for entityType: CNEntityType) async throws -> Bool { throw CNError(.authorizationDenied) }

    /// Fails.
    ///
    /// - Parameters:
    ///   - predicate: the condition.
    ///   - keys: the keys of the wanted values.
    /// - Throws: `CNError.authorizationDenied`.
    open func unifiedContacts(
        matching predicate: NSPredicate, keysToFetch keys: [any CNKeyDescriptor]
    ) throws -> [CNContact] { throw CNError(.authorizationDenied) }

    /// Fails.
    ///
    /// - Parameters:
    ///   - identifier: the contact.
    ///   - keys: the keys of the wanted values.
    /// - Throws: `CNError.authorizationDenied`.
    open func unifiedContact(
        withIdentifier identifier: String, keysToFetch keys: [any CNKeyDescriptor]
    ) throws -> CNContact { throw CNError(.authorizationDenied) }

    /// Fails.
    ///
    /// - Parameters:
    ///   - fetchRequest: the wish.
    ///   - block: not called.
    /// - Throws: `CNError.authorizationDenied`.
    open func enumerateContacts(
        with fetchRequest: CNContactFetchRequest,
        usingBlock block: (CNContact, UnsafeMutablePointer<ObjCBool>) -> Void
    ) throws { throw CNError(.authorizationDenied) }
}
