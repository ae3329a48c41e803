// UndeliveredExits: ends of requests and processes that hosts of the last daemon have not received; pure.

import ExtensionProtocol

/// The ends that came while their host was away.
struct UndeliveredExits {
    /// The ends of requests, until their host has them.
    var finished: [RequestIdentifier: Finished] = [:]
    /// The ends of processes, by the name of the host.
    private var exited: [String: [Exited]] = [:]

    var isEmpty: Bool { exited.isEmpty }

    mutating func add(_ end: Exited, to host: String) { exited[host, default: []].append(end) }

    func has(_ process: Int, for host: String) -> Bool { exited[host]?.contains { $0.process == process } == true }

    /// Whether any host must still hear of the end of this process.
    func has(_ process: Int) -> Bool { exited.keys.contains { has(process, for: $0) } }

    /// Removes and returns the exits that this host gets now: those of processes without unfinished requests of the
    /// host.
    mutating func take(of host: String, allBut open: Set<Int>) -> [Exited] {
        let all = exited[host] ?? []
        let waiting = all.filter { open.contains($0.process) }
        exited[host] = waiting.isEmpty ? nil : waiting
        return all.filter { !open.contains($0.process) }
    }

    /// Drops a host that is gone for good.
    ///
    /// - Returns: the processes whose ends the host had not received.
    mutating func drop(_ host: String) -> [Int] { (exited.removeValue(forKey: host) ?? []).map(\.process) }
}

extension Finished {
    /// Returns the end of a request that was begun with another daemon; only the cause is known.
    ///
    /// - Parameter created: the time of its creation on the daemon's clock.
    static func afterRestart(
        _ request: RequestIdentifier, _ cause: Cause, process: Int? = nil, to hostState: HostStateName, created: UInt64
    ) -> Finished {
        Finished(
            request: request, cause: cause, detail: cause == .daemonRestarted ? .daemonRestarted : nil, pid: nil,
            process: process,
            hostState: hostState, created: Int(clamping: created), timings: Timings(), refusals: [])
    }
}
