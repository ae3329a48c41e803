// LaunchCapabilities: the means of tree kill and the layers of confinement that this machine has, probed once, before
// the first launch.

import EventLoop
import ExtensionProtocol
import LinuxSystem
import Logging

/// The means of tree kill and the layers of confinement, which real children on a thread of their own try
/// (`TreeKillProbe`, `SandboxProbe`).
///
/// The probe takes some milliseconds of a start, or of the first launch of a private daemon. Nothing is launched, and
/// no client gets the result, before it is over.
@HostActor
final class LaunchCapabilities {
    /// A function that gets the reason why the probe could not run, else nil.
    typealias Body = @HostActor (_ failure: ExtensionHostError?) -> Void

    private enum Search {
        case wanted
        case running
        case done
    }

    private let context: DaemonContext
    private let limiter: Limiter
    private var search = Search.wanted
    private var waiting: [Body] = []
    /// The means that holds the processes of an extension together.
    private(set) var treeKill = TreeKill.session
    /// The layers that confine extensions, as far as the machine has them and the settings want them.
    private(set) var sandbox = ConfinementLayers.none
    /// The layers that were asked for and are not in force, each with its reason.
    private(set) var missingLayers: [String] = []
    /// The reason why nothing is launched: a required layer is not available. Nil where extensions are launched.
    private(set) var problem: ExtensionHostError?

    init(_ context: DaemonContext, _ limiter: Limiter) {
        self.context = context
        self.limiter = limiter
    }

    var areKnown: Bool { if case .done = search { true } else { false } }

    /// Calls `body` once the probe is over, or at once if it is over already. The first call starts the probe.
    func whenKnown(_ body: @escaping Body) {
        guard !areKnown else { return body(nil) }
        waiting.append(body)
        guard case .wanted = search else { return }
        search = .running
        // A virtual clock does not advance before the probe is over.
        let rest = context.scheduler?.beginWork()
        let (initProgram, wanted, demand) = (
            context.options.initProgram, context.options.treeKill, context.settings.sandbox
        )
        let identity = context.probeIdentity
        do {
            try startThread(named: "exthost-probe") {
                let probe = TreeKillProbe(initProgram, wanted: wanted, as: identity)
                let sandbox = SandboxProbe(initProgram, demand, enclosedBy: probe, wanted: wanted, as: identity)
                Task { @HostActor [weak self] in
                    self?.found(probe, sandbox)
                    rest?()
                }
            }
        } catch {
            // The next call may find a thread.
            search = .wanted
            release(
                ExtensionHostError(
                    .launchFailed, "the test of the confinement and the process trees of this machine could not run",
                    remedy: "Allow the daemon more threads, then try again", cause: "\(error)"))
            rest?()
        }
    }

    private func found(_ probe: TreeKillProbe, _ layers: SandboxProbe) {
        search = .done
        let logger = context.logger
        (sandbox, missingLayers) = (layers.layers, layers.problems)
        problem = layers.error
        treeKill = probe.found
        if let problem {
            logger.error("\(problem)")
        } else {
            for problem in layers.problems { logger.warning("confinement by \(layers.layers): \(problem)") }
            for problem in probe.problems { logger.warning("tree kill by \(probe.found.rawValue): \(problem)") }
        }
        limiter.start(probe.found, probe.trees)
        release(nil)
    }

    private func release(_ failure: ExtensionHostError?) {
        let bodies = waiting
        waiting = []
        for body in bodies { body(failure) }
    }
}
