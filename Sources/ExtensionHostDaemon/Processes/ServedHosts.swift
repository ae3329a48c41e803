// ServedHosts: the hosts that a process has served: what it prints and its end are told to each of them.

import EventLoop
import ExtensionProtocol

/// None is kept alive by it. A process may serve thousands: those that have gone are forgotten with the next request.
@HostActor
struct ServedHosts {
    private struct Entry { weak var session: HostSession? }

    private var entries: [String: Entry] = [:]

    mutating func add(_ request: Request) {
        entries = entries.filter { $0.value.session != nil }
        entries[request.hostName] = Entry(session: request.host)
    }

    func show(_ bytes: [UInt8], of process: ExtensionProcess, _ stream: ProcessOutput.Stream) {
        for entry in entries.values { entry.session?.show(output: bytes, of: process, stream: stream.rawValue) }
    }

    /// Each is told once.
    mutating func tell(_ end: Exited) {
        for entry in entries.values { entry.session?.peer.send(end) }
        entries = [:]
    }
}
