// Prewarming: processes that are launched ahead of requests, for extensions that have been used.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import Logging

/// Keeps as many processes waiting as the extension's point says (`ExtensionPoint.prewarm`), of each program. The model decides which are
/// missing (`PrewarmBook`); this launches them, and ends those that no request would be given.
@HostActor
final class Prewarming {
    /// Waiting processes of all extensions, and of one user in the system's daemon: nobody takes all the room.
    static let limit = 64
    static let limitOfUser = 16
    /// From a use to the launch, so that the request that it was for is answered first where that does not take long. Real time: under a
    /// virtual clock each launch has its turn, before whatever anybody orders next.
    private static let pause = Duration.milliseconds(5)

    private let context: DaemonContext
    private let inventory: Inventory
    private let catalog: BundleCatalog
    private let launcher: Launcher
    private let gate: LaunchGate
    private var timer: TimerSource?
    private var hasSaidLimit = false

    init(
        _ context: DaemonContext, _ inventory: Inventory, _ catalog: BundleCatalog, _ launcher: Launcher, _ gate: LaunchGate
    ) {
        self.context = context
        self.inventory = inventory
        self.catalog = catalog
        self.launcher = launcher
        self.gate = gate
        do {
            timer = try TimerSource(priority: .idle) { [weak self] in self?.turn() }
        } catch {
            context.logger.error("no process is launched ahead of a request: \(error)")
        }
    }

    func schedule() {
        if let scheduler = context.scheduler { return scheduler.send { [weak self] in self?.turn() } }
        timer?.arm(after: Self.pause)
    }

    private func turn() { context.driver.post(.prewarm) }

    func launch(_ program: Program) {
        guard let (bundle, identity) = inventory.programs[program], !context.isStopping, catalog.isUsed(bundle, by: identity),
            gate.isOpen(for: bundle)
        else { return context.driver.post(.notPrewarmed(program)) }
        context.driver.tell(.spawning(extension: bundle.identifier))
        do throws(ExtensionHostError) {
            _ = try launcher.launch(bundle, as: identity)
        } catch {
            // The launcher has reported it.
            context.driver.post(.notPrewarmed(program))
        }
    }

    func reachedLimit(waiting: Int, ofUser: Int) {
        if !hasSaidLimit {
            context.logger.warning(
                "\(ofUser) processes wait for a request, \(waiting) of all users, which is the limit: no more are launched ahead")
        }
        hasSaidLimit = true
    }

    /// Requests that begin from now on have other timers and limits than the processes that wait.
    func outdateAll() { outdate { _ in true } }

    /// The registry is another, or a connection has gone with what it registered. The processes that no request would be given any more
    /// end.
    func reconsider() {
        outdate { !catalog.isUsed($0.bundle, by: $0.identity) }
        let running = Set(inventory.processes.values.map(\.program))
        inventory.programs.prune { running.contains($0) || catalog.isUsed($1, by: $2) }
    }

    private func outdate(where isOutdated: (ExtensionProcess) -> Bool) {
        for process in inventory.processesInOrder where process.isWaiting && isOutdated(process) {
            context.order { [weak process] in process?.outdate() }
        }
    }
}
