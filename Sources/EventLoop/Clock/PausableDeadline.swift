// PausableDeadline: a deadline whose time can stand still.

/// Something that is to happen after a duration in which it was not paused. Cancelled by letting go of it.
@HostActor
public final class PausableDeadline {
    private let clock: any HostClock
    private let isHeld: @HostActor () -> Bool
    private let handler: @HostActor () -> Void
    private let duration: Duration
    private let witness: (@HostActor (Change) -> Void)?
    private var deadline: Deadline?
    /// What becomes of it, for somebody who looks on.
    public enum Change: Sendable, Hashable {
        case armed(Duration)
        case fired
        /// It was let go before its time.
        case disarmed
        case paused
        /// With this much left.
        case resumed(Duration)
    }

    /// What is left, while it is paused.
    private var left: Duration?

    /// - Parameters:
    ///   - isHeld: asked when the time is up; while it says true the handler is not called, and the whole duration begins anew.
    ///   - witness: told of each change, the arming by this call included; nobody by default.
    public init(
        _ clock: any HostClock, after duration: Duration, unless isHeld: @escaping @HostActor () -> Bool = { false },
        witness: (@HostActor (Change) -> Void)? = nil, _ handler: @escaping @HostActor () -> Void
    ) {
        self.clock = clock
        self.isHeld = isHeld
        self.handler = handler
        self.duration = duration
        self.witness = witness
        schedule(duration)
        witness?(.armed(duration))
    }

    isolated deinit {
        if let witness, left != nil || deadline?.isPending == true { witness(.disarmed) }
    }

    /// Idempotent.
    public func pause() {
        guard let deadline, deadline.isPending else { return }
        left = .nanoseconds(Int64(clamping: deadline.instant - min(deadline.instant, clock.now)))
        self.deadline = nil
        witness?(.paused)
    }

    /// Goes on with what was left; nothing if it was not paused.
    public func resume() {
        guard let left else { return }
        self.left = nil
        schedule(left)
        witness?(.resumed(left))
    }

    private func schedule(_ duration: Duration) {
        deadline = clock.schedule(after: duration) { [weak self] in self?.fire() }
    }

    private func fire() {
        if isHeld() {
            schedule(duration)
            witness?(.armed(duration))
            return
        }
        deadline = nil
        witness?(.fired)
        handler()
    }
}
