// ContainerRemovals: the removal of the containers of removed bundles, from the order to the deletion.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import Logging

@HostActor
final class ContainerRemovals {
    private let context: DaemonContext
    private let inventory: Inventory
    private let launcher: Launcher
    private var pending = PendingRemovals<@HostActor () -> Void>()

    init(_ context: DaemonContext, _ inventory: Inventory, _ launcher: Launcher) {
        self.context = context
        self.inventory = inventory
        self.launcher = launcher
    }

    /// Whether a launch of this extension or app has to wait for a removal.
    func concerns(_ identifier: String) -> Bool { pending.concerns(identifier) }

    /// Calls `body` once no removal concerns this extension or app any more.
    func wait(for identifier: String, _ body: @escaping @HostActor () -> Void) { pending.wait(body, for: identifier) }

    /// Deletes the containers that no other bundle claims, once no process of the removed bundles runs.
    ///
    /// `answer` gets the list of these containers before the deletion. It gets nil if no thread can be started to find
    /// them, and then nothing is deleted.
    ///
    /// From this call until the removal is over, requests for the removed extensions wait if these are registered
    /// again.
    func removeContainers(
        of path: String, _ removed: [ExtensionBundle], remaining: [ExtensionBundle], in folder: ContainerFolder,
        answer: @escaping @HostActor @Sendable (ContainerRemoval?) -> Void
    ) {
        // The app's own process counts, too, if it runs.
        let apps = inventory.processes.values.map(\.bundle).filter { $0.isApp && $0.path == path }
        let identifiers = Set((removed + apps).map(\.identifier))
        let number = pending.begin(identifiers)
        do {
            try startThread(named: "containers") { [weak self] in
                let removal = ContainerRemoval(of: path, removed: removed, remaining: remaining, in: folder)
                Task { @HostActor in
                    answer(removal)
                    self?.carryOut(removal, of: identifiers, number, in: folder)
                }
            }
        } catch {
            context.logger.warning("containers of \(path) remain, because there is no thread to find them: \(error)")
            endRemoval(number)
            answer(nil)
        }
    }

    /// Moves the containers away once no process of these extensions runs, and starts a thread that deletes them.
    private func carryOut(
        _ removal: ContainerRemoval, of identifiers: Set<String>, _ number: Int, in folder: ContainerFolder
    ) {
        guard !removal.deleted.isEmpty else { return endRemoval(number) }
        if let running = inventory.processes.values.first(where: {
            identifiers.contains($0.bundle.identifier) && !$0.isOver
        }) {
            return running.whenOver { [weak self] in self?.carryOut(removal, of: identifiers, number, in: folder) }
        }
        // Another member of the group may have been registered and launched meanwhile.
        let used = Set(
            inventory.processes.values.filter { !$0.isOver }.flatMap { launcher.containers[$0.number]?.paths ?? [] })
        let logger = context.logger
        for path in removal.deleted {
            guard !used.contains(path) else {
                logger.info("the container of a removed bundle remains, because another bundle uses it: \(path)")
                continue
            }
            do {
                _ = try folder.retire(path)
            } catch {
                logger.warning("a container of a removed bundle remains: \(path): \(error)")
            }
        }
        endRemoval(number)
        deleteRetired(in: folder)
    }

    private func endRemoval(_ number: Int) {
        for body in pending.end(number) { body() }
    }

    /// Deletes the containers that were moved away, including those that a killed daemon has left.
    func deleteRetired(in folder: ContainerFolder) {
        let logger = context.logger
        do {
            try startThread(named: "containers") {
                for failure in folder.deleteRetired() { logger.warning("a removed container remains: \(failure)") }
            }
        } catch {
            logger.warning("removed containers remain in \(folder.path): \(error)")
        }
    }
}
