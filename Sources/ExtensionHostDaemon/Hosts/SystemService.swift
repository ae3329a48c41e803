// SystemService: the conditions on which the system's daemon serves a user.

import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// The system's daemon acts with the rights of the user who asks, and never with its own.
enum SystemService {
    /// Returns the error why no extension is launched for this user; nil if one may be.
    ///
    /// - Parameter owner: the daemon's own user.
    static func problem(of identity: UserIdentity, _ bundle: ExtensionBundle, owner: UInt32) -> ExtensionHostError? {
        let own =
            "Begin as an ordinary user; for root's own extensions use a daemon of root: exthostctl --user, or --ephemeral"
        guard identity.uid != 0 else {
            return ExtensionHostError(
                .notPermitted, "no extension runs with root's rights in the system's daemon", remedy: own)
        }
        guard identity.uid != owner else {
            return ExtensionHostError(
                .notPermitted, "no extension runs with the rights of the daemon's own user, \(owner)", remedy: own)
        }
        guard identity.fitsNamespace else {
            return ExtensionHostError(
                .notPermitted,
                "user \(identity.uid) is in \(identity.groups.count) groups, and an extension's namespace allows \(UserIdentity.groupsLimit)",
                remedy: "Begin from a process with fewer groups")
        }
        // The bundle may have changed hands since it was registered.
        guard let problem = BundleTrust.problem(of: bundle) else { return nil }
        return ExtensionHostError(.notPermitted, "\(bundle.identifier): \(problem)")
    }
}
