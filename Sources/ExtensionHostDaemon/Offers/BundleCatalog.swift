// BundleCatalog: the bundles that the daemon knows: the registry's latest picture, and what connections have registered.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import Logging

/// Which bundle a name stands for, and what that bundle holds. `Discovery` finds bundles on a thread of its own; a new picture comes whole.
@HostActor
final class BundleCatalog {
    private let context: DaemonContext
    let registrations = Registrations()
    private(set) var registry = ExtensionRegistry() {
        didSet {
            groupClaims = nil
            pictures += 1
        }
    }
    /// How often the picture has changed.
    private(set) var pictures = 0
    /// The claims of app groups in this picture; nil before the first question.
    var groupClaims: GroupClaims?
    /// Finds extensions and keeps elections; nil until the daemon starts.
    var discovery: Discovery?
    /// Why elections and registrations are not kept, though they should be.
    private(set) var stateProblem: ExtensionHostError?
    /// How changes of the folders are learnt of.
    private(set) var watching = Discovery.Watching.starting

    init(_ context: DaemonContext) { self.context = context }

    /// Takes over a new picture.
    func adopt(_ delivery: Discovery.Delivery) {
        registry = delivery.registry
        stateProblem = delivery.stateProblem
        watching = delivery.watching
        for notice in delivery.notices { context.logger.warning("\(notice)") }
    }

    /// Whether the user has switched this extension off. Not for the connection that registered it for itself.
    func isIgnored(_ bundle: ExtensionBundle) -> Bool {
        bundle.registration == nil && registry.election(of: bundle.identifier) == .ignore
    }

    /// The copy of `identifier` that `owner` gets: its own registration, else the installed one, else another's registration.
    func bundle(_ identifier: String, for owner: Registrations.Owner) -> ExtensionBundle? {
        registrations.bundle(identifier, of: owner) ?? registry[identifier]?.bundle ?? registrations.bundle(identifier)
    }

    /// Whether this is the copy that a request of this user would be given.
    func isUsed(_ bundle: ExtensionBundle, by identity: UserIdentity?) -> Bool {
        guard bundle.problems.isEmpty, !isIgnored(bundle) else { return false }
        if let identity, SystemService.problem(of: identity, bundle, owner: context.owner) != nil { return false }
        return bundle.registration == nil
            ? registry[bundle.identifier]?.bundle == bundle : registrations.contains(bundle)
    }

    /// The error for a name that nothing has. It names those that were probably meant.
    func noSuchExtension(_ name: String, remedy: String) -> ExtensionHostError {
        .noSuchExtension(name, among: registry.winners.lazy.map(\.bundle.identifier), remedy: remedy)
    }

    /// The app groups that a bundle holds, read from its files.
    func entitlements(of bundle: ExtensionBundle) -> GroupEntitlements { consented(GroupEntitlements(of: bundle), of: bundle) }

    /// The same without the groups of other vendors. Reads two small files of all bundles, once for a picture of the registry, where the
    /// bundle asks for a group that is not named after its vendor.
    func consented(_ entitlements: GroupEntitlements, of bundle: ExtensionBundle) -> GroupEntitlements {
        guard entitlements.isStrange(to: bundle.identifier) else { return entitlements }
        let claims = groupClaims ?? GroupClaims(of: registry.usable)
        groupClaims = claims
        return claims.consented(entitlements, of: bundle.identifier, context.settings)
    }
}
