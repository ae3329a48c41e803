// ProcessorTime: how long threads have been on a processor, and how long they have waited for one.

internal import CLinux

/// What the kernel has counted since each began, in nanoseconds, by the number of the thread. Takes some 20 µs a thread; beyond 1024 none is counted.
public enum ProcessorTime {
    /// Of each thread of a process and of all below it; under a process's number made negative, of the children that it has waited for, to a hundredth
    /// of a second.
    public static func spent(below root: Int32) -> [Int32: UInt64] { times(root, isTree: true).mapValues(\.ran) }

    /// Of each thread of a process and of all below it: ready to run, with no processor free. 0 where the kernel does not count it.
    public static func waited(below root: Int32) -> [Int32: UInt64] { times(root, isTree: true).mapValues(\.waited) }

    /// The same of one process alone.
    public static func waited(by process: Int32) -> [Int32: UInt64] { times(process, isTree: false).mapValues(\.waited) }

    private static func times(_ root: Int32, isTree: Bool) -> [Int32: exthost_times] {
        withUnsafeTemporaryAllocation(of: exthost_times.self, capacity: 1024) { buffer in
            let count = exthost_times(root, isTree, buffer.baseAddress, Int32(buffer.count))
            // A number may have come to another thread while they were looked at.
            return Dictionary(buffer.prefix(Int(count)).map { ($0.number, $0) }) { $1 }
        }
    }
}
