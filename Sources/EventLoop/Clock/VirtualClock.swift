// VirtualClock: time that stands still until it is moved.

/// Time for tests and for `--clock virtual`: zero at first, and moved by `advance` only.
@HostActor
public final class VirtualClock: HostClock {
    /// What `wallClockNow` says at the start: 2001-01-01T00:00:00Z.
    public nonisolated static let epoch: UInt64 = 978_307_200 * 1_000_000_000

    public private(set) var now: UInt64 = 0
    private let queue = DeadlineQueue()

    public init() {}

    public var wallClockNow: UInt64 { Self.epoch.addingSaturating(now) }

    public func schedule(after duration: Duration, _ handler: @escaping @HostActor () -> Void) -> Deadline {
        queue.add(at: now.addingSaturating(duration.saturatingNanoseconds), handler)
    }

    /// Moves time on, from deadline to deadline: each handler runs before this returns and sees its own instant as `now`.
    /// What handlers schedule within the duration runs too. A duration of zero runs what is due now.
    ///
    /// A handler that for ever schedules itself after zero keeps this from returning.
    public func advance(by duration: Duration) {
        let target = now.addingSaturating(duration.saturatingNanoseconds)
        while let instant = queue.first, instant <= target {
            // Not back, should a handler have advanced the clock itself.
            now = max(now, instant)
            queue.takeDue(at: instant)?()
        }
        now = max(now, target)
    }

    /// Moves time on to the next deadline and runs its handler alone, though others be due at the same instant; without one until `target`, to there.
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
