// GroupClaims: the vendors that name an app group. No app joins another vendor's group without the operator's consent.

import ExtensionProtocol
import ExtensionRegistry

/// The claims to app groups in one snapshot of the registry.
struct GroupClaims: Sendable {
    private var vendors: [GroupIdentifier: Set<VendorPrefix>] = [:]

    /// Reads two small files of each bundle.
    init(of bundles: [ExtensionBundle]) {
        for bundle in bundles {
            let vendor = VendorPrefix(identifier: bundle.identifier)
            for group in GroupEntitlements(of: bundle).held { vendors[group, default: []].insert(vendor) }
        }
    }

    /// Returns the entitlements of a bundle without the groups that it may not hold.
    ///
    /// A group that is not named after the bundle's vendor, and that another vendor names too, needs the operator's
    /// consent to be shared. The entitlements report the consent and the refusal.
    func consented(
        _ entitlements: GroupEntitlements, of identifier: String, _ settings: DaemonSettings
    ) -> GroupEntitlements {
        let vendor = VendorPrefix(identifier: identifier)
        var (refused, shared) = ([GroupIdentifier: String](), [GroupIdentifier: String]())
        for group in entitlements.held where VendorPrefix(group: group) != vendor {
            guard let other = vendors[group]?.filter({ $0 != vendor }).min() else { continue }
            let whose = "it is an app group of \(other), and this bundle belongs to \(vendor)"
            if settings.sharesAllGroups || settings.sharedGroups.contains(group) {
                shared[group] = whose + "; the operator allows them to share it (SharedGroups)"
            } else {
                refused[group] =
                    whose + "; to share it, an operator adds it to SharedGroups in the configuration"
            }
        }
        return refused.isEmpty && shared.isEmpty ? entitlements : entitlements.refusing(refused, sharing: shared)
    }
}

extension GroupEntitlements {
    /// Whether one of its groups is not named after the vendor of the bundle: then the claims of all bundles matter.
    func isStrange(to identifier: String) -> Bool {
        let vendor = VendorPrefix(identifier: identifier)
        return held.contains { VendorPrefix(group: $0) != vendor }
    }

    /// The reports about its groups, one line each.
    var notes: [String] {
        refused.map { "it does not have the app group \($0)" } + shared.map { "it has the app group \($0)" }
    }
}

extension ExtensionRegistry {
    /// Bundles that are not disabled.
    var usable: [ExtensionBundle] { copies.map(\.bundle).filter { $0.problems.isEmpty } }
}
