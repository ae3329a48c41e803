// HostClock: the daemon's only source of time, real or virtual.

/// Where time comes from. Nothing else in the daemon asks for it, so that a test that moves a `VirtualClock` moves all.
@HostActor
public protocol HostClock: AnyObject {
    /// Nanoseconds since a fixed instant, the clock's own. Never goes back.
    var now: UInt64 { get }

    /// Nanoseconds since 1970-01-01T00:00:00Z, for people's eyes (log lines): may jump when the system's clock is set.
    var wallClockNow: UInt64 { get }

    /// Calls `handler` once, when `duration` has passed: never earlier, and in the order of the deadlines; equal ones in
    /// the order they were scheduled. Never from inside this call, not even for a duration of zero or less.
    ///
    /// The caller keeps the result: a deadline that is let go is cancelled.
    func schedule(after duration: Duration, _ handler: @escaping @HostActor () -> Void) -> Deadline
}
