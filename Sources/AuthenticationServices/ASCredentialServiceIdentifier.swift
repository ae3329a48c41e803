// ASCredentialServiceIdentifier: a service for which a person needs a credential.

public import Foundation
package import PointMessages

/// A service: a domain, or the URL of a page.
open class ASCredentialServiceIdentifier: NSObject, NSCopying, @unchecked Sendable {  // its properties are constant
    /// The kinds of an identifier. The numbers are Apple's (header).
    public enum IdentifierType: Int, Sendable {
        /// A domain, such as `example.org`.
        case domain = 0
        /// A URL.
        case URL = 1
        /// The identifier of an app.
        case app = 2
    }

    /// The domain, the URL or the app.
    public let identifier: String
    public let type: IdentifierType

    /// Makes the identifier of a service.
    public init(identifier: String, type: IdentifierType) { (self.identifier, self.type) = (identifier, type) }

    /// Makes the identifier of an app with a name for people, which this system does not show.
    ///
    /// - Parameters:
    ///   - identifier: the domain, the URL or the app.
    ///   - type: the kind.
    ///   - displayName: the name for people.
    public convenience init(identifier: String, type: IdentifierType, displayName: String) {
        self.init(identifier: identifier, type: type)
    }

    /// The object itself, as it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ASCredentialServiceIdentifier else { return false }
        return other.identifier == identifier && other.type == type
    }

    open override var hash: Int { identifier.hashValue }
    open override var description: String { "<\(Swift.type(of: self)): \(identifier)>" }

    /// A service that travelled. One of a newer host's kind is an app.
    package convenience init(_ service: CredentialService) {
        let type: IdentifierType =
            switch service.kind {
            case .domain: .domain
            case .url: .URL
            case .app, .unrecognized: .app
            }
        self.init(identifier: service.identifier, type: type)
    }

    package var service: CredentialService {
        let kind: CredentialService.Kind =
            switch type {
            case .domain: .domain
            case .URL: .url
            case .app: .app
            }
        return CredentialService(identifier, kind)
    }
}
