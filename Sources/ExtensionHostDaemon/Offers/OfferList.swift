// OfferList: the extensions that one connection may be offered, each with its terms.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import UniformTypeIdentifiers

extension BundleCatalog {
    /// Returns the terms on which a bundle from `bundle(_:for:)` is offered; nil for a disabled bundle.
    func terms(of bundle: ExtensionBundle) -> OfferTerms? {
        bundle.registration == nil ? registry.terms(of: bundle) : registrations.terms(of: bundle)
    }

    func typeSource(for owner: Registrations.Owner) -> TypeSource {
        TypeSource(registry: registry, own: registrations.types(of: owner))
    }

    /// Returns the copy of `identifier` that `owner` would get, if the copy can be used.
    func candidate(_ identifier: String, for owner: Registrations.Owner) -> OfferCandidate? {
        guard let bundle = bundle(identifier, for: owner), bundle.problems.isEmpty, let terms = terms(of: bundle) else {
            return nil
        }
        return OfferCandidate(bundle: bundle, terms: terms, isIgnored: isIgnored(bundle))
    }

    /// Returns a page of the extensions that `owner` can use, ordered by identifier. It includes those that the user
    /// has switched off.
    ///
    /// - Returns: at most `limit` extensions from the position `first` on, and the number of all.
    func candidates(for owner: Registrations.Owner, from first: Int, limit: Int) -> (page: [OfferCandidate], count: Int)
    {
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
        // A connection's own registration replaces the copy in the registry, wherever it is in the order.
        let own = registered.compactMap { candidate($0, for: owner) }
        let all = (candidates(0..<registry.offerCount).filter { !registered.contains($0.bundle.identifier) } + own)
            .sorted { $0.bundle.identifier < $1.bundle.identifier }
        return (Array(all.dropFirst(max(0, first)).prefix(limit)), all.count)
    }
}
