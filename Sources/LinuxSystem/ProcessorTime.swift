// ProcessorTime: the times that threads have run on a processor and have waited for one.

internal import CLinux

/// The kernel's counts since each thread began, in nanoseconds, by the number of the thread.
///
/// A call takes some 20 µs per thread; beyond 1024 threads none is counted.
public enum ProcessorTime {
    /// Returns the running time of each thread of a process and of all processes below it.
    ///
    /// The negative number of a process stands for the children that it has waited for, to a hundredth of a second.
    public static func spent(below root: Int32) -> [Int32: UInt64] { times(root, isTree: true).mapValues(\.ran) }

    /// Returns the time that each thread of a process, and of all below it, was ready to run without a free processor.
    ///
    /// It is 0 if the kernel does not count it.
    public static func waited(below root: Int32) -> [Int32: UInt64] { times(root, isTree: true).mapValues(\.waited) }

    /// Returns the waiting time of each thread of one process alone.
    public static func waited(by process: Int32) -> [Int32: UInt64] {
        times(process, isTree: false).mapValues(\.waited)
    }

    private static func times(_ root: Int32, isTree: Bool) -> [Int32: exthost_times] {
        withUnsafeTemporaryAllocation(of: exthost_times.self, capacity: 1024) { buffer in
            let count = exthost_times(root, isTree, buffer.baseAddress, Int32(buffer.count))
            // A number may have been reused by another thread during the scan.
            return Dictionary(buffer.prefix(Int(count)).map { ($0.number, $0) }) { $1 }
        }
    }
}
