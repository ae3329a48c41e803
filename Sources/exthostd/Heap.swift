// Heap: the limit of two heaps for all threads.

import Glibc

enum Heap {
    /// Limits the number of arenas; called before there is a second thread.
    ///
    /// Otherwise each thread would get an arena of its own. glibc grows such an arena by a page at a time, with a call
    /// to the kernel for each (mprotect(2)).
    ///
    /// With one arena for all, the two threads of the scan for extensions wait for each other at every bundle: a start
    /// without an index took half as long again. Other threads seldom allocate during the scan.
    static func limit() {
        // mallopt(3) is not imported. Without it, as with another C library, everything works, only slower.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
        _ = mallopt(arenaMaximum, 2)
    }

    /// The value of `M_ARENA_MAX`.
    private static let arenaMaximum: Int32 = -8
}
