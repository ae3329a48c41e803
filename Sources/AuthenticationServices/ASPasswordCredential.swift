// ASPasswordCredential: the credentials that providers hand out.

public import Foundation

/// A credential of any kind.
public protocol ASAuthorizationCredential: NSObjectProtocol {}

/// A user's name and password. Its description and dumps have neither.
open class ASPasswordCredential: NSObject, ASAuthorizationCredential, CustomReflectable, @unchecked Sendable {
    // Its properties are constant.
    public let user: String
    public let password: String

    /// Makes a credential.
    public init(user: String, password: String) { (self.user, self.password) = (user, password) }

    open override var description: String { "<ASPasswordCredential>" }
    open override var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A one-time code. No host here takes one.
open class ASOneTimeCodeCredential: NSObject, ASAuthorizationCredential, CustomReflectable, @unchecked Sendable {
    // Its property is constant.
    public let code: String

    /// Makes a credential.
    public init(code: String) { self.code = code }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The answer to a request for a passkey. No host here takes one.
open class ASPasskeyAssertionCredential: NSObject, ASAuthorizationCredential, @unchecked Sendable {
    // Its properties are constant.
    public let userHandle: Data
    public let relyingParty: String
    public let signature: Data
    public let clientDataHash: Data
    public let authenticatorData: Data
    public let credentialID: Data

    /// Makes an answer.
    public init(
        userHandle: Data, relyingParty: String, signature: Data, clientDataHash: Data, authenticatorData: Data,
        credentialID: Data
    ) {
        (self.userHandle, self.relyingParty, self.signature) = (userHandle, relyingParty, signature)
        (self.clientDataHash, self.authenticatorData) = (clientDataHash, authenticatorData)
        self.credentialID = credentialID
    }
}

/// The answer to a request for a new passkey. No host here takes one.
open class ASPasskeyRegistrationCredential: NSObject, ASAuthorizationCredential, @unchecked Sendable {
    // Its properties are constant.
    public let relyingParty: String
    public let clientDataHash: Data
    public let credentialID: Data
    public let attestationObject: Data

    /// Makes an answer.
    public init(relyingParty: String, clientDataHash: Data, credentialID: Data, attestationObject: Data) {
        (self.relyingParty, self.clientDataHash) = (relyingParty, clientDataHash)
        (self.credentialID, self.attestationObject) = (credentialID, attestationObject)
    }
}
