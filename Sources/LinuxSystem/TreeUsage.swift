// TreeUsage: the resources that a process and all its descendants use now, by /proc (proc(5)).

internal import Glibc

/// The resources that a tree of processes uses. Reading them takes some 20 µs a process and thread, so not on the
/// loop's thread.
package struct TreeUsage: Sendable {
    /// The bytes in memory: each process's own, and the shared memory of the process that shares the most.
    ///
    /// Memory that forked processes share with one another counts for each of them until `countSharedOnce`.
    package private(set) var memory = 0
    /// The processor time of all processes, and of the children that they have reaped, in milliseconds.
    package private(set) var processor = 0
    /// The number of tasks: the threads of all processes.
    package private(set) var tasks = 0
    /// The open descriptors of the process that has the most.
    package private(set) var descriptors = 0

    /// The number of processes above which a tree is read in part; a limit on tasks stops it from growing so large.
    private static let processesLimit = 1024
    private static let pageSize = Int(getpagesize())
    private static let ticksPerSecond = max(1, sysconf(Int32(_SC_CLK_TCK)))

    private var shared = 0
    /// The processes that were read, with the bytes that each has for itself.
    private var processes: [(pid: Int32, own: Int)] = []

    /// Reads the usage of a tree.
    ///
    /// - Parameters:
    ///   - root: the first process. Descendants that it has lost are not found; an enclosure loses none.
    ///   - isEnclosed: whether the root is an init or guardian, which is the caller's own and does not count.
    ///   - countsDescriptors: whether to count descriptors, which costs one more call for each process.
    package init(root: Int32, isEnclosed: Bool, countsDescriptors: Bool) {
        var waiting = isEnclosed ? Self.children(of: root) : [root]
        var looked = 0
        while let pid = waiting.popLast(), looked < Self.processesLimit {
            looked += 1
            guard add(pid, countsDescriptors) else { continue }
            waiting += Self.children(of: pid)
        }
        // Of the init only the children that it has reaped count: orphans, and the program.
        if isEnclosed, let fields = Self.statistics(of: root) { processor += Self.milliseconds(fields, 15..<17) }
        memory += shared
    }

    /// Counts memory that processes share after a fork only once, by the kernel's proportional figures.
    ///
    /// The kernel reads all their pages, which takes some milliseconds. A single process has nothing to share.
    package mutating func countSharedOnce() {
        guard processes.count > 1 else { return }
        // The memory that a process shared before its end counts for those with whom it shared it.
        let counted = processes.reduce(0) { sum, process in
            sum + (Self.proportionalMemory(of: process.pid) ?? (Self.holdsMemory(process.pid) ? process.own : 0))
        }
        memory = min(memory, counted)
    }

    /// Whether the process still has memory: a zombie has none.
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
        guard let fields = Self.statistics(of: pid), let text = try? readFile("/proc/\(pid)/statm", maximumSize: 256)
        else {
            return false
        }
        processor += Self.milliseconds(fields, 13..<17)
        tasks += fields[19]
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

    /// Returns the numbers of `/proc/PID/stat` in their places, the first at 0. Other fields have no meaning.
    private static func statistics(of pid: Int32) -> [Int]? {
        guard let bytes = try? readFile("/proc/\(pid)/stat", maximumSize: 4096),
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        // The name, in brackets, may contain any byte: the third field follows the last bracket.
        let fields = bytes[(end + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
            .map { $0.reduce(0) { $0 &* 10 &+ Int($1 & 0x0f) } }
        return fields.count > 19 ? [0, 0] + fields : nil
    }

    private static func milliseconds(_ fields: [Int], _ range: Range<Int>) -> Int {
        fields[range].reduce(0, +) * 1000 / ticksPerSecond
    }

    /// Returns the children of every thread: each thread has those that it started itself.
    private static func children(of pid: Int32) -> [Int32] {
        guard let threads = try? listDirectory("/proc/\(pid)/task", maximumCount: 65_536) else { return [] }
        return threads.flatMap { thread -> [Int32] in
            guard let text = try? readFile("/proc/\(pid)/task/\(thread)/children", maximumSize: 1024 * 1024) else {
                return []
            }
            return String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
        }
    }

    private static func descriptors(of pid: Int32) -> Int {
        // The size of the folder is their number since Linux 6.2, and 0 before.
        var status = stat()
        let path = "/proc/\(pid)/fd"
        if stat(path, &status) == 0, status.st_size > 0 { return Int(status.st_size) }
        return (try? listDirectory(path, maximumCount: 1_048_576))?.count ?? 0
    }
}
