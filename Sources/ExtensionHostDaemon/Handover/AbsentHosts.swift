// AbsentHosts: hosts of the last daemon that have not reconnected, and the ends that they have not received.

import EventLoop
import ExtensionProtocol

/// The awaited hosts; empty in a daemon that follows no other.
///
/// `DaemonHandover` adds the hosts, and removes each one when it reconnects or is given up.
@HostActor
final class AbsentHosts {
    /// The time that hosts and extensions of the last daemon have to reconnect. It is real time, because it is not the
    /// model's.
    static let patience = Duration.seconds(5)

    private(set) var hosts: [String: HandedHost] = [:]
    /// The handler for the time from which no host is awaited.
    var onEmpty: @HostActor () -> Void = {}
    /// Ends that the absent hosts have not received.
    var undelivered = UndeliveredExits()

    nonisolated init() {}

    var isEmpty: Bool { hosts.isEmpty }

    func add(_ host: HandedHost) { hosts[host.name] = host }

    /// Removes a host that has reconnected or was given up.
    ///
    /// - Returns: false if it was not awaited.
    func remove(_ name: String) -> Bool {
        let wasAwaited = hosts.removeValue(forKey: name) != nil
        if wasAwaited, hosts.isEmpty { onEmpty() }
        return wasAwaited
    }

    /// Whether the daemon waits for a host of this name.
    func contains(_ name: String) -> Bool { hosts[name] != nil }

    /// Records the end of a request whose host is away.
    func owe(_ finished: Finished) { undelivered.finished[finished.request] = finished }

    /// Records the end of a process that served a host, if the host is away.
    func owe(_ exited: Exited, to name: String) { if contains(name) { undelivered.add(exited, to: name) } }
}
