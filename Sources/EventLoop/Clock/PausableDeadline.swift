// PausableDeadline: a deadline whose time can stand still.

/// Something that is to happen after a duration in which it was not paused. Cancelled by letting go of it.
@HostActor
public final class PausableDeadline {
    private let clock: any HostClock
    private let isHeld: @HostActor () -> Bool
    private let handler: @HostActor () -> Void
    private let duration: Duration
    private var deadline: Deadline?
    /// What is left, while it is paused.
    private var left: Duration?

    /// - Parameter isHeld: asked when the time is up; while it says true the handler is not called, and the whole duration begins anew.
    public init(
        _ clock: any HostClock, after duration: Duration, unless isHeld: @escaping @HostActor () -> Bool = { false },
        _ handler: @escaping @HostActor () -> Void
    ) {
        self.clock = clock
        self.isHeld = isHeld
        self.handler = handler
        self.duration = duration
        schedule(duration)
    }

    /// Idempotent.
    public func pause() {
        guard let deadline, deadline.isPending else { return }
        left = .nanoseconds(Int64(clamping: deadline.instant - min(deadline.instant, clock.now)))
        self.deadline = nil
    }

    /// Goes on with what was left; nothing if it was not paused.
    public func resume() {
        guard let left else { return }
        self.left = nil
        schedule(left)
    }

    private func schedule(_ duration: Duration) {
        deadline = clock.schedule(after: duration) { [weak self] in self?.fire() }
    }

    private func fire() {
        if isHeld() { return schedule(duration) }
        deadline = nil
        handler()
    }
}
