// CredentialHost: a host that asks credential providers for passwords, and keeps the identities of apps.

public import ExtensionHost
import ExtensionPointKit
import ExtensionProtocol
import Foundation
public import PointMessages
import PropertyListCoding

/// Asks credential providers for passwords, as a browser does, and keeps the identities that apps offer.
///
/// It holds no passwords but those of its sessions.
public actor CredentialHost {
    /// The extension point of credential providers.
    public static let point = "com.apple.authentication-services-credential-provider-ui"
    /// The name of the user's consent without which an app can save no identities.
    public static let consent = "enabled"
    /// The largest number of services of a list (ours).
    public static let mostServices = 64
    /// The largest number of bytes of a user's name that a request has (ours).
    public static let longestUser = 1_024
    /// The largest number of bytes of a record that a request has (ours).
    public static let longestRecord = 4_096
    /// The largest number of bytes of a service's identifier that a request has (ours).
    public static let longestService = 8_192

    /// The key of the attribute with which a provider asks for its configuration.
    private static let configurationKey = "ASCredentialProviderExtensionShowsConfigurationUI"

    /// An app with its extensions, or an extension without an app. A path alone may have another app later.
    struct Family: Hashable {
        /// The path of the app; nil for an extension without one.
        let path: String?
        let identifier: String?

        init(app: String, _ identifier: String?) {
            (path, self.identifier) = (BundleIdentity.canonical(app), identifier)
        }

        init(alone identifier: String) { (path, self.identifier) = (nil, identifier) }

        func contains(_ found: FoundExtension) -> Bool {
            guard let app = found.containingApp else { return path == nil && identifier == found.identifier }
            return path == BundleIdentity.canonical(app)
        }

        /// Whether its app is not there any more.
        var isGone: Bool { path.map { BundleIdentity.isGone(identifier ?? "", at: $0) } ?? false }
    }

    let host: HostApplication
    private let limits: CredentialStoreLimits
    private var stores: [Family: CredentialStore] = [:]
    /// The providers whose configuration was shown since the user has enabled them.
    private var configured: Set<String> = []
    /// The number of times that the user has disabled a provider.
    private var epoch = 0

    /// Makes a host.
    ///
    /// - Parameters:
    ///   - host: the host's connection.
    ///   - limits: the limits of an app's identities.
    public init(_ host: HostApplication, limits: CredentialStoreLimits = CredentialStoreLimits()) {
        (self.host, self.limits) = (host, limits)
    }

    // MARK: Sessions

    /// Asks for the credential of an identity that a person has chosen: first without a view.
    ///
    /// If the extension needs the person, a second request begins, with a view. The session is then open.
    ///
    /// - Parameters:
    ///   - identity: the identity, such as one of `identities(for:of:)`.
    ///   - identifier: the extension.
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `invalidArgument` for texts that are too long; errors of
    ///   `HostApplication.begin`. What becomes of the requests is in the session.
    public func credential(
        for identity: CredentialIdentity, from identifier: String
    ) async throws -> CredentialSession {
        try Self.check(identity.service)
        try Self.check(identity.user, Self.longestUser, "the name of a user")
        if let record = identity.record { try Self.check(record, Self.longestRecord, "a record") }
        try await check(identifier)
        let session = try await begin(identifier, ProvideCredential(identity), isInteractive: false)
        switch await session.ending {
        case .cancelled(let error)
        where error.domain == CredentialFault.domain
            && error.code == CredentialFault.userInteractionRequired.rawValue:
            return try await begin(
                identifier, PrepareCredential(identity), isInteractive: true, after: session.request)
        default: return session
        }
    }

    /// Shows the credentials of a provider, from which a person chooses.
    ///
    /// - Parameters:
    ///   - services: the services, the most important first.
    ///   - identifier: the extension.
    /// - Throws: as `credential(for:from:)`, and `invalidArgument` for too many services.
    public func list(for services: [CredentialService], from identifier: String) async throws -> CredentialSession {
        guard services.count <= Self.mostServices else {
            throw ExtensionHostError(.invalidArgument, "a list is for at most \(Self.mostServices) services")
        }
        for service in services { try Self.check(service) }
        try await check(identifier)
        return try await begin(identifier, ListCredentials(services), isInteractive: true)
    }

    /// Shows the view in which a person sets a provider up.
    ///
    /// - Parameter identifier: the extension.
    /// - Throws: as `credential(for:from:)`.
    public func configure(_ identifier: String) async throws -> CredentialSession {
        try await check(identifier)
        let session = try await begin(
            identifier, ConfigureCredentials(), isInteractive: true, takesCredential: false)
        configured.insert(identifier)
        return session
    }

    /// Enables a provider: its app may save identities.
    ///
    /// - Parameter identifier: the extension.
    /// - Returns: the configuration that the provider declares, once until it is disabled; nil without one.
    /// - Throws: as `credential(for:from:)`.
    public func enable(_ identifier: String) async throws -> CredentialSession? {
        try await check(identifier)
        try await host.setConsent(Self.consent, true, of: identifier)
        let declaration = try await host.wholeDeclaration(of: identifier).declaration
        let attributes = declaration["NSExtensionAttributes"]?.dictionary
        let isDeclared: Bool =
            switch attributes?[Self.configurationKey] {
            case .boolean(let flag): flag
            case .integer(let number): number == 1
            case .string(let word): ["YES", "yes", "true"].contains(word)
            default: false
            }
        guard isDeclared, !configured.contains(identifier) else { return nil }
        return try await configure(identifier)
    }

    /// Disables a provider. The identities of its app go if the app has no other enabled provider.
    ///
    /// - Parameter identifier: the extension.
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `connectionLost`.
    public func disable(_ identifier: String) async throws {
        try await host.setConsent(Self.consent, false, of: identifier)
        epoch += 1
        configured.remove(identifier)
        guard let family = try await family(of: identifier), try await !isEnabled(family) else { return }
        stores[family] = nil
    }

    private func check(_ identifier: String) async throws {
        let found = try await host.extensions().contains { $0.identifier == identifier && $0.point == Self.point }
        guard found else {
            throw ExtensionHostError(.noSuchExtension, "there is no credential provider \(identifier)")
        }
    }

    private static func check(_ service: CredentialService) throws {
        try check(service.identifier, longestService, "the identifier of a service")
    }

    private static func check(_ text: String, _ most: Int, _ what: String) throws {
        guard text.utf8.count <= most else {
            throw ExtensionHostError(.invalidArgument, "\(what) has at most \(most) bytes")
        }
    }

    private func begin<Message: PointMessage>(
        _ identifier: String, _ message: Message, isInteractive: Bool, takesCredential: Bool = true,
        after first: ExtensionRequest? = nil
    ) async throws -> CredentialSession where Message.Reply == Nothing {
        let choice = CredentialChoice(takesCredential: takesCredential)
        let request = try await host.begin(identifier, items: [], handling: choice.handlers)
        let session = CredentialSession(request, choice, isInteractive: isInteractive, after: first)
        await session.start(message)
        return session
    }

    // MARK: Identities

    /// Returns the identities that a provider's app has saved, those of a higher rank first.
    ///
    /// - Parameters:
    ///   - service: the service; nil: all identities.
    ///   - identifier: the extension.
    /// - Returns: none while the provider is disabled.
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `connectionLost`.
    public func identities(
        for service: CredentialService? = nil, of identifier: String
    ) async throws -> [CredentialIdentity] {
        guard try await host.consents(of: identifier).contains(Self.consent),
            let family = try await family(of: identifier)
        else { return [] }
        return identities(for: service, of: family)
    }

    func identities(for service: CredentialService?, of family: Family) -> [CredentialIdentity] {
        (stores[family]?.all ?? []).filter { identity in service.map { identity.service.isOffered(at: $0) } ?? true }
    }

    /// Returns the family of an extension; nil for one that is not there.
    private func family(of identifier: String) async throws -> Family? {
        guard let found = try await host.extensions().first(where: { $0.identifier == identifier }) else { return nil }
        guard let app = found.containingApp else { return Family(alone: identifier) }
        return Family(app: app, BundleIdentity.identifier(at: app))
    }

    /// Whether the user has enabled a provider of a family.
    func isEnabled(_ family: Family) async throws -> Bool {
        for found in try await host.extensions()
        where found.point == Self.point && family.contains(found) {
            do {
                if try await host.consents(of: found.identifier).contains(Self.consent) { return true }
            } catch let error as ExtensionHostError where error.code == .noSuchExtension {
                // It was removed meanwhile.
            }
        }
        return false
    }

    /// Changes the identities of a family.
    ///
    /// - Throws: an error of the domain `ASCredentialIdentityStoreErrorDomain`.
    func change(_ change: ChangeCredentialIdentities, of family: Family) async throws {
        // An answer from before a provider was disabled does not count.
        var asked: Int
        repeat {
            asked = epoch
            guard try await isEnabled(family) else {
                throw Self.error(.storeDisabled, "the user has not enabled a credential provider of the app")
            }
        } while asked != epoch
        if stores[family] == nil, stores.count >= limits.apps {
            stores = stores.filter { family, _ in !family.isGone }
            guard stores.count < limits.apps else {
                throw Self.error(.internalError, "the store takes the identities of at most \(limits.apps) apps")
            }
        }
        try stores[family, default: CredentialStore()].apply(change, limits)
        if stores[family]?.isEmpty == true { stores[family] = nil }
    }

    static func error(_ fault: CredentialStoreFault, _ reason: String) -> NSError {
        NSError(
            domain: CredentialStoreFault.domain, code: fault.rawValue, userInfo: [NSLocalizedDescriptionKey: reason])
    }
}
