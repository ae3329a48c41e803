// ClockAdvance: the advance of a virtual clock, whose result does not depend on the speed of any process.

import EventLoop

/// Moves a virtual clock from deadline to deadline, one at a time.
///
/// Before each step, all processes and hosts are quiescent (`DeterministicScheduler`).
@HostActor
final class ClockAdvance {
    private let clock: VirtualClock
    private let scheduler: DeterministicScheduler
    private let target: UInt64
    private let done: @HostActor () -> Void

    static func run(
        _ clock: VirtualClock, by duration: Duration, _ scheduler: DeterministicScheduler,
        done: @escaping @HostActor () -> Void
    ) {
        let nanoseconds = duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
        // Time ends where its number overflows; a clock that has moved that far stops.
        let (target, overflow) = clock.now.addingReportingOverflow(UInt64(nanoseconds))
        ClockAdvance(clock, to: overflow ? .max : target, scheduler, done).step()
    }

    private init(
        _ clock: VirtualClock, to target: UInt64, _ scheduler: DeterministicScheduler,
        _ done: @escaping @HostActor () -> Void
    ) {
        self.clock = clock
        self.target = target
        self.scheduler = scheduler
        self.done = done
    }

    private func step() {
        scheduler.whenQuiet { [self] in
            guard !scheduler.isOver, clock.advanceToNext(until: target) else { return done() }
            step()
        }
    }
}
