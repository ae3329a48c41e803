// EventLoop: one sd-event loop on one thread, which is at the same time the executor of `HostActor`.

internal import CSystemd
internal import CSystemdShims
internal import Glibc
internal import LinuxSystem
internal import Locks

/// The daemon's loop. The thread that calls `run` is the loop's thread until `stop`; it serves jobs, timers,
/// descriptors, signals and the bus.
///
/// One iteration runs a batch of jobs, bounded by count and time, and then the callbacks of `atEndOfIteration`. It then
/// serves the next descriptor of those that were ready together, or else the most urgent event of sd-event. It blocks
/// only when there is nothing else to do. Jobs can therefore not starve descriptors, nor descriptors jobs.
public final class EventLoop: SerialExecutor {
    public static let shared = EventLoop()

    /// The maximum number of jobs between two polls of the descriptors, and their maximum time together, in
    /// nanoseconds.
    private static let jobsPerIteration = 128
    private static let longestBatch: UInt64 = 200_000

    /// The work that other threads leave for the loop.
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var exitCode: Int32?
        /// Whether the loop is about to block or blocks: the next thread that leaves work wakes it, and clears this.
        var blocks = false
        /// An eventfd, made by the first `run`. It stays open for the life of the process, so a late write cannot hit
        /// another file.
        var wakeDescriptor: Int32 = -1
    }

    private let inbox = Mutex(Inbox())
    /// `pthread_self()` of the thread inside `run`, 0 when there is none.
    private let thread = Atomic<UInt>(0)

    /// The sd_event object, made by the first `run`. Code isolated to `HostActor` runs inside `run` only, so the object
    /// always exists.
    @HostActor private(set) var event: OpaquePointer?
    @HostActor private var wakeSource: OpaquePointer?
    /// The descriptors of usual priority, made with `event`, and their source in it.
    @HostActor private(set) var descriptors: DescriptorSet?
    @HostActor private var descriptorsSource: OpaquePointer?
    @HostActor private var batch: [UnownedJob] = []
    @HostActor private var batchPosition = 0
    @HostActor private var callbacks: [@HostActor () -> Void] = []

    private init() {}

    // MARK: Running

    /// Runs the loop on the calling thread until `stop`.
    ///
    /// Work that was queued on `HostActor` before runs once the loop does. The method may be called again after it has
    /// returned.
    /// - Parameter start: runs first, on the loop's thread.
    /// - Returns: the code given to `stop(exitCode:)`.
    /// - Throws: `LoopError.alreadyRunning`, or `LoopError.call` when the loop cannot be made or wait for events.
    public func run(_ start: @HostActor () -> Void = {}) throws(LoopError) -> Int32 {
        let claim = thread.compareExchange(expected: 0, desired: pthread_self(), ordering: .acquiringAndReleasing)
        guard claim.exchanged else { throw .alreadyRunning }
        defer { thread.store(0, ordering: .releasing) }
        return try HostActor.assumeIsolated { () throws(LoopError) -> Int32 in
            try self.prepare()
            start()
            while true {
                if let code = self.takeExitCode() { return code }
                try self.iterate()
            }
        }
    }

    /// Ends `run` after the current iteration. Any thread may call it; before `run`, it ends the next one at its start.
    /// Jobs that have not run stay queued for a later `run`.
    public func stop(exitCode: Int32 = 0) {
        leave { $0.exitCode = exitCode }
    }

    /// Runs `callback` once, after the current handler or job and before the loop polls for new events.
    ///
    /// Callbacks keep their order; one that is added by a callback waits for the next iteration.
    @HostActor public func atEndOfIteration(_ callback: @escaping @HostActor () -> Void) {
        callbacks.append(callback)
    }

    /// The number of polls for events; it does not grow while the loop is idle.
    @HostActor public var iterations: UInt64 {
        var count: UInt64 = 0
        sd_event_get_iteration(event, &count)
        return count
    }

    /// Feeds systemd's watchdog regularly from the loop, if the service asks for it (`WatchdogSec=`); see
    /// sd_event_set_watchdog(3).
    /// - Returns: whether a watchdog is wanted.
    @HostActor @discardableResult public func feedWatchdog() throws(LoopError) -> Bool {
        try LoopError.check("sd_event_set_watchdog", sd_event_set_watchdog(event, 1)) > 0
    }

    @HostActor private func prepare() throws(LoopError) {
        if event == nil {
            try LoopError.check("sd_event_new", sd_event_new(&event))
        }
        if descriptors == nil {
            let set = try DescriptorSet()
            let result = sd_event_add_io(
                event, &descriptorsSource, set.descriptor, EPOLLIN.rawValue, Self.takeReady, nil)
            guard result >= 0 else { throw .call(SystemError("sd_event_add_io", code: -result)) }
            descriptors = set
        }
        guard wakeSource == nil else { return }
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .call(SystemError("eventfd")) }
        // The source is edge-triggered: each write is a separate event, so nobody has to read the counter back
        // (epoll(7)).
        let events = EPOLLIN.rawValue | EPOLLET.rawValue
        let result = sd_event_add_io(event, &wakeSource, descriptor, events, { _, _, _, _ in 0 }, nil)
        if result < 0 {
            close(descriptor)
            throw .call(SystemError("sd_event_add_io", code: -result))
        }
        inbox.withLock { $0.wakeDescriptor = descriptor }
    }

    /// The handler of ready descriptors. A closure inside isolated code would check the isolation a second time.
    private static let takeReady: sd_event_io_handler_t = { _, _, _, _ in
        HostActor.assumeIsolated { EventLoop.shared.descriptors?.take() }
        return 0
    }

    @HostActor private func iterate() throws(LoopError) {
        runJobs()
        runCallbacks()
        if let descriptors, descriptors.hasReady { return descriptors.serveNext() }
        var result = sd_event_prepare(event)
        if result == 0 {
            result = sd_event_wait(event, mayBlock() ? UInt64.max : 0)
            inbox.withLock { $0.blocks = false }
        }
        if result > 0 {
            result = sd_event_dispatch(event)
        }
        try LoopError.check("sd_event_wait", result)
    }

    @HostActor private func runJobs() {
        if batchPosition == batch.count {
            batch.removeAll(keepingCapacity: true)
            batchPosition = 0
            inbox.withLock { swap(&$0.jobs, &batch) }
        }
        guard batchPosition < batch.count else { return }
        let end = min(batchPosition + Self.jobsPerIteration, batch.count)
        let deadline = MonotonicTime.now + Self.longestBatch
        repeat {
            let job = batch[batchPosition]
            batchPosition += 1
            job.runSynchronously(on: asUnownedSerialExecutor())
        } while batchPosition < end && MonotonicTime.now < deadline
    }

    @HostActor private func runCallbacks() {
        guard !callbacks.isEmpty else { return }
        var due: [@HostActor () -> Void] = []
        swap(&due, &callbacks)
        for callback in due { callback() }
    }

    /// Whether no work waits; from then on a thread that leaves work wakes the loop.
    @HostActor private func mayBlock() -> Bool {
        guard batchPosition == batch.count, callbacks.isEmpty else { return false }
        return inbox.withLock { inbox in
            inbox.blocks = inbox.jobs.isEmpty && inbox.exitCode == nil
            return inbox.blocks
        }
    }

    @HostActor private func takeExitCode() -> Int32? {
        inbox.withLock { inbox in
            defer { inbox.exitCode = nil }
            return inbox.exitCode
        }
    }

    private func leave(_ deposit: (inout sending Inbox) -> Void) {
        let wake = inbox.withLock { inbox -> Int32? in
            deposit(&inbox)
            // The flag is never true on the loop's own thread, so work that the thread leaves for itself costs no
            // system call.
            guard inbox.blocks else { return nil }
            inbox.blocks = false
            return inbox.wakeDescriptor
        }
        guard let wake else { return }
        // The write cannot fail: the counter would need 2^64 writes to be full (eventfd(2)).
        _ = eventfd_write(wake, 1)
    }

    // MARK: SerialExecutor

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        leave { $0.jobs.append(job) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() {
        precondition(isOnLoopThread, "HostActor's state was touched outside the event loop's thread")
    }

    public func isIsolatingCurrentContext() -> Bool? { isOnLoopThread }

    /// Whether the caller runs on the loop's thread.
    public var isOnLoopThread: Bool { thread.load(ordering: .acquiring) == pthread_self() }
}
