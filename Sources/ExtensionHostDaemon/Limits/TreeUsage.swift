// TreeUsage: what a process and all below it use at this moment, by /proc (proc(5)).

import Glibc
import LinuxSystem

/// A look at a tree of processes. It takes some 20 µs a process and thread: not for the loop.
struct TreeUsage: Sendable {
    /// Bytes in memory: each process's own, and what the one with the most shares with others. What forked processes share with one
    /// another counts for each of them until `countSharedOnce`.
    private(set) var memory = 0
    /// Processor time of all of them, and of the children that they have reaped, in milliseconds.
    private(set) var processor = 0
    /// Processes and threads.
    private(set) var tasks = 0
    /// Open descriptors of the process that has most.
    private(set) var descriptors = 0

    /// A tree of more processes is looked at in part; a limit on tasks keeps it from growing so large.
    private static let processesLimit = 1024
    private static let pageSize = Int(getpagesize())
    private static let ticksPerSecond = max(1, sysconf(Int32(_SC_CLK_TCK)))

    private var shared = 0
    /// Those that were looked at, with what each has for itself.
    private var processes: [(pid: Int32, own: Int)] = []

    /// - Parameters:
    ///   - root: the first process. What it has lost of its descendants is not found; of an enclosure none is.
    ///   - isEnclosed: the root is an init or guardian: the daemon's own, no part of what is counted.
    ///   - countsDescriptors: as they cost a call more for each process.
    init(root: Int32, isEnclosed: Bool, countsDescriptors: Bool) {
        var waiting = isEnclosed ? Self.children(of: root) : [root]
        var looked = 0
        while let pid = waiting.popLast(), looked < Self.processesLimit {
            looked += 1
            guard add(pid, countsDescriptors) else { continue }
            waiting += Self.children(of: pid)
        }
        // Of the init only what it has reaped: children that were orphaned, and the program.
        if isEnclosed, let fields = Self.statistics(of: root) { processor += Self.milliseconds(fields, 15..<17) }
        memory += shared
    }

    /// Counts what processes share after a fork once, by the kernel's proportional figures: a walk through all their pages, some milliseconds
    /// long. One process has nothing to share.
    mutating func countSharedOnce() {
        guard processes.count > 1 else { return }
        // What one shared that has ended since counts for those with whom it did.
        let counted = processes.reduce(0) { sum, process in
            sum + (Self.proportionalMemory(of: process.pid) ?? (Self.holdsMemory(process.pid) ? process.own : 0))
        }
        memory = min(memory, counted)
    }

    /// Whether the process still has any: one that waits to be reaped has none.
    private static func holdsMemory(_ pid: Int32) -> Bool {
        guard let text = try? readFile("/proc/\(pid)/statm", maximumSize: 256) else { return false }
        return !text.starts(with: [UInt8(ascii: "0"), UInt8(ascii: " ")])
    }

    private static func proportionalMemory(of pid: Int32) -> Int? {
        guard let text = try? readFile("/proc/\(pid)/smaps_rollup", maximumSize: 16 * 1024) else { return nil }
        let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Pss:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 }
    }

    private mutating func add(_ pid: Int32, _ countsDescriptors: Bool) -> Bool {
        guard let fields = Self.statistics(of: pid), let text = try? readFile("/proc/\(pid)/statm", maximumSize: 256) else {
            return false
        }
        processor += Self.milliseconds(fields, 13..<17)
        tasks += Int(fields[19]) ?? 0
        let pages = String(decoding: text, as: UTF8.self).split(separator: " ").prefix(3).compactMap { Int($0) }
        if pages.count == 3 {
            let own = max(0, pages[1] - pages[2]) * Self.pageSize
            memory += own
            processes.append((pid, own))
            shared = max(shared, pages[2] * Self.pageSize)
        }
        if countsDescriptors { descriptors = max(descriptors, Self.descriptors(of: pid)) }
        return true
    }

    /// The fields of `/proc/PID/stat`, the first at 0; what stands in brackets may hold anything.
    private static func statistics(of pid: Int32) -> [Substring]? {
        guard let bytes = try? readFile("/proc/\(pid)/stat", maximumSize: 4096), let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let rest = String(decoding: bytes[(end + 1)...], as: UTF8.self)
        let fields: [Substring] = ["", ""] + rest.split(whereSeparator: { $0 == " " || $0 == "\n" })
        return fields.count > 21 ? fields : nil
    }

    private static func milliseconds(_ fields: [Substring], _ range: Range<Int>) -> Int {
        fields[range].reduce(0) { $0 + (Int($1) ?? 0) } * 1000 / ticksPerSecond
    }

    /// Of every thread: each has the children that it started itself.
    private static func children(of pid: Int32) -> [Int32] {
        guard let threads = try? listDirectory("/proc/\(pid)/task", maximumCount: 65_536) else { return [] }
        return threads.flatMap { thread -> [Int32] in
            guard let text = try? readFile("/proc/\(pid)/task/\(thread)/children", maximumSize: 1024 * 1024) else { return [] }
            return String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
        }
    }

    private static func descriptors(of pid: Int32) -> Int {
        // Since Linux 6.2 the folder's size is their number; before it is 0.
        var status = stat()
        let path = "/proc/\(pid)/fd"
        if stat(path, &status) == 0, status.st_size > 0 { return Int(status.st_size) }
        return (try? listDirectory(path, maximumCount: 1_048_576))?.count ?? 0
    }
}
