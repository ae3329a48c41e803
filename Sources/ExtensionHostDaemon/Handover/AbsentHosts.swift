// AbsentHosts: hosts of the daemon before that are not back, and the ends that they have not heard of.

import EventLoop
import ExtensionProtocol

/// Empty in a daemon that follows no other. `DaemonHandover` fills it, and brings the hosts back or gives them up.
@HostActor
final class AbsentHosts {
    /// How long hosts and extensions of the daemon before have to come back: real time, since none of it is the model's.
    static let patience = Duration.seconds(5)

    private(set) var hosts: [String: HandedHost] = [:]
    /// Ends that they have not heard of.
    var undelivered = UndeliveredExits()

    nonisolated init() {}

    var isEmpty: Bool { hosts.isEmpty }

    func add(_ host: HandedHost) { hosts[host.name] = host }

    /// The host is back, or given up.
    ///
    /// - Returns: false if it was not awaited.
    func remove(_ name: String) -> Bool { hosts.removeValue(forKey: name) != nil }

    /// Whether the daemon waits for a host of this name.
    func contains(_ name: String) -> Bool { hosts[name] != nil }

    /// Notes the end of a request whose host is away.
    func owe(_ finished: Finished) { undelivered.finished[finished.request] = finished }

    /// Notes the end of a process that served a host, if that is away.
    func owe(_ exited: Exited, to name: String) { if contains(name) { undelivered.add(exited, to: name) } }
}
