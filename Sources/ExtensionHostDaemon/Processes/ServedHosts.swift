// ServedHosts: the hosts that a process has served: what it prints and its end are told to each of them.

import EventLoop
import ExtensionProtocol

/// None is kept alive by it. A process may serve thousands: those that have gone are forgotten with the next request.
@HostActor
struct ServedHosts {
    private struct Entry {
        weak var session: HostSession?
        /// It was another daemon's, and may come back.
        var isExpected = false
    }

    private var entries: [String: Entry] = [:]

    mutating func add(_ request: Request) {
        entries = entries.filter { $0.value.session != nil || $0.value.isExpected }
        entries[request.hostName] = Entry(session: request.host)
    }

    mutating func expect(_ names: Set<String>) {
        for name in names { entries[name] = Entry(session: nil, isExpected: true) }
    }

    mutating func isBack(_ host: HostSession) {
        if entries[host.name]?.isExpected == true { entries[host.name] = Entry(session: host) }
    }

    func show(_ bytes: [UInt8], of process: ExtensionProcess, _ stream: ProcessOutput.Stream) {
        for entry in entries.values { entry.session?.show(output: bytes, of: process, stream: stream.rawValue) }
    }

    /// Each is told once.
    ///
    /// - Parameter absent: told whose host is not back.
    mutating func tell(_ end: Exited, absent: (String) -> Void) {
        for (name, entry) in entries {
            entry.session?.peer.send(end)
            if entry.session == nil, entry.isExpected { absent(name) }
        }
        entries = [:]
    }
}
