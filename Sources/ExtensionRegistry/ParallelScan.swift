// ParallelScan: a thread that does the second half of some work beside the first.

import Glibc
import LinuxSystem
import Locks

/// Work that starts at once on its own thread. The caller that started it waits for it once.
final class ParallelScan<Result: Sendable>: Sendable {
    private let wake: WakeDescriptor
    private let result = Mutex<Result?>(nil)

    init(_ body: @escaping @Sendable () -> Result) throws(SystemError) {
        wake = try WakeDescriptor()
        try startThread(named: "exthost-look") { [self] in
            let found = body()
            result.withLock { $0 = found }
            wake.signal()
        }
    }

    func wait() -> Result {
        while true {
            if let found = result.withLock({ $0 }) { return found }
            var entry = pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, -1)
        }
    }
}
