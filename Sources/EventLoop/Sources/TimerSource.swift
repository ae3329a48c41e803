// TimerSource: a one-shot timer on CLOCK_MONOTONIC that can be armed repeatedly.

internal import CSystemd
internal import Glibc

/// A timer, disarmed when made. It never fires early, and late by no more than the kernel and the loop need.
///
/// Timers that are due at once fire in no particular order; a caller that needs an order uses a `HostClock`.
///
/// The timer ends with `cancel` or with its last reference, as `IOSource` does.
@HostActor
public final class TimerSource {
    private let source: EventSource<Void>

    /// - Parameter handler: called at the armed time; the timer is disarmed then, and the handler may arm it again.
    public init(
        priority: EventPriority = .normal, handler: @escaping @HostActor () -> Void
    ) throws(LoopError) {
        source = try EventSource("sd_event_add_time", priority: priority, handler: handler) { loop, pointer, userdata in
            let callback: sd_event_time_handler_t = { _, _, userdata in
                HostActor.enter(userdata) { EventSource<Void>.at($0).fire(()) } ?? 0
            }
            // An accuracy of 1 µs: 0 would mean sd-event's default, 250 ms (sd_event_add_time(3)).
            return sd_event_add_time(loop, &pointer, CLOCK_MONOTONIC, UInt64.max, 1, callback, userdata)
        }
        source.isEnabled = false
    }

    isolated deinit { source.cancel() }

    /// Fires once at `instant`, nanoseconds of CLOCK_MONOTONIC, or at once if it has passed. The call replaces any
    /// earlier arming.
    public func arm(at instant: UInt64) {
        guard let pointer = source.pointer else { return }
        // sd-event counts microseconds: rounding up prevents an early call.
        let microseconds = instant / 1000 + (instant % 1000 == 0 ? 0 : 1)
        let timed = sd_event_source_set_time(pointer, microseconds)
        let enabled = sd_event_source_set_enabled(pointer, Int32(SD_EVENT_ONESHOT))
        // Both refuse misuse only (not a timer, a loop that was ended by sd_event_exit, a forked process), see
        // sd_event_source_set_time(3). A deadline that silently never comes would be worse than a stop.
        precondition(timed >= 0 && enabled >= 0, "a timer could not be armed")
    }

    /// Fires once when `duration` has passed from now; at once if it is not positive.
    public func arm(after duration: Duration) {
        arm(at: MonotonicTime.now.addingSaturating(duration.saturatingNanoseconds))
    }

    /// Clears the armed time.
    public func disarm() { source.isEnabled = false }

    public var isArmed: Bool { source.isEnabled }

    /// Cancels the timer: the handler is not called after this returns, and the timer is of no further use.
    public func cancel() { source.cancel() }
}
