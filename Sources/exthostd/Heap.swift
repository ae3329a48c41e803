// Heap: two heaps for all threads.

import Glibc

enum Heap {
    /// Before there is a second thread. Otherwise each thread would get an arena of its own, which glibc grows by a page at a time, with a
    /// call to the kernel for each (mprotect(2)). With one for all, the two threads that look for extensions wait for each other at every
    /// bundle: a start without an index took half as long again. Who else allocates while they do is seldom in the way.
    static func limit() {
        // mallopt(3) is not imported. Without it, as with another C library, everything works and takes longer.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
        _ = mallopt(arenaMaximum, 2)
    }

    /// `M_ARENA_MAX`.
    private static let arenaMaximum: Int32 = -8
}
