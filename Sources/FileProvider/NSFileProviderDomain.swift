// NSFileProviderDomain: one account or place of a provider's app.

public import Foundation
import PointMessages

/// One account or place of an app, whose items its provider keeps apart from the others.
public final class NSFileProviderDomain: NSObject, Sendable {
    /// The identifier.
    public let identifier: NSFileProviderDomainIdentifier
    /// The name for people.
    public let displayName: String
    /// The folder below the document storage. A replicated provider has none.
    public let pathRelativeToDocumentStorage: String

    /// Makes a domain with a folder below the document storage.
    public init(
        identifier: NSFileProviderDomainIdentifier, displayName: String, pathRelativeToDocumentStorage: String
    ) {
        (self.identifier, self.displayName) = (identifier, displayName)
        self.pathRelativeToDocumentStorage = pathRelativeToDocumentStorage
    }

    /// Makes a domain of a replicated provider.
    public convenience init(identifier: NSFileProviderDomainIdentifier, displayName: String) {
        self.init(identifier: identifier, displayName: displayName, pathRelativeToDocumentStorage: identifier.rawValue)
    }

    convenience init(_ domain: FileDomain) {
        self.init(
            identifier: NSFileProviderDomainIdentifier(domain.identifier), displayName: domain.displayName,
            pathRelativeToDocumentStorage: domain.path ?? domain.identifier)
    }

    /// Whether the user has not removed it from the list of places. Always true.
    public var userEnabled: Bool { true }

    var coded: FileDomain {
        FileDomain(
            identifier: identifier.rawValue, displayName: displayName, path: pathRelativeToDocumentStorage)
    }
}
