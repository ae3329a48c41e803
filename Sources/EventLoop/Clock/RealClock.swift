// RealClock: the system's monotonic clock, with one timer of the loop behind all deadlines.

internal import Glibc

/// Real time. One sd-event timer is armed for the earliest deadline, and disarmed while nothing is scheduled.
@HostActor
public final class RealClock: HostClock {
    /// The time that deadlines that are due together may take before other sources run, in nanoseconds.
    private static let longestTurn: UInt64 = 200_000

    private let queue = DeadlineQueue()
    private var timer: TimerSource?
    /// The timer that continues what a turn left. Its priority is that of descriptors, which have their turns between.
    private var rest: TimerSource?
    private var isBehind = false
    private var isFiring = false

    public init(priority: EventPriority = .important) throws(LoopError) {
        timer = try TimerSource(priority: priority) { [weak self] in self?.fire() }
        rest = try TimerSource { [weak self] in self?.fire() }
        queue.firstChanged = { [weak self] in self?.rearm() }
    }

    /// The time since the machine's start. Successive daemons thus have one scale, on which hosts compare instants.
    public var now: UInt64 { MonotonicTime.now }

    public var wallClockNow: UInt64 { MonotonicTime.reading(of: CLOCK_REALTIME) }

    public func schedule(after duration: Duration, _ handler: @escaping @HostActor () -> Void) -> Deadline {
        queue.add(at: now.addingSaturating(duration.saturatingNanoseconds), handler)
    }

    private func fire() {
        // Deadlines that handlers schedule are due after this reading: they wait for their own turn, so descriptors get
        // theirs.
        let reached = now
        isFiring = true
        repeat {
            guard let handler = queue.takeDue(at: reached) else { break }
            handler()
        } while now - reached < Self.longestTurn
        isFiring = false
        let end = now
        isBehind = queue.first.map { $0 <= end } ?? false
        rearm()
    }

    private func rearm() {
        guard !isFiring else { return }
        let (armed, other) = isBehind ? (rest, timer) : (timer, rest)
        other?.disarm()
        if let first = queue.first {
            armed?.arm(at: first)
        } else {
            armed?.disarm()
        }
    }
}
