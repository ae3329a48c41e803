// ServicePresence: what the service manager is told: that the daemon serves, what it does, that its loop turns, that it ends.

import EventLoop
import ExtensionProtocol
import Glibc
import Logging

/// Talks to the manager that started this process (sd_notify(3)); nothing where none did.
@HostActor
final class ServicePresence {
    /// Between two lines of status, however much happens.
    private static let rest = Duration.seconds(1)

    private let context: DaemonContext
    private let inventory: Inventory
    private var told: String?
    private var pause: Deadline?

    /// Nil where no manager listens.
    init?(_ context: DaemonContext, _ inventory: Inventory) {
        guard getenv("NOTIFY_SOCKET") != nil else { return nil }
        self.context = context
        self.inventory = inventory
    }

    /// Hosts can be served. From now on the manager hears regularly that the loop turns, if it wants to (`WatchdogSec=`).
    func serves() {
        let summary = summary
        told = summary
        send(.ready, .status(summary))
        do throws(LoopError) {
            try EventLoop.shared.feedWatchdog()
        } catch {
            context.logger.error("the watchdog is not fed, and will end the daemon: \(error)")
        }
    }

    /// The numbers may be others.
    func activityChanged() {
        guard told != nil, pause == nil, !context.isStopping else { return }
        let summary = summary
        guard summary != told else { return }
        told = summary
        send(.status(summary))
        pause = context.realClock.schedule(after: Self.rest) { [weak self] in
            self?.pause = nil
            self?.activityChanged()
        }
    }

    func reloads() { send(.reloading) }

    func hasReloaded() { send(.ready) }

    func stops() {
        pause = nil
        send(.stopping, .status("Ending what runs: \(summary)"))
    }

    private var summary: String {
        let counts = [
            count(inventory.hosts.count, "host"), count(inventory.requests.count, "request", " open"),
            count(inventory.processes.count, "process", many: "processes"),
        ]
        return context.isStopping ? counts.joined(separator: ", ") : "Serving " + counts.joined(separator: ", ")
    }

    private func count(_ number: Int, _ one: String, _ state: String = "", many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")\(state)"
    }

    /// A manager that is gone or does not listen is nothing that the daemon could mend.
    private func send(_ notifications: ServiceNotification...) {
        for notification in notifications { _ = try? ServiceNotification.send(notification) }
    }
}
