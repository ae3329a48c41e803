// CredentialMessages: the calls of a credential provider, and the orders of apps about their identities.

public import ExtensionPointKit

/// A service for which a person needs a credential.
public struct CredentialService: Codable, Sendable, Hashable {
    /// The kinds of a service's identifier.
    public enum Kind: String, OpenEnumeration, Hashable {
        case domain, url, app
        case unrecognized
    }

    /// A domain such as `example.org`, a URL, or the identifier of an app.
    public var identifier: String
    public var kind: Kind

    /// Makes a service.
    public init(_ identifier: String, _ kind: Kind) { (self.identifier, self.kind) = (identifier, kind) }
}

/// A user of a service whose password a provider knows. It holds no password.
public struct CredentialIdentity: Codable, Sendable, Hashable {
    public var service: CredentialService
    public var user: String
    /// The provider's own name for its record.
    public var record: String?
    /// The place among identities of one service: those of a higher rank come first.
    public var rank: Int

    /// Makes an identity.
    public init(_ service: CredentialService, user: String, record: String? = nil, rank: Int = 0) {
        (self.service, self.user, self.record, self.rank) = (service, user, record, rank)
    }
}

/// Shows the credentials of a provider, from which a person chooses.
public struct ListCredentials: PointMessage {
    public static let name = "credentials.list"
    /// The services, the most important first.
    public var services: [CredentialService]
    /// Makes the call.
    public init(_ services: [CredentialService]) { self.services = services }
}

/// Asks for the credential of an identity, without a view. The reply comes after the extension's answer.
public struct ProvideCredential: PointMessage {
    public static let name = "credentials.provide"
    public var identity: CredentialIdentity
    /// Makes the call.
    public init(_ identity: CredentialIdentity) { self.identity = identity }
}

/// Asks for the credential of an identity, with a view in which a person unlocks it.
public struct PrepareCredential: PointMessage {
    public static let name = "credentials.prepare"
    public var identity: CredentialIdentity
    /// Makes the call.
    public init(_ identity: CredentialIdentity) { self.identity = identity }
}

/// Shows the view in which a person sets the provider up.
public struct ConfigureCredentials: PointMessage {
    public static let name = "credentials.configure"
    /// Makes the call.
    public init() {}
}

/// Ends a request whose credential the host has. The framework completes the request after it.
public struct EndCredentials: PointMessage {
    public static let name = "credentials.end"
    /// Makes the call.
    public init() {}
}

/// Gives the host a credential: a call of the extension.
public struct SelectCredential: PointMessage {
    public static let name = "credentials.select"
    /// The largest number of bytes of a user's name (ours).
    public static let longestUser = 1_024
    /// The largest number of bytes of a password (ours). Longer ones would travel beside the packet.
    public static let longestPassword = 4_096

    public var user: String
    public var password: ConfidentialText

    /// Makes the call.
    public init(user: String, password: ConfidentialText) { (self.user, self.password) = (user, password) }
}

/// The errors of a provider's answers, as they travel. The numbers are Apple's (header).
public enum CredentialFault: Int, Sendable, CaseIterable {
    case failed = 0
    case userCanceled = 1
    case userInteractionRequired = 100
    case credentialIdentityNotFound = 101

    /// The domain of the errors (header).
    public static let domain = "ASExtensionErrorDomain"
}

/// The service that has the identities of each app.
public enum CredentialStoreService {
    /// The name under which a host provides it.
    public static let name = "org.exthost.credentials"
}

/// The errors of the store, as they travel. The numbers are Apple's (header).
public enum CredentialStoreFault: Int, Sendable, CaseIterable {
    case internalError = 0
    case storeDisabled = 1
    case storeBusy = 2

    /// The domain of the errors (header).
    public static let domain = "ASCredentialIdentityStoreErrorDomain"
}

/// Asks whether the person has enabled a provider of the caller's app.
public struct CredentialStoreState: PointMessage {
    public static let name = "credentialStore.state"

    /// The state of the store.
    public struct Reply: Codable, Sendable {
        public var isEnabled: Bool
        /// Whether single identities may be saved and removed.
        public var isIncremental: Bool
        /// Makes a reply.
        public init(isEnabled: Bool, isIncremental: Bool) {
            (self.isEnabled, self.isIncremental) = (isEnabled, isIncremental)
        }
    }

    /// Makes the call.
    public init() {}
}

/// Changes the identities of the caller's app.
public struct ChangeCredentialIdentities: PointMessage {
    public static let name = "credentialStore.change"

    /// The kinds of a change.
    public enum Change: String, OpenEnumeration, Hashable {
        case save, remove
        /// The identities take the place of all.
        case replace
        case unrecognized
    }

    public var change: Change
    public var identities: [CredentialIdentity]

    /// Makes the call.
    public init(_ change: Change, _ identities: [CredentialIdentity]) {
        (self.change, self.identities) = (change, identities)
    }
}

/// Asks for the identities of the caller's app.
public struct StoredCredentialIdentities: PointMessage {
    public static let name = "credentialStore.identities"

    /// The identities, those of a higher rank first.
    public struct Reply: Codable, Sendable {
        public var identities: [CredentialIdentity]
        /// Makes a reply.
        public init(_ identities: [CredentialIdentity]) { self.identities = identities }
    }

    /// The service; nil: all identities.
    public var service: CredentialService?
    /// Makes the call.
    public init(_ service: CredentialService? = nil) { self.service = service }
}
