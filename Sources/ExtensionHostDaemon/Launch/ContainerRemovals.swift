// ContainerRemovals: the containers of what was removed, from the order to the deletion.

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

    /// Deletes the containers that nobody else claims, once no process of the removed runs. `answer` learns what that will be, before it is done;
    /// nil where there is no thread to find it on, and then nothing is deleted.
    ///
    /// From this call on requests for the removed extensions, should they be registered again, wait until it is done.
    func removeContainers(
        of path: String, _ removed: [ExtensionBundle], remaining: [ExtensionBundle], in folder: ContainerFolder,
        answer: @escaping @HostActor @Sendable (ContainerRemoval?) -> Void
    ) {
        // The app's own process, too, where it runs.
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
            context.logger.warning("containers of \(path) are left, for there is no thread to find them on: \(error)")
            endRemoval(number)
            answer(nil)
        }
    }

    /// Takes the containers away once no process of these extensions runs, and lets a thread delete them.
    private func carryOut(_ removal: ContainerRemoval, of identifiers: Set<String>, _ number: Int, in folder: ContainerFolder) {
        guard !removal.deleted.isEmpty else { return endRemoval(number) }
        if let running = inventory.processes.values.first(where: { identifiers.contains($0.bundle.identifier) && !$0.isOver }) {
            return running.whenOver { [weak self] in self?.carryOut(removal, of: identifiers, number, in: folder) }
        }
        // A member of the group that was registered and launched meanwhile.
        let used = Set(inventory.processes.values.filter { !$0.isOver }.flatMap { launcher.containers[$0.number]?.paths ?? [] })
        let logger = context.logger
        for path in removal.deleted {
            guard !used.contains(path) else {
                logger.info("the container of a removed bundle is used by another, and stays: \(path)")
                continue
            }
            do {
                _ = try folder.retire(path)
            } catch {
                logger.warning("a container of a removed bundle is left: \(path): \(error)")
            }
        }
        endRemoval(number)
        deleteRetired(in: folder)
    }

    private func endRemoval(_ number: Int) {
        for body in pending.end(number) { body() }
    }

    /// Also what a daemon that was killed has left.
    func deleteRetired(in folder: ContainerFolder) {
        let logger = context.logger
        do {
            try startThread(named: "containers") {
                for failure in folder.deleteRetired() { logger.warning("a container that was removed is left: \(failure)") }
            }
        } catch {
            logger.warning("containers that were removed are left in \(folder.path): \(error)")
        }
    }
}
