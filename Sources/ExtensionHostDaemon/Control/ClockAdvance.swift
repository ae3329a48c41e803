// ClockAdvance: moving virtual time so that the result does not depend on how fast anybody is.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

/// Moves a virtual clock from deadline to deadline; before each step every extension has said hello and rests.
@HostActor
final class ClockAdvance {
    /// Real time after which an extension that does not rest (it blocks, or never says hello) is no longer waited for.
    private static let patience = Duration.seconds(1)

    private let clock: VirtualClock
    private let engine: Engine
    private let target: UInt64
    private let done: @HostActor () -> Void

    static func run(_ clock: VirtualClock, by duration: Duration, engine: Engine, done: @escaping @HostActor () -> Void) {
        let nanoseconds = duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
        // Time ends with the numbers for it; a clock moved that far stands still.
        let (target, overflow) = clock.now.addingReportingOverflow(UInt64(nanoseconds))
        ClockAdvance(clock, to: overflow ? .max : target, engine, done).step()
    }

    private init(_ clock: VirtualClock, to target: UInt64, _ engine: Engine, _ done: @escaping @HostActor () -> Void) {
        self.clock = clock
        self.target = target
        self.engine = engine
        self.done = done
    }

    private func step() {
        Quiescence.wait(for: engine, patience: Self.patience) { [self] in
            let next = min(clock.nextDeadline ?? target, target)
            let isLast = next >= target
            if next >= clock.now { clock.advance(by: .nanoseconds(Int64(clamping: next - clock.now))) }
            if isLast, (clock.nextDeadline ?? .max) > target {
                Quiescence.wait(for: engine, patience: Self.patience, done)
            } else {
                step()
            }
        }
    }
}

/// Waits until the daemon's processes have said hello and answered a fence.
@HostActor
final class Quiescence {
    private let engine: Engine
    private var timer: TimerSource?
    private var pending = 0
    private var done: (@HostActor () -> Void)?

    static func wait(for engine: Engine, patience: Duration, _ done: @escaping @HostActor () -> Void) {
        let wait = Quiescence(engine, done)
        // Real time, whatever the daemon's clock is. Without a timer there would be no bound, so then nothing is waited for.
        guard let timer = try? TimerSource(handler: { wait.finish() }) else { return done() }
        wait.timer = timer
        timer.arm(after: patience)
        wait.begin()
    }

    private init(_ engine: Engine, _ done: @escaping @HostActor () -> Void) {
        self.engine = engine
        self.done = done
    }

    private func begin() {
        pending = 1
        for process in engine.supervisor.processes.values {
            pending += 1
            process.whenReady { [self] in
                // A suspended one rests.
                guard let peer = process.peer, process.machine.state != .suspended else { return settle() }
                peer.request(Fence()) { [self] _ in settle() }
            }
        }
        settle()
    }

    private func settle() {
        pending -= 1
        if pending == 0 { finish() }
    }

    private func finish() {
        timer?.cancel()
        timer = nil
        let action = done
        done = nil
        action?()
    }
}
