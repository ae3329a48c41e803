// LaunchGate: whether the daemon can launch a process at the moment.

import EventLoop
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry

/// What every launch has to wait for, or fails of, whatever it is for: the removal of the extension's containers, the means to
/// confine and to kill a process, and the means to limit one.
@HostActor
struct LaunchGate {
    let means: LaunchCapabilities
    let limiter: Limiter
    let removals: ContainerRemovals

    /// Whether a process of this extension or app can be launched now.
    func isOpen(for bundle: ExtensionBundle) -> Bool {
        !removals.concerns(bundle.identifier) && means.areKnown && means.problem == nil && areLimitsKnown(of: bundle)
    }

    /// The same, and otherwise `later` is called: with the error if nothing can be launched, else once that may have changed.
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

    /// The first launch that has a limit waits until it is known how limits are enforced here.
    private func areLimitsKnown(of bundle: ExtensionBundle) -> Bool { limiter.isReady || limiter.limits(of: bundle).isEmpty }
}
