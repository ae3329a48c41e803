// VirtualClock: time that moves only when it is advanced.

/// Time for tests and for `--clock virtual`: zero at first, and advanced by `advance` only.
@HostActor
public final class VirtualClock: HostClock {
    /// The value of `wallClockNow` at the start: 2001-01-01T00:00:00Z.
    public nonisolated static let epoch: UInt64 = 978_307_200 * 1_000_000_000

    public private(set) var now: UInt64 = 0
    private let queue = DeadlineQueue()

    public init() {}

    public var wallClockNow: UInt64 { Self.epoch.addingSaturating(now) }

    public func schedule(after duration: Duration, _ handler: @escaping @HostActor () -> Void) -> Deadline {
        queue.add(at: now.addingSaturating(duration.saturatingNanoseconds), handler)
    }

    /// Advances the time from deadline to deadline: each handler runs before this returns and sees its own instant as
    /// `now`.
    ///
    /// Deadlines that handlers schedule within the duration are due, too. A duration of zero runs what is due now.
    ///
    /// The call does not return if a handler schedules itself after zero for ever.
    public func advance(by duration: Duration) {
        let target = now.addingSaturating(duration.saturatingNanoseconds)
        while let instant = queue.first, instant <= target {
            // The time must not go back if a handler has advanced the clock itself.
            now = max(now, instant)
            queue.takeDue(at: instant)?()
        }
        now = max(now, target)
    }

    /// Advances the time to the next deadline and runs its handler alone, even if others are due at the same instant.
    ///
    /// If there is none until `target`, the time advances to there.
    ///
    /// - Returns: whether there was one.
    public func advanceToNext(until target: UInt64) -> Bool {
        guard let instant = queue.first, instant <= target else {
            now = max(now, target)
            return false
        }
        now = max(now, instant)
        queue.takeDue(at: instant)?()
        return true
    }

    /// The instant of the next deadline, on the scale of `now`.
    public var nextDeadline: UInt64? { queue.first }

    /// Whether nothing is scheduled.
    public var isIdle: Bool { queue.count == 0 }
}
