// Heap: one heap for all threads.

import Glibc

enum Heap {
    /// Before there is a second thread. Each other thread would get an arena of its own, which glibc grows by a page at a time, with a
    /// call to the kernel for each (mprotect(2)): a start with a thousand bundles took 2 ms longer by it. The daemon has few threads, and
    /// they seldom allocate at once.
    static func unite() {
        // mallopt(3) is not imported. Without it, as with another C library, everything works and takes longer.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
        _ = mallopt(arenaMaximum, 1)
    }

    /// `M_ARENA_MAX`.
    private static let arenaMaximum: Int32 = -8
}
