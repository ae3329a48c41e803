// ProcessorTime: how long processes have been on a processor, and how long they have waited for one.

internal import CLinux

/// What the kernel has counted since a process began, in nanoseconds. Takes some 20 µs a thread.
public enum ProcessorTime {
    /// Of a process and all below it, with those that have ended and were waited for; to a hundredth of a second.
    public static func spent(below root: Int32) -> UInt64 { exthost_tree_ran(root) }

    /// Of the threads of one process, all together: ready to run, with no processor free. 0 where the kernel does not count it.
    public static func waited(by process: Int32) -> UInt64 { exthost_process_waited(process) }
}
