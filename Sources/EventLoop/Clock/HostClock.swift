// HostClock: the daemon's only source of time, real or virtual.

/// The source of time. Nothing else in the daemon reads the time, so a test that advances a `VirtualClock` controls all
/// of it.
@HostActor
public protocol HostClock: AnyObject {
    /// Nanoseconds since a fixed instant of the clock's own. The value never goes back.
    var now: UInt64 { get }

    /// Nanoseconds since 1970-01-01T00:00:00Z, for people (log lines). The value may jump when the system's clock is
    /// set.
    var wallClockNow: UInt64 { get }

    /// Calls `handler` once, after `duration`, and never earlier.
    ///
    /// Handlers are called in the order of their deadlines, and for equal ones in the order of scheduling. The handler
    /// is never called inside this call, not even for a duration of zero or less.
    ///
    /// The caller retains the result: a deadline that is released is cancelled.
    func schedule(after duration: Duration, _ handler: @escaping @HostActor () -> Void) -> Deadline
}
