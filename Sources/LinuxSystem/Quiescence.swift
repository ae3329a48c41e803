// Quiescence: the detection of activity in a tree of processes.

internal import CLinux

/// The state of a tree of processes in which no thread ran between two scans, the second begun after the first had
/// ended.
///
/// In both scans each thread slept, and the second showed as many switches to a processor as the first. A sleeping
/// thread wakes only by an action from outside, so the tree was idle.
///
/// Two equal values show that nothing ran from the first to the second.
public struct Quiescence: Sendable, Hashable {
    private let digest: UInt64

    /// Scans the tree; nil if a thread runs, or waits for a processor or a disk. Takes some 20 µs per thread.
    public init?(below root: Int32) {
        var busy: Int32 = 0
        self.init(below: root, busy: &busy)
    }

    /// Scans the tree, for a caller that polls.
    ///
    /// - Parameter busy: between two scans, a thread that ran at the last one; 0 at first. While it runs, a scan takes
    ///   5 µs.
    public init?(below root: Int32, busy: inout Int32) {
        var digest: UInt64 = 0
        guard exthost_tree_rests(root, &digest, &busy) else { return nil }
        self.digest = digest
    }
}
