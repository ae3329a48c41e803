// UndeliveredExits: ends of requests and processes that hosts of the daemon before have not heard of; pure.

import ExtensionProtocol

/// What came to an end while its host was away.
struct UndeliveredExits {
    /// Of requests, until the host has it.
    var finished: [RequestIdentifier: Finished] = [:]
    /// Of processes, by the name of the host.
    private var exited: [String: [Exited]] = [:]

    var isEmpty: Bool { exited.isEmpty }

    mutating func add(_ end: Exited, to host: String) { exited[host, default: []].append(end) }

    func has(_ process: Int, for host: String) -> Bool { exited[host]?.contains { $0.process == process } == true }

    /// Whether any host is to hear of the end of this one.
    func has(_ process: Int) -> Bool { exited.keys.contains { has(process, for: $0) } }

    /// Those that this host is told now: of processes whose requests it has the ends of.
    mutating func take(of host: String, allBut open: Set<Int>) -> [Exited] {
        let all = exited[host] ?? []
        let waiting = all.filter { open.contains($0.process) }
        exited[host] = waiting.isEmpty ? nil : waiting
        return all.filter { !open.contains($0.process) }
    }

    /// The host is gone for good.
    ///
    /// - Returns: the processes that it was to hear of.
    mutating func drop(_ host: String) -> [Int] { (exited.removeValue(forKey: host) ?? []).map(\.process) }
}

extension Finished {
    /// Of a request that was begun with another daemon, of which only the cause is known.
    ///
    /// - Parameter created: on the daemon's clock.
    static func afterRestart(
        _ request: RequestIdentifier, _ cause: Cause, process: Int? = nil, to hostState: HostStateName, created: UInt64
    ) -> Finished {
        Finished(
            request: request, cause: cause, detail: cause == .daemonRestarted ? .daemonRestarted : nil, pid: nil,
            process: process,
            hostState: hostState, created: Int(clamping: created), timings: Timings(), refusals: [])
    }
}
