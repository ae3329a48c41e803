// Descriptors, timers, signals and process ends as events of the loop.

import EventLoop
import Glibc
import LinuxSystem
import Locks
import Testing

@Suite(.timeLimit(.minutes(1))) struct SourceTests {
    init() { LoopThread.start() }

    // MARK: Descriptors

    @Test @HostActor func aReadableDescriptorCallsItsHandlerForAsLongAsItIsReadable() async throws {
        let pipe = try Pipe()
        let calls = Box(0)
        var source: IOSource?
        try await callback(of: Void.self) { done in
            source = try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { events in
                #expect(events == .readable)
                calls.value += 1
                if calls.value == 3 {
                    pipe.drain()
                    done(())
                }
            }
            pipe.write("x")
        }
        await Iterations.pass(3)
        #expect(calls.value == 3)
        source?.cancel()
    }

    @Test @HostActor func changingTheEventsChangesWhatIsReported() async throws {
        let (one, other) = try socketPair()
        let seen = Box<[IOEvents]>([])
        let source = try EventLoop.shared.watch(descriptor: one.raw, for: .readable) { seen.value.append($0) }
        await Iterations.pass(3)
        #expect(seen.value.isEmpty)
        try source.setEvents(.writable)
        await Iterations.until { !seen.value.isEmpty }
        #expect(seen.value.first == .writable)
        source.isEnabled = false
        #expect(!source.isEnabled)
        let before = seen.value.count
        await Iterations.pass(3)
        #expect(seen.value.count == before)
        try source.setEvents([.readable, .readHangUp])
        source.isEnabled = true
        shutdown(other.raw, Int32(SHUT_RDWR))
        await Iterations.until { seen.value.count > before }
        #expect(seen.value.last?.contains([.readHangUp, .hangUp]) == true)
        source.cancel()
    }

    @Test @HostActor func afterCancelInsideTheHandlerItIsNotCalledAgain() async throws {
        let pipe = try Pipe()
        let calls = Box(0)
        let holder = Box<IOSource?>(nil)
        holder.value = try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in
            calls.value += 1
            holder.value?.cancel()
            holder.value = nil
        }
        pipe.write("x")
        await Iterations.until { calls.value > 0 }
        await Iterations.pass(5)
        #expect(calls.value == 1)
    }

    @Test @HostActor func anEventThatIsPendingIsNotDeliveredAfterAnotherHandlerCancelled() async throws {
        // Both descriptors are ready in the same iteration; whichever comes first cancels the other.
        let pipes = [try Pipe(), try Pipe()]
        let calls = Box(0)
        let sources = Box<[IOSource]>([])
        for pipe in pipes {
            sources.value.append(
                try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in
                    calls.value += 1
                    for source in sources.value { source.cancel() }
                })
        }
        for pipe in pipes { pipe.write("x") }
        await Iterations.until { calls.value > 0 }
        await Iterations.pass(5)
        #expect(calls.value == 1)
    }

    @Test @HostActor func ofManyThatAreAlwaysReadyEachHasItsTurn() async throws {
        let pipes = try (0..<40).map { _ in try Pipe() }
        let calls = Box(Array(repeating: 0, count: pipes.count))
        let clock = try RealClock()
        let isDue = Box(false)
        let deadline = clock.schedule(after: .milliseconds(1)) { isDue.value = true }
        var sources: [IOSource] = []
        for (number, pipe) in pipes.enumerated() {
            pipe.write("x")
            sources.append(
                try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in calls.value[number] += 1
                })
        }
        // A deadline, other threads' jobs and what is to follow an event have their turn as well.
        let follows = Box(false)
        EventLoop.shared.atEndOfIteration { follows.value = true }
        await Task.detached { await Task { @HostActor in }.value }.value
        await Iterations.until { isDue.value && calls.value[0] >= 10 }
        let (fewest, most) = (calls.value.min() ?? 0, calls.value.max() ?? 0)
        #expect(fewest >= 8 && most - fewest <= 2, "\(calls.value)")
        #expect(follows.value && !deadline.isPending)
        for source in sources { source.cancel() }
    }

    /// What was ready before it was left alone is told again, and once.
    @Test @HostActor func oneThatAnotherHandlerDisablesIsNotCalledUntilItIsEnabled() async throws {
        let pipes = [try Pipe(), try Pipe()]
        let calls = Box([0, 0])
        let sources = Box<[IOSource]>([])
        for (number, pipe) in pipes.enumerated() {
            sources.value.append(
                try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in
                    calls.value[number] += 1
                    pipe.drain()
                    sources.value[1 - number].isEnabled = false
                })
        }
        for pipe in pipes { pipe.write("x") }
        await Iterations.until { calls.value != [0, 0] }
        await Iterations.pass(5)
        #expect(calls.value.sorted() == [0, 1])
        for source in sources.value { source.isEnabled = true }
        await Iterations.until { calls.value == [1, 1] }
        await Iterations.pass(5)
        #expect(calls.value == [1, 1])
        for source in sources.value { source.cancel() }
    }

    @Test @HostActor func lettingGoOfASourceOnTheLoopEndsItAtOnce() async throws {
        let pipe = try Pipe()
        let calls = Box(0)
        var source: IOSource? = try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in
            calls.value += 1
        }
        pipe.write("x")
        #expect(source?.isEnabled == true)
        source = nil
        await Iterations.pass(5)
        #expect(calls.value == 0)
    }

    @Test @HostActor func lettingGoOfASourceOnAnotherThreadIsSafeAndFreesTheDescriptorForANewSource() async throws {
        let pipe = try Pipe()
        for _ in 0..<50 {
            let parcel = Parcel(try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in })
            await Task.detached { parcel.drop() }.value
            // Its end may still be on its way to the loop.
            await Iterations.pass(2)
        }
        try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in }.cancel()
    }

    @Test @HostActor func whatCannotBeWatchedIsRefusedByName() throws {
        let pipe = try Pipe()
        let source = try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in }
        #expect(throws: LoopError.call(SystemError("epoll_ctl", code: EEXIST))) {
            try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in }
        }
        source.cancel()
        let file = OwnedDescriptor(owning: open("/proc/self/exe", O_RDONLY | O_CLOEXEC))
        #expect(throws: LoopError.call(SystemError("epoll_ctl", code: EPERM))) {
            try EventLoop.shared.watch(descriptor: file.raw, for: .readable) { _ in }
        }
    }

    @Test @HostActor func handlersAndWhatTheyHoldAreLetGoOfWithTheSource() async throws {
        let pipe = try Pipe()
        weak var seen: Box<Int>?
        let source: IOSource
        do {
            let held = Box(0)
            seen = held
            source = try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in held.value += 1 }
        }
        #expect(seen != nil)
        source.cancel()
        #expect(seen == nil)
    }

    // MARK: Timers

    @Test @HostActor func timersAreNeverEarly() async throws {
        let fired = Box(0)
        var timers: [TimerSource] = []
        // Odd nanoseconds: rounding to sd-event's microseconds must go up.
        let delays = (0..<40).map { Duration.nanoseconds(1_000_001 + (($0 * 17) % 40) * 300_333) }
        try await callback(of: Void.self) { done in
            for delay in delays {
                let start = ContinuousClock.now
                let timer = try TimerSource {
                    #expect(start.duration(to: .now) >= delay)
                    fired.value += 1
                    if fired.value == delays.count { done(()) }
                }
                timer.arm(after: delay)
                timers.append(timer)
            }
        }
        for timer in timers { timer.cancel() }
    }

    @Test @HostActor func aTimerCanBeArmedAgainInItsHandlerAndDisarmed() async throws {
        let fired = Box(0)
        let holder = Box<TimerSource?>(nil)
        try await callback(of: Void.self) { done in
            holder.value = try TimerSource {
                fired.value += 1
                #expect(holder.value?.isArmed == false)
                if fired.value < 5 { holder.value?.arm(after: .microseconds(200)) } else { done(()) }
            }
            #expect(holder.value?.isArmed == false)
            holder.value?.arm(after: .zero)
        }
        holder.value?.arm(after: .microseconds(100))
        holder.value?.disarm()
        let after = try TimerSource {}
        after.arm(after: .milliseconds(2))
        await Iterations.until { !after.isArmed }
        #expect(fired.value == 5)
        holder.value = nil
    }

    @Test @HostActor func armingAgainReplacesTheEarlierTime() async throws {
        let start = ContinuousClock.now
        var timer: TimerSource?
        try await callback(of: Void.self) { done in
            timer = try TimerSource { done(()) }
            timer?.arm(after: .seconds(3600))
            timer?.arm(after: .milliseconds(1))
        }
        #expect(start.duration(to: .now) < .seconds(60))
        timer?.cancel()
        timer?.arm(after: .zero)
        #expect(timer?.isArmed == false)
    }

    // MARK: Signals

    @Test @HostActor func aSignalComesAsAnEventWithItsSender() async throws {
        var source: SignalSource?
        let signal: ReceivedSignal = try await callback { done in
            // A signal that no other test of this process sends: CaughtSignalsTests use SIGUSR2.
            source = try EventLoop.shared.watch(signal: SIGIO, handler: done)
            // To this thread only: the others of the test process do not block it.
            pthread_kill(pthread_self(), SIGIO)
        }
        #expect((signal.number, signal.pid, signal.uid) == (SIGIO, getpid(), getuid()))
        source?.cancel()
    }

    @Test func aSignalBlockedBeforeRunReachesItsSourceAndItsHandlerMayStopTheLoop() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try EventLoop.blockSignals([SIGTERM])
            exit(
                try EventLoop.shared.run {
                    do {
                        let holder = Box<SignalSource?>(nil)
                        holder.value = try EventLoop.shared.watch(signal: SIGTERM) { _ in
                            holder.value?.cancel()
                            EventLoop.shared.stop(exitCode: 7)
                        }
                        pthread_kill(pthread_self(), SIGTERM)
                    } catch {
                        EventLoop.shared.stop(exitCode: 1)
                    }
                })
        }
    }

    // MARK: Processes

    @Test @HostActor func theEndOfAProcessIsReportedOnceAndItCanBeReaped() async throws {
        let child = try ChildProcess(["/bin/sh", "-c", "read line; exit 5"])
        let calls = Box(0)
        let source = try EventLoop.shared.watchProcessExit(pidfd: child.pidfd.raw) { calls.value += 1 }
        await Iterations.pass(3)
        #expect(calls.value == 0)
        child.writeLine("go")
        await Iterations.until { calls.value > 0 }
        await Iterations.pass(5)
        #expect(calls.value == 1)
        #expect(child.reap() == 5)
        source.cancel()
    }
}

/// Hands a reference to another thread and lets go of it there.
private final class Parcel: Sendable {
    private let content: Mutex<IOSource?>
    init(_ source: IOSource) { content = Mutex(source) }
    func drop() { content.withLock { $0 = nil } }
}
