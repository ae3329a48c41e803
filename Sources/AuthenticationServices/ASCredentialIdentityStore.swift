// ASCredentialIdentityStore: the identities of an app that the system can offer.

import ExtensionPointKit
import ExtensionWire
public import Foundation
import Locks
import PointMessages

/// The domain of the errors of the store.
public let ASCredentialIdentityStoreErrorDomain = CredentialStoreFault.domain

/// The reason why the store has not done its work. The numbers are Apple's (header).
public struct ASCredentialIdentityStoreError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    /// The codes.
    public enum Code: Int, Sendable {
        /// Another failure, such as too many identities.
        case internalError = 0
        /// The person has not enabled a provider of the app.
        case storeDisabled = 1
        /// The store is being changed.
        case storeBusy = 2
    }

    public static let internalError = Code.internalError
    public static let storeDisabled = Code.storeDisabled
    public static let storeBusy = Code.storeBusy

    public static var errorDomain: String { ASCredentialIdentityStoreErrorDomain }

    public let code: Code
    public var errorCode: Int { code.rawValue }
    /// The description, as the host has written it.
    public let errorDescription: String?

    /// Makes an error without a description.
    public init(_ code: Code) { self.init(code, nil) }

    init(_ code: Code, _ description: String?) { (self.code, errorDescription) = (code, description) }

    /// Makes the error of a host. An error of another domain stays as it is.
    static func crossing(_ error: any Error) -> any Error {
        let found = error as NSError
        guard found.domain == errorDomain, let code = Code(rawValue: found.code) else { return error }
        return Self(code, found.localizedDescription)
    }
}

/// The state of the store.
open class ASCredentialIdentityStoreState: NSObject, @unchecked Sendable {  // its properties are constant
    /// Whether the person has enabled a provider of the app. Only then the store takes identities.
    public let isEnabled: Bool
    /// Whether the store takes single identities, beside a replacement of all.
    public let supportsIncrementalUpdates: Bool

    init(isEnabled: Bool, supportsIncrementalUpdates: Bool) {
        (self.isEnabled, self.supportsIncrementalUpdates) = (isEnabled, supportsIncrementalUpdates)
    }
}

/// The identities of an app and its extensions. It holds no passwords.
///
/// The store is a host that provides the service `org.exthost.credentials`, such as `CredentialHost`. Without one each
/// call fails with `serviceUnavailable`. Completion handlers run on another thread.
open class ASCredentialIdentityStore: NSObject, @unchecked Sendable {  // it has no state
    /// The kinds of identities.
    public struct IdentityTypes: OptionSet, Sendable {
        public let rawValue: UInt
        /// Makes a set of the kinds with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let password = IdentityTypes(rawValue: 1)
        public static let passkey = IdentityTypes(rawValue: 2)
        public static let oneTimeCode = IdentityTypes(rawValue: 4)
    }

    /// The one store of the process.
    public class var shared: ASCredentialIdentityStore { ownStore }

    private static let ownStore = ASCredentialIdentityStore()
    private static let service = CredentialStoreConnection()

    override init() {}

    // MARK: The state

    /// Asks for the state of the store. A store that does not answer counts as disabled.
    open func getState(_ completion: @escaping @Sendable (ASCredentialIdentityStoreState) -> Void) {
        Task { completion(await state()) }
    }

    /// The state of the store. A store that does not answer counts as disabled.
    open func state() async -> ASCredentialIdentityStoreState {
        let state = try? await Self.call(CredentialStoreState())
        return ASCredentialIdentityStoreState(
            isEnabled: state?.isEnabled ?? false, supportsIncrementalUpdates: state?.isIncremental ?? false)
    }

    /// Asks for the identities of the app, those of a higher rank first.
    ///
    /// - Parameters:
    ///   - serviceIdentifier: the service; nil: all identities.
    ///   - credentialIdentityTypes: the kinds; an empty set means all. The store has those of passwords only.
    open func credentialIdentities(
        forService serviceIdentifier: ASCredentialServiceIdentifier? = nil,
        credentialIdentityTypes: IdentityTypes = []
    ) async -> [any ASCredentialIdentity] {
        guard credentialIdentityTypes.isEmpty || credentialIdentityTypes.contains(.password) else { return [] }
        let found = try? await Self.call(StoredCredentialIdentities(serviceIdentifier?.service))
        return (found?.identities ?? []).map { ASPasswordCredentialIdentity($0) }
    }

    /// Does what the `async` form does, with a completion handler.
    open func getCredentialIdentities(
        forService serviceIdentifier: ASCredentialServiceIdentifier?, credentialIdentityTypes: IdentityTypes,
        completion: @escaping @Sendable ([any ASCredentialIdentity]) -> Void
    ) {
        Task {
            completion(
                await credentialIdentities(
                    forService: serviceIdentifier, credentialIdentityTypes: credentialIdentityTypes))
        }
    }

    // MARK: Passwords

    /// Adds identities. One of the same service, user and record takes the place of the older one.
    ///
    /// - Parameters:
    ///   - credentialIdentities: the identities.
    ///   - completion: called with whether they were saved, and with an `ASCredentialIdentityStoreError`.
    open func saveCredentialIdentities(
        _ credentialIdentities: [ASPasswordCredentialIdentity],
        completion: (@Sendable (Bool, (any Error)?) -> Void)? = nil
    ) {
        Self.change(.save, credentialIdentities, completion)
    }

    /// Does what the form with a completion handler does. It returns true, or throws that form's error.
    @discardableResult
    open func saveCredentialIdentities(_ credentialIdentities: [ASPasswordCredentialIdentity]) async throws -> Bool {
        try await Self.change(.save, credentialIdentities)
    }

    /// Removes identities. Those that the store does not have are passed over.
    ///
    /// - Parameters:
    ///   - credentialIdentities: the identities.
    ///   - completion: as for `saveCredentialIdentities(_:completion:)`.
    open func removeCredentialIdentities(
        _ credentialIdentities: [ASPasswordCredentialIdentity],
        completion: (@Sendable (Bool, (any Error)?) -> Void)? = nil
    ) {
        Self.change(.remove, credentialIdentities, completion)
    }

    /// Does what the form with a completion handler does. It returns true, or throws that form's error.
    @discardableResult
    open func removeCredentialIdentities(_ credentialIdentities: [ASPasswordCredentialIdentity]) async throws -> Bool {
        try await Self.change(.remove, credentialIdentities)
    }

    /// Puts identities in the place of all that the app has saved.
    ///
    /// - Parameters:
    ///   - newCredentialIdentities: the identities.
    ///   - completion: as for `saveCredentialIdentities(_:completion:)`.
    open func replaceCredentialIdentities(
        with newCredentialIdentities: [ASPasswordCredentialIdentity],
        completion: (@Sendable (Bool, (any Error)?) -> Void)? = nil
    ) {
        Self.change(.replace, newCredentialIdentities, completion)
    }

    /// Does what the form with a completion handler does. It returns true, or throws that form's error.
    @discardableResult
    open func replaceCredentialIdentities(
        with newCredentialIdentities: [ASPasswordCredentialIdentity]
    ) async throws -> Bool {
        try await Self.change(.replace, newCredentialIdentities)
    }

    /// Removes all identities of the app.
    ///
    /// - Parameter completion: as for `saveCredentialIdentities(_:completion:)`.
    open func removeAllCredentialIdentities(_ completion: (@Sendable (Bool, (any Error)?) -> Void)? = nil) {
        Self.change(.replace, [], completion)
    }

    /// Does what the form with a completion handler does. It returns true, or throws that form's error.
    @discardableResult
    open func removeAllCredentialIdentities() async throws -> Bool { try await Self.change(.replace, []) }

    // MARK: All kinds

    /// Does what the form for passwords does. The store has no passkeys and no one-time codes: the call saves the
    /// others, and fails with `notSimulated`.
    ///
    /// - Parameters:
    ///   - credentialIdentities: the identities.
    ///   - completion: as for the form for passwords.
    open func saveCredentialIdentities(
        _ credentialIdentities: [any ASCredentialIdentity],
        completion: (@Sendable (Bool, (any Error)?) -> Void)? = nil
    ) {
        Self.change(.save, credentialIdentities, completion)
    }

    /// Does what the form with a completion handler does. It returns true, or throws that form's error.
    @discardableResult
    open func saveCredentialIdentities(_ credentialIdentities: [any ASCredentialIdentity]) async throws -> Bool {
        try await Self.change(.save, credentialIdentities)
    }

    /// Does what the form for passwords does. Others fail with `notSimulated`.
    ///
    /// - Parameters:
    ///   - credentialIdentities: the identities.
    ///   - completion: as for the form for passwords.
    open func removeCredentialIdentities(
        _ credentialIdentities: [any ASCredentialIdentity],
        completion: (@Sendable (Bool, (any Error)?) -> Void)? = nil
    ) {
        Self.change(.remove, credentialIdentities, completion)
    }

    /// Does what the form with a completion handler does. It returns true, or throws that form's error.
    @discardableResult
    open func removeCredentialIdentities(_ credentialIdentities: [any ASCredentialIdentity]) async throws -> Bool {
        try await Self.change(.remove, credentialIdentities)
    }

    /// Does what the form for passwords does. Others fail with `notSimulated`.
    ///
    /// - Parameters:
    ///   - newCredentialIdentities: the identities.
    ///   - completion: as for the form for passwords.
    open func replaceCredentialIdentities(
        _ newCredentialIdentities: [any ASCredentialIdentity],
        completion: (@Sendable (Bool, (any Error)?) -> Void)? = nil
    ) {
        Self.change(.replace, newCredentialIdentities, completion)
    }

    /// Does what the form with a completion handler does. It returns true, or throws that form's error.
    @discardableResult
    open func replaceCredentialIdentities(_ newCredentialIdentities: [any ASCredentialIdentity]) async throws -> Bool {
        try await Self.change(.replace, newCredentialIdentities)
    }

    // MARK: The service

    /// The identities of a call as they travel, and whether there are others.
    private struct Order: Sendable {
        let message: ChangeCredentialIdentities
        let hasOthers: Bool

        init(_ change: ChangeCredentialIdentities.Change, _ identities: [any ASCredentialIdentity]) {
            let passwords = identities.compactMap { ($0 as? ASPasswordCredentialIdentity)?.identity }
            message = ChangeCredentialIdentities(change, passwords)
            hasOthers = passwords.count < identities.count
        }

        func perform() async throws -> Bool {
            _ = try await ASCredentialIdentityStore.call(message)
            guard !hasOthers else {
                throw ExtensionHostError(
                    .notSimulated, "the store has identities of passwords only",
                    remedy: "Save passkeys and one-time codes by a call of their own")
            }
            return true
        }
    }

    private static func change(
        _ change: ChangeCredentialIdentities.Change, _ identities: [any ASCredentialIdentity]
    ) async throws -> Bool {
        try await Order(change, identities).perform()
    }

    private static func change(
        _ change: ChangeCredentialIdentities.Change, _ identities: [any ASCredentialIdentity],
        _ completion: (@Sendable (Bool, (any Error)?) -> Void)?
    ) {
        let order = Order(change, identities)
        Task {
            do {
                completion?(try await order.perform(), nil)
            } catch {
                completion?(false, error)
            }
        }
    }

    private static func call<Message: PointMessage>(_ message: Message) async throws -> Message.Reply {
        do {
            return try await service.connection().call(message, .init(isRepeatable: true))
        } catch {
            throw ASCredentialIdentityStoreError.crossing(error)
        }
    }
}

/// The connection of this process with the store.
private final class CredentialStoreConnection: Sendable {
    private let opening = Mutex<(number: Int, task: Task<ServiceConnection, any Error>?)>((0, nil))

    /// Returns the connection, which all calls share. After its end the next call opens another.
    func connection() async throws -> ServiceConnection {
        let task = opening.withLock { opening in
            if let task = opening.task { return task }
            opening.number += 1
            let number = opening.number
            let task = Task { [self] in
                do {
                    let connection = try await ServicePort.ofProcess().open(CredentialStoreService.name)
                    connection.whenEnded { [self] _ in forget(number) }
                    return connection
                } catch {
                    forget(number)
                    throw error
                }
            }
            opening.task = task
            return task
        }
        return try await task.value
    }

    private func forget(_ number: Int) { opening.withLock { if $0.number == number { $0.task = nil } } }
}
