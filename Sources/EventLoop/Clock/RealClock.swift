// RealClock: the system's monotonic clock, with one timer of the loop behind all deadlines.

internal import Glibc

/// Real time. One sd-event timer stands for the earliest deadline; when nothing is scheduled it is disarmed.
@HostActor
public final class RealClock: HostClock {
    /// How long deadlines that are due together may take before other sources run.
    private static let longestTurn: UInt64 = 200_000

    private let queue = DeadlineQueue()
    private var timer: TimerSource?
    /// Goes on with what a turn left. Its priority is that of descriptors, which have their turns between.
    private var rest: TimerSource?
    private var isBehind = false
    private var isFiring = false

    public init(priority: EventPriority = .important) throws(LoopError) {
        timer = try TimerSource(priority: priority) { [weak self] in self?.fire() }
        rest = try TimerSource { [weak self] in self?.fire() }
        queue.firstChanged = { [weak self] in self?.rearm() }
    }

    /// Since the machine's start: daemons that follow one another have one scale, which hosts compare instants by.
    public var now: UInt64 { MonotonicTime.now }

    public var wallClockNow: UInt64 { MonotonicTime.reading(of: CLOCK_REALTIME) }

    public func schedule(after duration: Duration, _ handler: @escaping @HostActor () -> Void) -> Deadline {
        queue.add(at: now.addingSaturating(duration.saturatingNanoseconds), handler)
    }

    private func fire() {
        // What handlers schedule is due after this reading: it waits for its own turn, so descriptors get theirs.
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
