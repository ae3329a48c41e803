// RealTimeWait: whether a program waits for something that comes without a virtual clock: a time of the system's, or the network.

import Glibc
import LinuxSystem

/// By what the kernel shows of a process (proc(5)). A wait with a time limit on a lock looks like any other, and is not found. Nor is a timer of a
/// Dispatch queue's on the usual clock: Dispatch has one descriptor for them all, which stands for the next one alone, and a timer of its own that comes each second.
enum RealTimeWait {
    /// Whether a process, or one below it, has a timer set, sleeps for a time, or has a socket of the internet. True where that is not to be seen.
    static func isUnderWay(below root: Int32) -> Bool {
        var processes = [root]
        var next = 0
        while next < processes.count, processes.count <= 256 {
            let folder = "/proc/\(processes[next])"
            next += 1
            guard let threads = try? listDirectory(folder + "/task", maximumCount: 65_536) else { continue }
            for thread in threads {
                if text("\(folder)/task/\(thread)/wchan")?.contains("nanosleep") == true { return true }
                let children = text("\(folder)/task/\(thread)/children") ?? ""
                processes += children.split(separator: " ").compactMap { Int32($0) }
            }
            if hasDescriptorThatWaits(folder) { return true }
        }
        return next < processes.count
    }

    private static func hasDescriptorThatWaits(_ folder: String) -> Bool {
        guard let descriptors = try? listDirectory(folder + "/fd", maximumCount: 65_536) else { return true }
        var sockets: Set<Substring> = []
        for descriptor in descriptors {
            let target = target(of: "\(folder)/fd/\(descriptor)")
            if target.hasPrefix("socket:["), target.hasSuffix("]") { sockets.insert(target.dropFirst(8).dropLast()) }
            if target == "anon_inode:[timerfd]", isSet(text("\(folder)/fdinfo/\(descriptor)") ?? "") { return true }
        }
        guard !sockets.isEmpty else { return false }
        return ["tcp", "tcp6", "udp", "udp6"].contains { table in
            // The tenth column of each line is the socket's number.
            (text("\(folder)/net/\(table)") ?? "").split(separator: "\n").dropFirst().contains {
                let columns = $0.split(separator: " ")
                return columns.count > 9 && sockets.contains(columns[9])
            }
        }
    }

    /// Whether a timer is set, unless it may be Dispatch's own: `clockid: 1` and `it_value: (0, 931000000)`. One that is not set has `(0, 0)`.
    private static func isSet(_ facts: String) -> Bool {
        let lines = facts.split(separator: "\n").map { $0.split { " :(,)\t".contains($0) } }
        guard let value = lines.first(where: { $0.first == "it_value" })?.dropFirst().compactMap({ Int($0) }), value.count == 2
        else { return false }
        guard lines.contains(["clockid", "1"]) else { return value != [0, 0] }
        return value[0] >= 1
    }

    /// As far as it fits: none that is looked for is longer.
    private static func target(of link: String) -> String {
        var name = [CChar](repeating: 0, count: 64)
        let count = readlink(link, &name, name.count)
        return String(decoding: name.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func text(_ path: String) -> String? {
        (try? readFile(path, maximumSize: 4 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }
}
