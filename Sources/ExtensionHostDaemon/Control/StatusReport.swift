// StatusReport: a summary of the daemon, from its parts.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

extension Engine {
    /// Returns the status, in which other users' items count only if `scope` includes them.
    func status(for scope: AccessScope) -> DaemonStatus {
        let death = inventory.deaths.last.flatMap { scope.includes($0.user) ? $0 : nil }
        let copies = catalog.registry.copies + catalog.registrations.listed(beside: catalog.registry)
        let memory = Self.residentMemory
        return DaemonStatus(
            version: context.options.version, pid: Int(getpid()), user: Int(geteuid()), started: context.started,
            time: Int(context.clock.wallClockNow / 1000), socket: context.socketPath, bus: bus,
            clock: context.options.clock.rawValue,
            extensions: copies.count { $0.isWinner }, disabled: copies.count { !$0.bundle.problems.isEmpty },
            processes: inventory.processes.values.count { scope.includes($0.user) },
            requests: inventory.requests.values.count { scope.includes($0.user) },
            hosts: inventory.hosts.values.count { scope.includes($0.credentials.uid) }, memory: memory.now,
            peakMemory: memory.peak,
            sandbox: launchCapabilities.sandbox.description,
            limits: limiter.summary, treeKill: launchCapabilities.treeKill.rawValue, lastDeath: death?.record,
            detail: death?.why, missing: launchCapabilities.missingLayers.map { $0.cut(toBytes: 512) },
            state: stateReport,
            breakers: Array(breakers.open(for: scope).prefix(64)), folders: shownFolders,
            watching: catalog.watching.rawValue, kept: handover?.summary, minimum: .lowest, maximum: .current)
    }

    /// The first folders, as many as leave room in the packet for everything else.
    private var shownFolders: [String] {
        var room = 16 * 1024
        return context.options.applications.prefix { folder in
            room -= folder.utf8.count + 8
            return room >= 0
        }
    }

    /// The folder that stores elections, or the reason why they are not stored.
    private var stateReport: String {
        if let stateProblem = catalog.stateProblem { return "not kept: \(stateProblem)" }
        return context.options.stateFolder ?? "kept in memory only"
    }

    /// The present and the peak resident memory in bytes, from `/proc/self/status`.
    static var residentMemory: (now: Int?, peak: Int?) {
        guard let text = try? readFile("/proc/self/status", maximumSize: 64 * 1024) else { return (nil, nil) }
        func kilobytes(_ name: String) -> Int? {
            let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }.map {
                $0 * 1024
            }
        }
        return (kilobytes("VmRSS:"), kilobytes("VmHWM:"))
    }
}
