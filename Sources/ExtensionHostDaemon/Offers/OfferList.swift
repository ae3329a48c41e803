// OfferList: the extensions that one connection may be offered, each with what decides.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import UniformTypeIdentifiers

/// Where the types come from that conformance is asked of.
struct TypeSource: Sendable {
    let registry: ExtensionRegistry
    /// Declared by what the connection itself has registered.
    let own: [DeclaredType]

    /// Whether the table is at hand; else making it takes some milliseconds.
    var isReady: Bool { own.isEmpty }

    var table: TypeTable { own.isEmpty ? registry.types : TypeTable(declaring: registry.declaredTypes + own) }
}

extension Engine {
    /// What decides whether a bundle that `bundle(_:for:)` gave is offered; nil of one that is disabled.
    func terms(of bundle: ExtensionBundle) -> OfferTerms? {
        bundle.registration == nil ? registry.terms(of: bundle) : registrations.terms(of: bundle)
    }

    func typeSource(for owner: Registrations.Owner) -> TypeSource {
        TypeSource(registry: registry, own: registrations.types(of: owner))
    }

    /// The copy of `identifier` that `owner` would get, if it can be used.
    func candidate(_ identifier: String, for owner: Registrations.Owner) -> OfferCandidate? {
        guard let bundle = bundle(identifier, for: owner), bundle.problems.isEmpty, let terms = terms(of: bundle) else {
            return nil
        }
        return OfferCandidate(bundle: bundle, terms: terms, isIgnored: isIgnored(bundle))
    }

    /// Every extension that `owner` can use, in the order of identifiers; those that the user has switched off among them.
    func candidates(for owner: Registrations.Owner) -> [OfferCandidate] {
        let registered = registrations.identifiers
        let candidates = registry.offers.lazy
            .filter { !registered.contains($0.copy.bundle.identifier) }
            .map { OfferCandidate(bundle: $0.copy.bundle, terms: $0.terms, isIgnored: $0.copy.election == .ignore) }
        let own = registered.compactMap { candidate($0, for: owner) }
        return own.isEmpty ? Array(candidates) : (Array(candidates) + own).sorted { $0.bundle.identifier < $1.bundle.identifier }
    }
}
