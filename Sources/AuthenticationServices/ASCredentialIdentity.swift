// ASCredentialIdentity: the identities that an app saves, so that the system can offer them.

public import Foundation
package import PointMessages

/// A user of a service, whose credential a provider has.
public protocol ASCredentialIdentity: NSObjectProtocol {
    /// The service.
    var serviceIdentifier: ASCredentialServiceIdentifier { get }
    /// The name that people see.
    var user: String { get }
    /// The provider's own name for its record.
    var recordIdentifier: String? { get }
    /// The place among the identities of one service: those of a higher rank come first.
    var rank: Int { get set }
}

/// A user of a service, whose password a provider has. It holds no password.
open class ASPasswordCredentialIdentity: NSObject, ASCredentialIdentity, NSCopying, @unchecked Sendable {
    // Authors set the rank before they hand the object on, as on Apple's systems.
    public let serviceIdentifier: ASCredentialServiceIdentifier
    public let user: String
    public let recordIdentifier: String?
    open var rank = 0

    /// Makes an identity.
    public init(serviceIdentifier: ASCredentialServiceIdentifier, user: String, recordIdentifier: String?) {
        self.serviceIdentifier = serviceIdentifier
        self.user = user
        self.recordIdentifier = recordIdentifier
    }

    /// A copy with the same rank.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = ASPasswordCredentialIdentity(
            serviceIdentifier: serviceIdentifier, user: user, recordIdentifier: recordIdentifier)
        copy.rank = rank
        return copy
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ASPasswordCredentialIdentity else { return false }
        return other.serviceIdentifier.isEqual(serviceIdentifier) && other.user == user
            && other.recordIdentifier == recordIdentifier
    }

    open override var hash: Int { user.hashValue }

    package convenience init(_ identity: CredentialIdentity) {
        self.init(
            serviceIdentifier: ASCredentialServiceIdentifier(identity.service), user: identity.user,
            recordIdentifier: identity.record)
        rank = identity.rank
    }

    package var identity: CredentialIdentity {
        CredentialIdentity(serviceIdentifier.service, user: user, record: recordIdentifier, rank: rank)
    }
}

/// A user's passkey. No host here asks for it, and the store refuses it (`notSimulated`).
open class ASPasskeyCredentialIdentity: NSObject, ASCredentialIdentity, @unchecked Sendable {
    // Authors set the rank before they hand the object on, as on Apple's systems.
    public let relyingPartyIdentifier: String
    public let userName: String
    public let credentialID: Data
    public let userHandle: Data
    public let recordIdentifier: String?
    open var rank = 0
    open var serviceIdentifier: ASCredentialServiceIdentifier {
        ASCredentialServiceIdentifier(identifier: relyingPartyIdentifier, type: .domain)
    }
    open var user: String { userName }

    /// Makes an identity.
    public init(
        relyingPartyIdentifier: String, userName: String, credentialID: Data, userHandle: Data,
        recordIdentifier: String? = nil
    ) {
        (self.relyingPartyIdentifier, self.userName) = (relyingPartyIdentifier, userName)
        (self.credentialID, self.userHandle, self.recordIdentifier) = (credentialID, userHandle, recordIdentifier)
    }
}

/// A user's one-time codes. No host here asks for them, and the store refuses the identity (`notSimulated`).
open class ASOneTimeCodeCredentialIdentity: NSObject, ASCredentialIdentity, @unchecked Sendable {
    // Authors set the rank before they hand the object on, as on Apple's systems.
    public let serviceIdentifier: ASCredentialServiceIdentifier
    public let label: String
    public let recordIdentifier: String?
    open var rank = 0
    open var user: String { label }

    /// Makes an identity.
    public init(serviceIdentifier: ASCredentialServiceIdentifier, label: String, recordIdentifier: String?) {
        (self.serviceIdentifier, self.label, self.recordIdentifier) = (serviceIdentifier, label, recordIdentifier)
    }
}
