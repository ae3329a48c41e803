// ServicePresence: notifications to the service manager: ready, status, watchdog, reloading and stopping.

import EventLoop
import ExtensionProtocol
import Glibc
import Logging

/// Sends notifications to the service manager that started this process (sd_notify(3)).
@HostActor
final class ServicePresence {
    /// The minimum interval between two status lines.
    private static let rest = Duration.seconds(1)

    private let context: DaemonContext
    private let inventory: Inventory
    private var told: String?
    private var pause: Deadline?

    /// Returns nil where no manager listens.
    init?(_ context: DaemonContext, _ inventory: Inventory) {
        guard getenv("NOTIFY_SOCKET") != nil else { return nil }
        self.context = context
        self.inventory = inventory
    }

    /// Reports that hosts can be served.
    ///
    /// From now on the loop regularly feeds the manager's watchdog, if the manager wants that (`WatchdogSec=`).
    func serves() {
        let summary = summary
        told = summary
        send(.ready, .status(summary))
        do throws(LoopError) {
            try EventLoop.shared.feedWatchdog()
        } catch {
            context.logger.error("the watchdog gets no signal, and systemd will stop the daemon: \(error)")
        }
    }

    /// Reports the counts if they have changed.
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
        send(.stopping, .status("Stopping: \(summary)"))
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

    /// Sends the notifications. Errors are ignored: the daemon cannot mend a manager that is gone or does not listen.
    private func send(_ notifications: ServiceNotification...) {
        for notification in notifications { _ = try? ServiceNotification.send(notification) }
    }
}
