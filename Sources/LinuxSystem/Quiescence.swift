// Quiescence: whether anything runs in a tree of processes.

internal import CLinux

/// Two looks at every thread of a process and of all below it, one begun after the other had ended, between which none ran: each thread slept at both,
/// and was put on a processor as often by the second as by the first. What sleeps is woken by somebody else's act alone, so it had come to rest.
///
/// Two that are equal show that nothing ran from the first to the second.
public struct Quiescence: Sendable, Hashable {
    private let digest: UInt64

    /// Nil when a thread runs, waits for a processor, or for a disk. Takes some 20 µs a thread.
    public init?(below root: Int32) {
        var busy: Int32 = 0
        self.init(below: root, busy: &busy)
    }

    /// The same for one that looks again and again.
    ///
    /// - Parameter busy: between two looks, a thread that ran at the one before; 0 at first. While that runs, a look takes 5 µs.
    public init?(below root: Int32, busy: inout Int32) {
        var digest: UInt64 = 0
        guard exthost_tree_rests(root, &digest, &busy) else { return nil }
        self.digest = digest
    }
}
