// LaunchGate: the check whether the daemon can launch a process now.

import EventLoop
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry

/// The conditions of every launch: no pending removal of the extension's containers, and known means to confine, kill
/// and limit a process.
@HostActor
struct LaunchGate {
    let means: LaunchCapabilities
    let limiter: Limiter
    let removals: ContainerRemovals

    /// Whether a process of this extension or app can be launched now.
    func isOpen(for bundle: ExtensionBundle) -> Bool {
        !removals.concerns(bundle.identifier) && means.areKnown && means.problem == nil && areLimitsKnown(of: bundle)
    }

    /// Whether a process can be launched now; if not, `later` is called.
    ///
    /// It gets the error if nothing can be launched at all; otherwise it is called with nil once that may have changed.
    func isOpen(for bundle: ExtensionBundle, orElse later: @escaping LaunchCapabilities.Body) -> Bool {
        if removals.concerns(bundle.identifier) {
            removals.wait(for: bundle.identifier) { later(nil) }
        } else if !means.areKnown {
            means.whenKnown(later)
        } else if let problem = means.problem {
            later(problem)
        } else if !areLimitsKnown(of: bundle) {
            limiter.whenReady { later(nil) }
        } else {
            return true
        }
        return false
    }

    /// Whether the limits of a bundle can be set. Its first launch with a limit waits for the probe of the means to
    /// enforce limits.
    private func areLimitsKnown(of bundle: ExtensionBundle) -> Bool {
        limiter.isReady || limiter.limits(of: bundle).isEmpty
    }
}
