// ASExtensionError: the errors with which a provider gives a request up.

public import Foundation
import PointMessages

/// The domain of the errors of a provider.
public let ASExtensionErrorDomain = CredentialFault.domain

/// The reason why a provider has no credential. The numbers are Apple's (header).
public struct ASExtensionError: Error, CustomNSError, @unchecked Sendable {  // the values are those of an `NSError`
    /// The codes.
    public enum Code: Int, Sendable {
        /// The provider has failed.
        case failed = 0
        /// The person has cancelled the request.
        case userCanceled = 1
        /// The credential needs a person, for example to unlock it. The host begins anew, with a view.
        case userInteractionRequired = 100
        /// The provider does not know the identity.
        case credentialIdentityNotFound = 101
        /// The provider has a passkey that the service excludes.
        case matchedExcludedCredential = 102

        /// Whether an error has this code, in a `catch`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            let found = error as NSError
            return found.domain == ASExtensionErrorDomain && found.code == code.rawValue
        }
    }

    public static let failed = Code.failed
    public static let userCanceled = Code.userCanceled
    public static let userInteractionRequired = Code.userInteractionRequired
    public static let credentialIdentityNotFound = Code.credentialIdentityNotFound
    public static let matchedExcludedCredential = Code.matchedExcludedCredential

    public static var errorDomain: String { ASExtensionErrorDomain }

    public let code: Code
    public var errorCode: Int { code.rawValue }
    public let errorUserInfo: [String: Any]
    public var userInfo: [String: Any] { errorUserInfo }

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - userInfo: further values, such as a description.
    public init(_ code: Code, userInfo: [String: Any] = [:]) { (self.code, errorUserInfo) = (code, userInfo) }
}
