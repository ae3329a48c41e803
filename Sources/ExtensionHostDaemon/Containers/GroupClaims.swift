// GroupClaims: which vendors name an app group, so that no app joins another vendor's without the operator's consent.

import ExtensionProtocol
import ExtensionRegistry

/// Of one picture of the registry.
struct GroupClaims: Sendable {
    private var vendors: [GroupIdentifier: Set<VendorPrefix>] = [:]

    /// Reads two small files of each bundle.
    init(of bundles: [ExtensionBundle]) {
        for bundle in bundles {
            let vendor = VendorPrefix(identifier: bundle.identifier)
            for group in GroupEntitlements(of: bundle).held { vendors[group, default: []].insert(vendor) }
        }
    }

    /// The groups that a bundle does not get, each with the reason: another vendor names it too, it is not named after the bundle's own
    /// vendor, and the operator has not said that it is shared.
    func foreign(_ held: [GroupIdentifier], of identifier: String) -> [GroupIdentifier: String] {
        let vendor = VendorPrefix(identifier: identifier)
        var foreign: [GroupIdentifier: String] = [:]
        for group in held where VendorPrefix(group: group) != vendor {
            guard let other = vendors[group]?.filter({ $0 != vendor }).min() else { continue }
            foreign[group] =
                "it is an app group of \(other), and this bundle is of \(vendor); an operator who wants them to share it adds it to "
                + "SharedGroups in the configuration"
        }
        return foreign
    }
}

extension Engine {
    /// What a bundle holds, of its files as they are now.
    func entitlements(of bundle: ExtensionBundle) -> GroupEntitlements { consented(GroupEntitlements(of: bundle), of: bundle) }

    /// The same without the groups of other vendors. Reads two small files of all bundles, once for a picture of the registry, where the bundle asks
    /// for a group that is not named after its vendor.
    func consented(_ entitlements: GroupEntitlements, of bundle: ExtensionBundle) -> GroupEntitlements {
        let vendor = VendorPrefix(identifier: bundle.identifier)
        let strange = entitlements.held.filter { VendorPrefix(group: $0) != vendor && !settings.sharedGroups.contains($0) }
        guard !strange.isEmpty, !settings.sharesAllGroups else { return entitlements }
        let claims = groupClaims ?? GroupClaims(of: registry.copies.map(\.bundle).filter { $0.problems.isEmpty })
        groupClaims = claims
        let foreign = claims.foreign(strange, of: bundle.identifier)
        return foreign.isEmpty ? entitlements : entitlements.refusing(foreign)
    }
}
