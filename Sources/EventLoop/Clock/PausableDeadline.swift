// PausableDeadline: a deadline that can be paused.

/// A call after a duration that does not count pauses. Releasing the deadline cancels the call.
@HostActor
public final class PausableDeadline {
    private let clock: any HostClock
    private let isHeld: @HostActor () -> Bool
    private let handler: @HostActor () -> Void
    private let duration: Duration
    private let witness: Witness?
    private var deadline: Deadline?
    /// A change of the deadline, for an observer.
    public enum Change: Sendable, Hashable {
        case armed(Duration)
        case fired
        /// The deadline was released before its time.
        case disarmed
        case paused
        /// The deadline continues, with this much left.
        case resumed(Duration)
    }

    /// The time that is left, while the deadline is paused.
    private var left: Duration?

    /// - Parameters:
    ///   - isHeld: called when the time is up; if it returns true, the handler is not called, and the whole duration
    ///     begins again.
    ///   - witness: called with each change, the arming by this call included; none by default.
    public init(
        _ clock: any HostClock, after duration: Duration, unless isHeld: @escaping @HostActor () -> Bool = { false },
        witness: (@HostActor (Change) -> Void)? = nil, _ handler: @escaping @HostActor () -> Void
    ) {
        self.clock = clock
        self.isHeld = isHeld
        self.handler = handler
        self.duration = duration
        self.witness = witness.map(Witness.init)
        schedule(duration)
        self.witness?.tell(.armed(duration))
    }

    /// The observer. A deadline without one needs no deinitializer.
    @HostActor
    private final class Witness {
        private let observe: @HostActor (Change) -> Void
        private var isArmed = false

        init(_ observe: @escaping @HostActor (Change) -> Void) { self.observe = observe }

        func tell(_ change: Change) {
            isArmed = change != .fired
            observe(change)
        }

        isolated deinit { if isArmed { observe(.disarmed) } }
    }

    /// Pauses the deadline. Idempotent.
    public func pause() {
        guard let deadline, deadline.isPending else { return }
        left = .nanoseconds(Int64(clamping: deadline.instant - min(deadline.instant, clock.now)))
        self.deadline = nil
        witness?.tell(.paused)
    }

    /// Continues with the time that was left; does nothing if the deadline was not paused.
    public func resume() {
        guard let left else { return }
        self.left = nil
        schedule(left)
        witness?.tell(.resumed(left))
    }

    private func schedule(_ duration: Duration) {
        deadline = clock.schedule(after: duration) { [weak self] in self?.fire() }
    }

    private func fire() {
        if isHeld() {
            schedule(duration)
            witness?.tell(.armed(duration))
            return
        }
        deadline = nil
        witness?.tell(.fired)
        handler()
    }
}
