// Prewarming: the launch of processes ahead of requests, for extensions that have been used.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import Logging

/// Launches as many waiting processes of each program as the extension's point says (`ExtensionPoint.prewarm`).
///
/// The model decides which are missing (`PrewarmBook`). This class launches them, and ends those that no request would
/// get.
@HostActor
final class Prewarming {
    /// The numbers of waiting processes: of all extensions, and of one user in the system's daemon, so that no user
    /// takes all the room.
    static let limit = 64
    static let limitOfUser = 16
    /// The time from a use to the launch, so that the request of that use is answered first if that does not take long.
    ///
    /// The time is real. Under a virtual clock each launch has its turn, before the next order.
    private static let pause = Duration.milliseconds(5)

    private let context: DaemonContext
    private let inventory: Inventory
    private let catalog: BundleCatalog
    private let launcher: Launcher
    private let gate: LaunchGate
    private var timer: TimerSource?
    private var hasSaidLimit = false

    init(
        _ context: DaemonContext, _ inventory: Inventory, _ catalog: BundleCatalog, _ launcher: Launcher,
        _ gate: LaunchGate
    ) {
        self.context = context
        self.inventory = inventory
        self.catalog = catalog
        self.launcher = launcher
        self.gate = gate
        do {
            timer = try TimerSource(priority: .idle) { [weak self] in self?.turn() }
        } catch {
            context.logger.error("the daemon launches no process ahead of a request: \(error)")
        }
    }

    func schedule() {
        if let scheduler = context.scheduler { return scheduler.send { [weak self] in self?.turn() } }
        timer?.arm(after: Self.pause)
    }

    private func turn() { context.driver.post(.prewarm) }

    func launch(_ program: Program) {
        guard let (bundle, identity) = inventory.programs[program], !context.isStopping,
            catalog.isUsed(bundle, by: identity), launcher.program(of: bundle, as: identity) == program,
            gate.isOpen(for: bundle)
        else { return context.driver.post(.notPrewarmed(program)) }
        context.driver.tell(.spawning(extension: bundle.identifier))
        do throws(ExtensionHostError) {
            _ = try launcher.launch(bundle, as: identity)
        } catch {
            // The launcher has reported the error.
            context.driver.post(.notPrewarmed(program))
        }
    }

    func reachedLimit(waiting: Int, ofUser: Int) {
        if !hasSaidLimit {
            context.logger.warning(
                "\(ofUser) processes wait for a request, \(waiting) of all users, which is the limit: the daemon launches no more ahead"
            )
        }
        hasSaidLimit = true
    }

    /// Ends all waiting processes, because later requests have other timers and limits.
    func outdateAll() { outdate { _ in true } }

    /// Ends the waiting processes that no request would get any more, and removes unused programs.
    ///
    /// The registry may have changed, or a connection may have ended together with what it had registered.
    func reconsider() {
        outdate {
            !catalog.isUsed($0.bundle, by: $0.identity)
                || launcher.program(of: $0.bundle, as: $0.identity) != $0.program
        }
        let running = Set(inventory.processes.values.map(\.program))
        inventory.programs.prune { running.contains($0) || catalog.isUsed($1, by: $2) }
    }

    private func outdate(where isOutdated: (ExtensionProcess) -> Bool) {
        for process in inventory.processesInOrder where process.isWaiting && isOutdated(process) {
            context.order { [weak process] in process?.outdate() }
        }
    }
}
