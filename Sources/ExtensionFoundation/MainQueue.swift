// MainQueue: the service of the main queue on the main thread, without a run loop.

internal import CMainQueue
internal import Glibc

enum MainQueue {
    /// Runs the work of the main queue forever; on the main thread.
    ///
    /// `dispatchMain()` would end the main thread. In a fully static program that is the first unwinding, for which the
    /// runtime first sorts the frames of the whole program. That takes 26 ms of a processor, with a lock held that
    /// `exit` waits for. A run loop waits as this does, for the same descriptor, and takes longer to set up.
    static func serve() -> Never {
        var entry = pollfd(fd: exthost_main_queue_descriptor(), events: Int16(POLLIN), revents: 0)
        while true {
            guard poll(&entry, 1, -1) > 0 else { continue }
            var wakeups: UInt64 = 0
            _ = read(entry.fd, &wakeups, MemoryLayout.size(ofValue: wakeups))
            exthost_main_queue_run()
        }
    }
}
