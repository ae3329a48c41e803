// Prewarming: processes that are launched ahead of a request, for extensions that have been used, and who may be given which of them.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import Logging

/// Keeps as many processes waiting as the extension's point says (`ExtensionPoint.prewarm`), of each copy of an extension and for each user.
///
/// Each use of an extension, a delivery or the taking of a process that waited, has the missing ones launched, one after the other. Nothing else
/// does: of an extension that dies while it waits the next one is launched after its next use.
@HostActor
final class Prewarming {
    /// Waiting processes of all extensions. In the system's daemon nobody takes all the room.
    static let limit = 64
    private var limitOfUser: Int { context.options.isSystem ? Self.limit / 4 : Self.limit }
    /// From a use to the launch, so that the request that it was for is answered first where that does not take long. Real time: under a virtual
    /// clock each launch has its turn, before whatever anybody orders next.
    private static let pause = Duration.milliseconds(5)

    private struct Use: Hashable {
        let bundle: ExtensionBundle
        let identity: UserIdentity?
    }

    private let context: DaemonContext
    private let inventory: Inventory
    private let catalog: BundleCatalog
    private let launcher: Launcher
    private let means: LaunchMeans
    private let limiter: Limiter
    private let breakers: CrashBreakers
    private let removals: ContainerRemovals
    /// Of which some may be missing, the first used first.
    private var wanted: [Use] = []
    /// Of which one has been launched and has not said hello.
    private var launching: Set<Use> = []
    private var timer: TimerSource?
    private var isScheduled = false
    private var hasSaidLimit = false

    init(
        _ context: DaemonContext, _ inventory: Inventory, _ catalog: BundleCatalog, _ launcher: Launcher, _ means: LaunchMeans,
        _ limiter: Limiter, _ breakers: CrashBreakers, _ removals: ContainerRemovals
    ) {
        self.context = context
        self.inventory = inventory
        self.catalog = catalog
        self.launcher = launcher
        self.means = means
        self.limiter = limiter
        self.breakers = breakers
        self.removals = removals
        do {
            timer = try TimerSource(priority: .idle) { [weak self] in self?.go() }
        } catch {
            context.logger.error("no process is launched ahead of a request: \(error)")
        }
    }

    /// A request of this extension was delivered.
    func delivered(_ bundle: ExtensionBundle, by identity: UserIdentity?) {
        if context.options.points[bundle.point].prewarm > 0 { used(bundle, by: identity) }
    }

    /// A request of this extension was delivered, or has taken a process that waited.
    func used(_ bundle: ExtensionBundle, by identity: UserIdentity?) {
        let use = Use(bundle: bundle, identity: identity)
        if !wanted.contains(use) { wanted.append(use) }
        schedule()
    }

    /// What begins from now on has other timers and limits than those that were launched ahead.
    func outdateAll() {
        for process in inventory.processesInOrder where process.isWaiting {
            context.order { [weak process] in process?.outdate() }
        }
    }

    /// The registry is another, or a connection has gone with what it registered: those that no request would be given any more end.
    func reconsider() {
        for process in inventory.processesInOrder where process.isWaiting && !catalog.isUsed(process.bundle, by: process.identity)
        {
            context.order { [weak process] in process?.outdate() }
        }
    }

    // MARK: Launches

    private func schedule() {
        guard !isScheduled, wanted.contains(where: { !launching.contains($0) }) else { return }
        isScheduled = true
        if let turns = context.turns { return turns.send { [weak self] in self?.go() } }
        timer?.arm(after: Self.pause)
    }

    /// One launch at a time: the loop has others to serve in between.
    private func go() {
        isScheduled = false
        guard let use = wanted.first(where: { !launching.contains($0) }) else { return }
        if !launchOne(use) { wanted.removeAll { $0 == use } }
        schedule()
    }

    /// - Returns: whether one was launched, so that more may be missing.
    private func launchOne(_ use: Use) -> Bool {
        let waiting = inventory.processes.values.filter(\.isWaiting)
        guard !context.isStopping, catalog.isUsed(use.bundle, by: use.identity), mayLaunch(use),
            waiting.count(where: { $0.takesRequests && $0.bundle == use.bundle && $0.identity == use.identity })
                < context.options.points[use.bundle.point].prewarm
        else { return false }
        let count = waiting.count { $0.identity?.uid == use.identity?.uid }
        guard waiting.count < Self.limit, count < limitOfUser else {
            if !hasSaidLimit {
                context.logger.warning(
                    "\(count) processes wait for a request, \(waiting.count) of all users, which is the limit: no more are launched ahead"
                )
            }
            hasSaidLimit = true
            return false
        }
        context.driver.tell(.spawning(extension: use.bundle.identifier))
        do throws(ExtensionHostError) {
            let process = try launcher.launch(use.bundle, as: use.identity)
            launching.insert(use)
            process.whenReady { [weak self, weak process] in
                guard let self else { return }
                launching.remove(use)
                // What dies at its launch is not launched again for nobody.
                if process?.isReady == true, process?.isEnding == false {
                    schedule()
                } else {
                    wanted.removeAll { $0 == use }
                }
            }
            return true
        } catch {
            return false
        }
    }

    /// Whether nothing stands against a launch that a request would have to wait for, or to be refused by.
    private func mayLaunch(_ use: Use) -> Bool {
        !removals.concerns(use.bundle.identifier) && means.areKnown
            && means.problem == nil
            && (limiter.isReady || limiter.limits(of: use.bundle).isEmpty)
            && !breakers.isBroken(use.bundle, of: use.identity?.uid)
    }
}
