// BundleCatalog: the bundles that the daemon knows: the registry's latest snapshot, and the registrations of
// connections.

import EventLoop
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import Logging
import PropertyListCoding

/// The bundle of each name, and what the bundle holds.
///
/// `Discovery` finds bundles on a thread of its own; it delivers each new snapshot as a whole.
@HostActor
final class BundleCatalog {
    private let context: DaemonContext
    let registrations: Registrations
    private(set) var registry = ExtensionRegistry() {
        didSet {
            groupClaims = nil
            pictures += 1
        }
    }
    /// The number of changes of the snapshot.
    private(set) var pictures = 0
    /// The claims to app groups in this snapshot; nil before the first question.
    var groupClaims: GroupClaims?
    /// Finds extensions and stores elections; nil until the daemon starts.
    var discovery: Discovery?
    /// The error why elections and registrations are not stored, though they should be.
    private(set) var stateProblem: ExtensionHostError?
    /// The way in which the daemon learns of changes of the folders.
    private(set) var watching = Discovery.Watching.starting

    init(_ context: DaemonContext) {
        self.context = context
        registrations = Registrations(on: context.settings.profile)
    }

    /// Takes over a new snapshot.
    func adopt(_ delivery: Discovery.Delivery) {
        registry = delivery.registry
        stateProblem = delivery.stateProblem
        watching = delivery.watching
        for notice in delivery.notices { context.logger.warning("\(notice)") }
    }

    /// Whether the user has switched this extension off. This does not affect the connection that registered the
    /// extension.
    func isIgnored(_ bundle: ExtensionBundle) -> Bool {
        bundle.registration == nil && registry.election(of: bundle.identifier) == .ignore
    }

    /// Returns the copy of `identifier` that `owner` gets: its own registration, else the installed one, else another's
    /// registration.
    func bundle(_ identifier: String, for owner: Registrations.Owner) -> ExtensionBundle? {
        registrations.bundle(identifier, of: owner) ?? registry[identifier]?.bundle ?? registrations.bundle(identifier)
    }

    /// Whether a request of this user would get this copy.
    func isUsed(_ bundle: ExtensionBundle, by identity: UserIdentity?) -> Bool {
        guard bundle.problems.isEmpty, !isIgnored(bundle) else { return false }
        if let identity, SystemService.problem(of: identity, bundle, owner: context.owner) != nil { return false }
        return bundle.registration == nil
            ? registry[bundle.identifier]?.bundle == bundle : registrations.contains(bundle)
    }

    /// Returns the error for an unknown name, with the names that were probably meant.
    func noSuchExtension(_ name: String, remedy: String) -> ExtensionHostError {
        .noSuchExtension(name, among: registry.winners.lazy.map(\.bundle.identifier), remedy: remedy)
    }

    /// Returns the app groups that a bundle holds, read from its files.
    func entitlements(of bundle: ExtensionBundle) -> GroupEntitlements {
        consented(GroupEntitlements(of: bundle), of: bundle)
    }

    /// Returns the error for a bundle without the entitlement that its point needs; nil if it needs none, or has it.
    ///
    /// - Parameter own: reads the bundle's entitlements, a small file. By default it is looked up anew: a launch passes
    ///   those of the bundle that it has opened.
    func entitlementProblem(
        of bundle: ExtensionBundle, own: (ExtensionBundle) -> Entitlements = { GroupEntitlements.read($0.path) }
    ) -> ExtensionHostError? {
        guard let required = context.options.points[bundle.point].entitlement else { return nil }
        guard bundle.isProgram || !required.isHeld(in: own(bundle).values) else { return nil }
        return ExtensionHostError(
            .notPermitted, "\(bundle.identifier) does not have the entitlement \(required)",
            remedy: "Add it to the extension's \(Entitlements.fileName)")
    }

    /// Returns the entitlements without the groups of other vendors.
    ///
    /// If a group is not named after the bundle's vendor, the call reads two small files of all bundles, once for a
    /// snapshot of the registry.
    func consented(_ entitlements: GroupEntitlements, of bundle: ExtensionBundle) -> GroupEntitlements {
        guard entitlements.isStrange(to: bundle.identifier) else { return entitlements }
        let claims = groupClaims ?? GroupClaims(of: registry.usable)
        groupClaims = claims
        return claims.consented(entitlements, of: bundle.identifier, context.settings)
    }
}
