// OfferList: the extensions that one connection may be offered, each with what decides.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import UniformTypeIdentifiers

extension BundleCatalog {
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

    /// A page of the extensions that `owner` can use, in the order of identifiers; those that the user has switched off among them.
    ///
    /// - Returns: at most `limit` from the place `first` on, and how many there are in all.
    func candidates(for owner: Registrations.Owner, from first: Int, limit: Int) -> (page: [OfferCandidate], count: Int) {
        func candidates(_ places: Range<Int>) -> [OfferCandidate] {
            registry.offers(places).map {
                OfferCandidate(bundle: $0.copy.bundle, terms: $0.terms, isIgnored: $0.copy.election == .ignore)
            }
        }
        let registered = registrations.identifiers
        guard !registered.isEmpty else {
            let count = registry.offerCount
            let first = min(max(0, first), count)
            return (candidates(first..<min(first + limit, count)), count)
        }
        // What a connection has registered for itself takes the place of a copy in the registry, wherever it stands.
        let own = registered.compactMap { candidate($0, for: owner) }
        let all = (candidates(0..<registry.offerCount).filter { !registered.contains($0.bundle.identifier) } + own)
            .sorted { $0.bundle.identifier < $1.bundle.identifier }
        return (Array(all.dropFirst(max(0, first)).prefix(limit)), all.count)
    }
}
