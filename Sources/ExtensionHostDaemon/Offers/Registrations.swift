// Registrations: extensions that a connection registered for itself, for as long as it lasts.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import UniformTypeIdentifiers

/// The registrations of all connections.
///
/// A registration never replaces an installed extension for another connection.
@HostActor
final class Registrations {
    /// A connection.
    final class Owner: Sendable {}

    private struct Entry {
        let owner: ObjectIdentifier
        /// The bundle as it was read, and the terms of its offer; nil if it is disabled.
        let read: ExtensionBundle
        let readTerms: OfferTerms?
        /// The bundle on the platform of the profile.
        private(set) var bundle: ExtensionBundle

        init(_ owner: ObjectIdentifier, _ bundle: ExtensionBundle, _ terms: OfferTerms?, on profile: PlatformProfile?) {
            (self.owner, self.bundle, read, readTerms) = (owner, bundle, bundle, terms)
            use(profile)
        }

        var terms: OfferTerms? { bundle.problems.isEmpty ? readTerms : nil }

        mutating func use(_ profile: PlatformProfile?) {
            bundle = read
            if let problem = profile?.problem(of: read) { bundle.disable(problem) }
        }
    }

    private var entries: [Entry] = []
    private var lastNumber = 0
    /// The platform, on which a bundle may be disabled.
    var profile: PlatformProfile? {
        didSet { if profile != oldValue { for index in entries.indices { entries[index].use(profile) } } }
    }

    init(on profile: PlatformProfile?) { self.profile = profile }

    /// Adds a registration. The last one of an identifier wins.
    func add(_ bundle: ExtensionBundle, _ terms: OfferTerms?, of owner: Owner) {
        lastNumber += 1
        var bundle = bundle
        bundle.registration = lastNumber
        entries.append(Entry(ObjectIdentifier(owner), bundle, terms, on: profile))
    }

    /// Removes the registrations of `owner`, and returns their bundles.
    func removeAll(of owner: Owner) -> [ExtensionBundle] {
        let owned = entries.filter { $0.owner == ObjectIdentifier(owner) }.map(\.bundle)
        if !owned.isEmpty { entries.removeAll { $0.owner == ObjectIdentifier(owner) } }
        return owned
    }

    func count(of owner: Owner) -> Int { entries.count { $0.owner == ObjectIdentifier(owner) } }

    func bundle(_ identifier: String, of owner: Owner) -> ExtensionBundle? {
        entries.last { $0.owner == ObjectIdentifier(owner) && $0.bundle.identifier == identifier }?.bundle
    }

    func bundle(_ identifier: String) -> ExtensionBundle? {
        entries.last { $0.bundle.identifier == identifier }?.bundle
    }

    /// Whether the registration still exists.
    func contains(_ bundle: ExtensionBundle) -> Bool {
        entries.contains { $0.bundle.registration == bundle.registration }
    }

    /// The identifiers of all registrations, each once.
    var identifiers: Set<String> { Set(entries.map(\.bundle.identifier)) }

    /// Returns the terms on which a registration is offered; nil for one that is disabled or gone.
    func terms(of bundle: ExtensionBundle) -> OfferTerms? {
        entries.first { $0.bundle.registration == bundle.registration }?.terms
    }

    /// Returns the types that `owner`'s registrations declare, which are for `owner` only.
    func types(of owner: Owner) -> [DeclaredType] {
        entries.filter { $0.owner == ObjectIdentifier(owner) }.flatMap { $0.terms?.types ?? [] }
    }

    /// Returns the registrations for lists. A registration that serves only its own connection is marked.
    func listed(beside registry: ExtensionRegistry) -> [RegisteredCopy] {
        entries.map { entry in
            guard let used = registry[entry.bundle.identifier]?.bundle ?? bundle(entry.bundle.identifier),
                used.registration != entry.bundle.registration, entry.bundle.problems.isEmpty
            else {
                return RegisteredCopy(
                    alone: entry.bundle, registered: entry.bundle.registration ?? 0, terms: entry.terms)
            }
            var shadowed = entry.bundle
            shadowed.disable(
                "the daemon uses another copy of this identifier: \(used.path). This one serves only the connection that registered it"
            )
            return RegisteredCopy(alone: shadowed, registered: entry.bundle.registration ?? 0, terms: nil)
        }
    }
}
