// LimitFindings: checks of the limits of descriptors and processes, and of the clocks.

import ExtensionProtocol
import Glibc
import LinuxSystem

struct LimitFindings {
    let subject: DoctorSubject

    func findings() -> [DoctorFinding] { [descriptors, processes, clock] }

    // MARK: Limits

    /// The descriptors that about a hundred hosts, as many extensions and their values need.
    private static let comfortable = 4096
    private static let least = 256

    /// Returns a limit of `/proc/PID/limits`: the daemon's, else this program's, which a daemon started here would
    /// inherit.
    private func limit(_ name: String) -> (soft: Int?, hard: Int?)? {
        let process = subject.daemon.map { "\($0.status.pid)" } ?? "self"
        let text =
            (try? readFile("/proc/\(process)/limits", maximumSize: 64 * 1024))
            ?? (try? readFile("/proc/self/limits", maximumSize: 64 * 1024))
        guard let text,
            let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first(where: { $0.hasPrefix(name) })
        else { return nil }
        let words = line.dropFirst(name.count).split(separator: " ")
        guard words.count >= 2 else { return nil }
        return (Int(words[0]), Int(words[1]))
    }

    private var descriptors: DoctorFinding {
        guard let limit = limit("Max open files") else {
            return .warning(.descriptors, "/proc does not have the limit", remedy: "Mount /proc")
        }
        // A daemon raises its soft limit to the hard one at its start.
        let room = (subject.daemon == nil ? limit.hard : limit.soft) ?? .max
        let used = subject.daemon.flatMap {
            try? listDirectory("/proc/\($0.status.pid)/fd", maximumCount: 1 << 20).count
        }
        let found =
            (used.map { "the daemon has \($0) of " } ?? "a daemon may have ")
            + (room == .max ? "any number" : "\(room)")
        let remedy = "Raise ulimit -n, LimitNOFILE= of the service, or the limit in /etc/security/limits.conf"
        if room < Self.least || used.map({ $0 + 16 >= room }) == true {
            return .problem(.descriptors, found, remedy: remedy)
        }
        if room < Self.comfortable || used.map({ $0 >= room / 10 * 9 }) == true {
            return .warning(.descriptors, found, remedy: remedy)
        }
        return .ok(.descriptors, found)
    }

    private var processes: DoctorFinding {
        let used = Self.tasks(of: subject.user)
        let remedy = "Stop some, or raise ulimit -u, or TasksMax= of the service or the user's slice"
        // The limit of setrlimit(2) does not bind root.
        let own = subject.user == 0 ? nil : limit("Max processes")?.soft
        var found = "user \(subject.user) has \(used) processes and threads" + (own.map { " of \($0)" } ?? "")
        var left = own.map { $0 - used }
        if let group = KernelCapabilities.controlGroup, let most = Self.number(group.path + "/pids.max"),
            let now = Self.number(group.path + "/pids.current")
        {
            found += ", its control group \(now) of \(most)"
            left = min(left ?? .max, most - now)
        }
        guard let left else { return .ok(.processes, found + "; there is no limit") }
        if left < 8 { return .problem(.processes, found, remedy: remedy) }
        if left < 64 { return .warning(.processes, found, remedy: remedy) }
        return .ok(.processes, found)
    }

    private static func number(_ path: String) -> Int? {
        (try? readFile(path, maximumSize: 64)).flatMap {
            Int(String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace })
        }
    }

    /// Returns the number of a user's tasks. Threads count as processes do (setrlimit(2)).
    private static func tasks(of user: uid_t) -> Int {
        var count = 0
        for pid in (try? listDirectory("/proc", maximumCount: 65_536)) ?? [] where pid.first?.isNumber == true {
            guard FileLook("/proc/\(pid)")?.owner == user else { continue }
            // The link count of a task folder gives the number of its entries (proc(5)). A process that has ended
            // meanwhile has none.
            var status = stat()
            if stat("/proc/\(pid)/task", &status) == 0 { count += max(1, Int(status.st_nlink) - 2) }
        }
        return count
    }

    // MARK: Clocks

    /// The date 2024-01-01 in seconds since 1970, before which no version of this program existed.
    private static let earliest = 1_704_067_200
    /// The seconds by which two clocks may differ.
    private static let tolerance = 2.0

    private var clock: DoctorFinding {
        let now = Self.now
        guard Int(now) > Self.earliest else {
            return .problem(
                .clock, "the clock is at \(written(universalTime: Int(now * 1e6)))",
                remedy: "Set the clock: timedatectl set-ntp true")
        }
        var found = "\(written(universalTime: Int(now * 1e6)))"
        if let status = subject.daemon?.status, status.clock == "real" {
            // The daemon's time was read a moment ago: it cannot be ahead, and may be behind by the duration of these
            // checks.
            let difference = Double(status.time) / 1e6 - now
            if difference > Self.tolerance || difference < -60 {
                return .warning(
                    .clock, "\(found); the daemon's differs by \(written(seconds: abs(difference)))",
                    remedy:
                        "Restart the daemon, and check whether it runs in a time namespace, or in a container with another clock"
                )
            }
        }
        guard let file = Self.fileTime() else { return .ok(.clock, found) }
        if abs(file - Self.now) > Self.tolerance {
            return .warning(
                .clock,
                "\(found); new files in the temporary folder have times that differ by \(written(seconds: abs(file - Self.now)))",
                remedy:
                    "Synchronise the clocks of this machine and of the file server: until then, each scan reads the bundles again"
            )
        }
        found += ", and new files have the same time"
        return .ok(.clock, found)
    }

    /// The time in seconds since 1970.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns the modification time of a file that is created and removed.
    private static func fileTime() -> Double? {
        guard let folder = try? TemporaryDirectory(prefix: "exthost-doctor") else { return nil }
        defer { try? folder.remove() }
        var status = stat()
        guard (try? createFile(folder.path + "/file")) != nil, stat(folder.path + "/file", &status) == 0 else {
            return nil
        }
        return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    }
}
