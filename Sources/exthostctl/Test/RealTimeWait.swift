// RealTimeWait: a test whether a program waits for something that comes without a virtual clock: the system's time, or
// the network.

import Glibc
import LinuxSystem

/// A test by what the kernel shows of a process (proc(5)).
///
/// It does not find a wait with a time limit on a lock, which looks like any other, or alarm(2). Nor does it find a
/// timer of a Dispatch queue on the usual clock. Dispatch has one descriptor for all such timers, which stands for the
/// next one alone, and a timer of its own that fires each second.
enum RealTimeWait {
    /// Whether a process, or one below it, waits for real time or the network.
    ///
    /// It does so if it has a timer set, or sleeps or polls for a time. A socket of the internet counts, too, and so
    /// does a connected one of another service. True if that cannot be determined.
    static func isUnderWay(below root: Int32) -> Bool {
        guard let threads = threads(below: root) else { return true }
        return threads.contains { sleepsForATime($0.folder) }
            || Set(threads.map(\.process)).contains {
                text($0 + "/timers")?.isEmpty == false || hasDescriptorThatWaits($0)
            }
    }

    /// A state of threads that all wait, and that neither time nor the network wakes.
    struct Rest: Hashable {
        /// The number of times at which each thread has begun to wait, by its folder.
        fileprivate let waits: [String: [String]]
    }

    /// Returns the state of a process and of those below it; nil if a thread runs, or may wake by itself.
    ///
    /// Two equal states mean that nothing has run in between. A process that is at rest does nothing more until somebody
    /// writes to it.
    static func rest(below root: Int32) -> Rest? {
        guard let threads = threads(below: root) else { return nil }
        var waits: [String: [String]] = [:]
        for thread in threads {
            // `State:	S (sleeping)` and `voluntary_ctxt_switches:	12`.
            let lines = (text(thread.folder + "/status") ?? "").split(separator: "\n").map { $0.split(separator: "\t") }
            guard lines.contains(where: { $0.first == "State:" && $0.last?.hasPrefix("S") == true }) else { return nil }
            waits[thread.folder] = lines.filter { $0.first?.contains("ctxt_switches") == true }.map {
                String($0.last ?? "")
            }
        }
        return isUnderWay(below: root) ? nil : Rest(waits: waits)
    }

    /// Returns the threads of a process and of those below it, with the folders of both; nil if there are too many, or a
    /// process has gone.
    private static func threads(below root: Int32) -> [(process: String, folder: String)]? {
        var processes = [root]
        var next = 0
        var found: [(String, String)] = []
        while next < processes.count {
            guard processes.count <= 256 else { return nil }
            let folder = "/proc/\(processes[next])"
            next += 1
            guard let threads = try? listDirectory(folder + "/task", maximumCount: 65_536) else {
                // A child may end meanwhile.
                if next == 1 { return nil }
                continue
            }
            for thread in threads {
                found.append((folder, "\(folder)/task/\(thread)"))
                let children = text("\(folder)/task/\(thread)/children") ?? ""
                processes += children.split(separator: " ").compactMap { Int32($0) }
            }
        }
        return found
    }

    private static func sleepsForATime(_ thread: String) -> Bool {
        let place = text(thread + "/wchan") ?? ""
        if place.contains("nanosleep") { return true }
        guard ["poll", "select", "sigtimedwait"].contains(where: place.contains) else { return false }
        // `232 0x5 0x7f… 0x10 0xffffffff …`: the call's number and its arguments.
        let words = (text(thread + "/syscall") ?? "").split { $0 == " " || $0 == "\n" }
        guard let call = words.first.flatMap({ Int($0) }), let limit = limits[call], words.count > limit.place + 1,
            let value = UInt64(words[limit.place + 1].dropFirst(2), radix: 16)
        else { return true }
        return limit.isAddress ? value != 0 : UInt32(truncatingIfNeeded: value) != .max
    }

    /// The argument of each call that limits its wait: an address of the time, or milliseconds, with -1 for no limit
    /// (poll(2), epoll_wait(2), select(2), sigtimedwait(2)).
    private static let limits: [Int: (place: Int, isAddress: Bool)] = {
        #if arch(x86_64)
            [
                7: (2, false), 23: (4, true), 128: (2, true), 232: (3, false), 270: (4, true), 271: (2, true),
                281: (3, false),
                441: (3, true),
            ]
        #elseif arch(arm64)
            [22: (3, false), 72: (4, true), 73: (2, true), 137: (2, true), 441: (3, true)]
        #else
            [:]
        #endif
    }()

    private static func hasDescriptorThatWaits(_ folder: String) -> Bool {
        guard let descriptors = try? listDirectory(folder + "/fd", maximumCount: 65_536) else { return true }
        var sockets: Set<Substring> = []
        for descriptor in descriptors {
            let target = target(of: "\(folder)/fd/\(descriptor)")
            if target.hasPrefix("socket:["), target.hasSuffix("]") { sockets.insert(target.dropFirst(8).dropLast()) }
            if target == "anon_inode:[timerfd]", isSet(text("\(folder)/fdinfo/\(descriptor)") ?? "") { return true }
        }
        guard !sockets.isEmpty else { return false }
        // `0000: 00000003 00000000 00000000 0001 03 12345`: a stream that is connected. The daemon's sockets are packet
        // sockets.
        let isConnected = (text(folder + "/net/unix") ?? "").split(separator: "\n").dropFirst().contains {
            let columns = $0.split(separator: " ")
            return columns.count > 6 && columns[4] == "0001" && columns[5] == "03" && sockets.contains(columns[6])
        }
        if isConnected { return true }
        return ["tcp", "tcp6", "udp", "udp6"].contains { table in
            // The tenth column of each line is the socket's number.
            (text("\(folder)/net/\(table)") ?? "").split(separator: "\n").dropFirst().contains {
                let columns = $0.split(separator: " ")
                return columns.count > 9 && sockets.contains(columns[9])
            }
        }
    }

    /// Whether a timer is set, unless it may be Dispatch's own: `clockid: 1` and `it_value: (0, 931000000)`. An unset
    /// timer has `(0, 0)`.
    private static func isSet(_ facts: String) -> Bool {
        let lines = facts.split(separator: "\n").map { $0.split { " :(,)\t".contains($0) } }
        guard let value = lines.first(where: { $0.first == "it_value" })?.dropFirst().compactMap({ Int($0) }),
            value.count == 2
        else { return false }
        guard lines.contains(["clockid", "1"]) else { return value != [0, 0] }
        return value[0] >= 1
    }

    /// Returns the target of a link, cut to 64 bytes: no searched name is longer.
    private static func target(of link: String) -> String {
        var name = [CChar](repeating: 0, count: 64)
        let count = readlink(link, &name, name.count)
        return String(decoding: name.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func text(_ path: String) -> String? {
        (try? readFile(path, maximumSize: 4 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }
}
