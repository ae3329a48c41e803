// ClockAdvance: moving virtual time so that the result does not depend on how fast anybody is.

import EventLoop

/// Moves a virtual clock from deadline to deadline, one at a time; before each everybody rests (`Turns`).
@HostActor
final class ClockAdvance {
    private let clock: VirtualClock
    private let turns: Turns
    private let target: UInt64
    private let done: @HostActor () -> Void

    static func run(_ clock: VirtualClock, by duration: Duration, _ turns: Turns, done: @escaping @HostActor () -> Void) {
        let nanoseconds = duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
        // Time ends with the numbers for it; a clock moved that far stands still.
        let (target, overflow) = clock.now.addingReportingOverflow(UInt64(nanoseconds))
        ClockAdvance(clock, to: overflow ? .max : target, turns, done).step()
    }

    private init(_ clock: VirtualClock, to target: UInt64, _ turns: Turns, _ done: @escaping @HostActor () -> Void) {
        self.clock = clock
        self.target = target
        self.turns = turns
        self.done = done
    }

    private func step() {
        turns.whenQuiet { [self] in
            guard !turns.isOver, clock.advanceToNext(until: target) else { return done() }
            step()
        }
    }
}
