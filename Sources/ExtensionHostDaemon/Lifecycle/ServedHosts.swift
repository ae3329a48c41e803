// ServedHosts: the hosts that a process has served: what it prints and its end are told to each of them.

import EventLoop
import ExtensionProtocol

/// None is kept alive by it. A process may serve thousands: those that have gone are forgotten with the next request.
@HostActor
struct ServedHosts {
    private struct Entry {
        weak var host: Host?
        /// It was another daemon's, and may come back.
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

    /// Each is told once.
    ///
    /// - Parameter absent: told whose host is not back.
    mutating func tell(_ end: Exited, absent: (String) -> Void) {
        for (name, entry) in entries {
            entry.host?.peer.send(end)
            if entry.host == nil, entry.isExpected { absent(name) }
        }
        entries = [:]
    }
}
