// CredentialStore: the identities of one app family, within bounds.

import Foundation
import PointMessages

/// The limits of the identities of an app (ours).
public struct CredentialStoreLimits: Sendable {
    /// The largest number of identities of an app.
    public var identities = 10_000
    /// The largest number of bytes of all texts of an app's identities.
    public var bytes = 2 << 20
    /// The largest number of apps with identities.
    public var apps = 64

    /// Makes the limits.
    public init() {}
}

/// The identities of an app and its extensions.
struct CredentialStore {
    /// The values by which two identities are the same: the rank does not count.
    private struct Key: Hashable {
        let service: CredentialService
        let user: String
        let record: String?

        init(_ identity: CredentialIdentity) {
            (service, user, record) = (identity.service, identity.user, identity.record)
        }
    }

    private var entries: [Key: CredentialIdentity] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the identities, those of a higher rank first, and then by service and user.
    var all: [CredentialIdentity] {
        entries.values.sorted {
            ($1.rank, $0.service.identifier, $0.user, $0.record ?? "")
                < ($0.rank, $1.service.identifier, $1.user, $1.record ?? "")
        }
    }

    /// Applies a change as a whole, or not at all.
    ///
    /// - Throws: an error of the domain `ASCredentialIdentityStoreErrorDomain`.
    mutating func apply(_ change: ChangeCredentialIdentities, _ limits: CredentialStoreLimits) throws {
        var changed = entries
        switch change.change {
        case .save: break
        case .replace: changed = [:]
        case .remove:
            for identity in change.identities { changed[Key(identity)] = nil }
            entries = changed
            return
        case .unrecognized: throw CredentialHost.error(.internalError, "this store does not know such a change")
        }
        for identity in change.identities {
            changed[Key(identity)] = identity
            guard changed.count <= limits.identities else {
                throw CredentialHost.error(
                    .internalError, "the store takes at most \(limits.identities) identities of an app")
            }
        }
        guard changed.values.reduce(0, { $0 + $1.size }) <= limits.bytes else {
            throw CredentialHost.error(
                .internalError, "the store takes at most \(limits.bytes) bytes of identities of an app")
        }
        entries = changed
    }
}

extension CredentialIdentity {
    fileprivate var size: Int {
        service.identifier.utf8.count + user.utf8.count + (record?.utf8.count ?? 0)
    }
}

extension CredentialService {
    /// Reads a service as people write it: a URL, or a domain.
    public init(text: String) {
        self.init(text, text.contains("://") ? .url : .domain)
    }

    /// The domain of the service, in small letters; nil for a URL without one, and for an app.
    public var domain: String? {
        switch kind {
        case .domain: identifier.lowercased()
        case .url: URL(string: identifier)?.host?.lowercased()
        case .app, .unrecognized: nil
        }
    }

    /// Whether an identity of this service is offered at another one: at the same app, at the same host, and for a
    /// domain also at the hosts below it.
    public func isOffered(at other: CredentialService) -> Bool {
        guard let domain, let host = other.domain else { return self == other }
        return host == domain || kind == .domain && host.hasSuffix("." + domain)
    }
}
