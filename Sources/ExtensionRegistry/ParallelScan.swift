// ParallelScan: the second half of some work, done by a thread of its own beside the first.

import Glibc
import LinuxSystem
import Locks

/// Begins at once. Waited for once, by whoever began it.
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
