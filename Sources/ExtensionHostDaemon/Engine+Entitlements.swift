// Engine+Entitlements: what bundles hold of the app groups that they name, by the registry's picture of all of them.

import ExtensionProtocol
import ExtensionRegistry

extension Engine {
    /// The app groups that a bundle holds, read from its files.
    func entitlements(of bundle: ExtensionBundle) -> GroupEntitlements { consented(GroupEntitlements(of: bundle), of: bundle) }

    /// The same without the groups of other vendors. Reads two small files of all bundles, once for a picture of the registry, where the bundle asks
    /// for a group that is not named after its vendor.
    func consented(_ entitlements: GroupEntitlements, of bundle: ExtensionBundle) -> GroupEntitlements {
        guard entitlements.isStrange(to: bundle.identifier) else { return entitlements }
        let claims = groupClaims ?? GroupClaims(of: registry.usable)
        groupClaims = claims
        return claims.consented(entitlements, of: bundle.identifier, settings)
    }
}
