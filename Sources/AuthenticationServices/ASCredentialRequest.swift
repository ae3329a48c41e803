// ASCredentialRequest: a host's request for one credential.

public import Foundation

/// The kinds of a request. The numbers are Apple's (header).
public enum ASCredentialRequestType: Int, Sendable {
    case password = 0
    case passkeyAssertion = 1
    case passkeyRegistration = 2
    case oneTimeCode = 3
}

/// A request for one credential.
public protocol ASCredentialRequest: NSObjectProtocol {
    var type: ASCredentialRequestType { get }
    /// The identity that the person has chosen.
    var credentialIdentity: any ASCredentialIdentity { get }
}

/// A request for a password.
open class ASPasswordCredentialRequest: NSObject, ASCredentialRequest, @unchecked Sendable {
    // The identity is not changed any more.
    public let type = ASCredentialRequestType.password
    public let credentialIdentity: any ASCredentialIdentity

    /// Makes a request.
    public init(credentialIdentity: ASPasswordCredentialIdentity) { self.credentialIdentity = credentialIdentity }
}

/// A request for a one-time code. No host here makes one.
open class ASOneTimeCodeCredentialRequest: NSObject, ASCredentialRequest, @unchecked Sendable {
    // The identity is not changed any more.
    public let type = ASCredentialRequestType.oneTimeCode
    public let credentialIdentity: any ASCredentialIdentity

    /// Makes a request.
    public init(credentialIdentity: ASOneTimeCodeCredentialIdentity) { self.credentialIdentity = credentialIdentity }
}

/// A request for a passkey. No host here makes one.
open class ASPasskeyCredentialRequest: NSObject, ASCredentialRequest, @unchecked Sendable {
    // The identity is not changed any more.
    public let type: ASCredentialRequestType
    public let credentialIdentity: any ASCredentialIdentity
    public let clientDataHash: Data
    public let userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference
    public let supportedAlgorithms: [ASCOSEAlgorithmIdentifier]
    /// The identifiers of the passkeys that the service does not want a second time.
    public let excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]?

    /// Makes a request.
    public init(
        credentialIdentity: ASPasskeyCredentialIdentity, clientDataHash: Data,
        userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference,
        supportedAlgorithms: [ASCOSEAlgorithmIdentifier]
    ) {
        type = .passkeyAssertion
        self.credentialIdentity = credentialIdentity
        self.clientDataHash = clientDataHash
        self.userVerificationPreference = userVerificationPreference
        self.supportedAlgorithms = supportedAlgorithms
        excludedCredentials = nil
    }
}

/// The values of a request for any passkey of a service. No host here makes one.
open class ASPasskeyCredentialRequestParameters: NSObject, @unchecked Sendable {  // its properties are constant
    public let relyingPartyIdentifier: String
    public let clientDataHash: Data
    public let userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference
    public let allowedCredentials: [Data]

    init(
        _ relyingPartyIdentifier: String, clientDataHash: Data,
        userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference,
        allowedCredentials: [Data]
    ) {
        (self.relyingPartyIdentifier, self.clientDataHash) = (relyingPartyIdentifier, clientDataHash)
        (self.userVerificationPreference, self.allowedCredentials) = (userVerificationPreference, allowedCredentials)
    }
}

/// The wish of a service about the verification of the person.
public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    /// Makes a wish of another name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes a wish of another name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public static let preferred = Self(rawValue: "preferred")
    public static let required = Self(rawValue: "required")
    public static let discouraged = Self(rawValue: "discouraged")
}

/// An algorithm of a passkey, by its number in COSE.
public struct ASCOSEAlgorithmIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    /// Makes the identifier of another algorithm.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Makes the identifier of another algorithm.
    public init(_ rawValue: Int) { self.rawValue = rawValue }

    /// ECDSA with SHA-256 (RFC 9053).
    public static let ES256 = Self(rawValue: -7)
}

/// A passkey that a service knows.
open class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject, @unchecked Sendable {
    // Its property is constant.
    public let credentialID: Data

    /// Makes a descriptor.
    public init(credentialID: Data) { self.credentialID = credentialID }
}
