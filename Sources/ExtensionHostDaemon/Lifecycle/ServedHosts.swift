// ServedHosts: the hosts that a process has served, which get its output and hear of its end.

import EventLoop
import ExtensionProtocol

/// The hosts of one process, by name, held weakly.
///
/// A process may serve thousands: `add` removes the hosts that are gone.
@HostActor
struct ServedHosts {
    private struct Entry {
        weak var host: Host?
        /// Whether the host was connected to another daemon and may reconnect.
        var isExpected = false
    }

    private var entries: [String: Entry] = [:]

    mutating func add(_ name: String, _ host: Host?) {
        entries = entries.filter { $0.value.host != nil || $0.value.isExpected }
        entries[name] = Entry(host: host)
    }

    mutating func expect(_ names: Set<String>) {
        for name in names { entries[name] = Entry(host: nil, isExpected: true) }
    }

    mutating func isBack(_ host: Host) {
        if entries[host.name]?.isExpected == true { entries[host.name] = Entry(host: host) }
    }

    func show(_ output: Output) { for entry in entries.values { entry.host?.show(output) } }

    /// Tells each host of the end of the process, once.
    ///
    /// - Parameter absent: called with the name of each host that has not reconnected yet.
    mutating func tell(_ end: Exited, absent: (String) -> Void) {
        for (name, entry) in entries {
            entry.host?.peer.send(end)
            if entry.host == nil, entry.isExpected { absent(name) }
        }
        entries = [:]
    }
}
