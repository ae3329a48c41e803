// ExtensionClock: the time that an extension shares with its daemon: the system's, or a test's.

import Dispatch
package import ExtensionConnection
package import ExtensionItems
import ExtensionWire
import Foundation
import Locks

/// A clock on which an extension waits so that a test can move its time. Ours.
///
/// Under a daemon with a real clock, and in a program that no daemon started, it is the system's `ContinuousClock`.
/// Under `exthostd --clock virtual` it shows the daemon's time. That time stands still until the test moves it, and
/// moves only while the extension is idle. Code that waits only for this clock counts as idle. The test does not wait
/// for code on another clock, for example `Task.sleep(for:)` without a clock.
///
/// ```swift
/// try await Task.sleep(for: .seconds(20), clock: ExtensionClock())
/// ```
///
/// Safe to use from any thread.
public struct ExtensionClock: Clock, Sendable {
    /// An instant of the clock: the time since the daemon's start if the clock is virtual, else since a time before the
    /// program's start.
    ///
    /// Instants of two processes cannot be compared.
    public struct Instant: InstantProtocol, Sendable {
        let offset: Duration

        /// The instant that is later by `duration`.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns how much later `other` is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    /// Makes the clock; all clocks of a process show the same time.
    public init() {}

    /// The time that the clock shows.
    public var now: Instant {
        guard let time = ExtensionTime.shared.now else { return Instant(offset: Self.systemStart.duration(to: .now)) }
        return Instant(offset: .nanoseconds(time))
    }

    /// The resolution of the clock: a nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the clock shows `deadline`; returns at once if it already does.
    ///
    /// - Parameters:
    ///   - deadline: the instant at which the wait ends.
    ///   - tolerance: the allowed delay on the system's clock; a virtual one is exact.
    /// - Throws: `CancellationError` as soon as the task is cancelled; `ExtensionHostError` `quotaExceeded` if 1,024
    ///   sleeps of this process are open.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        guard ExtensionTime.shared.now != nil else {
            return try await ContinuousClock().sleep(
                until: Self.systemStart.advanced(by: deadline.offset), tolerance: tolerance)
        }
        try Task.checkCancellation()
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleeper.begin(until: deadline.offset) { continuation.resume(with: $0) }
            }
        } onCancel: {
            sleeper.cancel()
        }
    }

    /// Blocks the thread until the clock shows `deadline`; returns at once if it already does.
    ///
    /// It is for code that cannot be asynchronous, such as a completion handler. The time of a virtual clock can move
    /// while it waits here.
    ///
    /// - Throws: `ExtensionHostError` `quotaExceeded` if 1,024 sleeps of this process are open.
    @available(*, noasync, message: "use sleep(until:)")
    public func wait(until deadline: Instant) throws {
        guard ExtensionTime.shared.now != nil else {
            let left = ContinuousClock.now.duration(to: Self.systemStart.advanced(by: deadline.offset))
            if left > .zero { Thread.sleep(forTimeInterval: left / .seconds(1)) }
            return
        }
        let sleeper = Sleeper()
        let semaphore = DispatchSemaphore(value: 0)
        let ending = Mutex<Result<Void, any Error>>(.success(()))
        try ExtensionTime.shared.rest {
            sleeper.begin(until: deadline.offset) { result in
                ending.withLock { $0 = result }
                semaphore.signal()
            }
            semaphore.wait()
            try ending.withLock { try $0.get() }
        }
    }

    /// Calls `handler` when `delay` has passed on this clock, and then every `interval` if there is one, until the
    /// timer is cancelled or released.
    ///
    /// - Parameters:
    ///   - delay: the time until the first call.
    ///   - interval: the time between two calls; nil for one call only.
    ///   - handler: called on a concurrent queue, one call after the other. The time of a virtual clock stands still
    ///     meanwhile.
    public func timer(
        after delay: Duration, every interval: Duration? = nil, _ handler: @escaping @Sendable () -> Void
    ) -> ExtensionTimer {
        ExtensionTimer(self, after: delay, every: interval, handler)
    }

    private static let systemStart = ContinuousClock.now
}

/// A timer that calls a handler once or repeatedly on an `ExtensionClock`.
///
/// It ends with `cancel`, or with its last reference.
///
/// Safe to use from any thread.
public final class ExtensionTimer: Sendable {
    private let task: Task<Void, Never>

    fileprivate init(
        _ clock: ExtensionClock, after delay: Duration, every interval: Duration?,
        _ handler: @escaping @Sendable () -> Void
    ) {
        let first = clock.now.advanced(by: delay)
        task = Task.detached {
            var next = first
            while true {
                do {
                    try await clock.sleep(until: next)
                } catch {
                    return
                }
                if Task.isCancelled { return }
                ExtensionTime.shared.run(handler)
                guard let interval, interval > .zero else { return }
                next = next.advanced(by: interval)
            }
        }
    }

    deinit { task.cancel() }

    /// Cancels the timer: no call begins after this. Idempotent.
    public func cancel() { task.cancel() }
}

/// The state of the daemon's clock, if it is virtual. Each process has one.
package final class ExtensionTime: Sendable {
    package static let shared = ExtensionTime()

    private struct State {
        /// The time in nanoseconds; nil if the clock is the system's.
        var now: Int64?
        var channel: Channel?
        var activity: Activity?
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// The time in nanoseconds on the daemon's clock; nil if time is the system's.
    package var now: Int64? { state.withLock { $0.now } }

    /// Follows the daemon's virtual clock, which shows `time`.
    package func follow(_ channel: Channel, _ activity: Activity, from time: Int) throws(ExtensionHostError) {
        state.withLock { state in
            (state.now, state.channel, state.activity) = (Int64(time), channel, activity)
        }
        try channel.send(FollowClock())
    }

    package func moved(to time: Int) { state.withLock { $0.now = Int64(time) } }

    /// Runs the author's code, which a fence waits for.
    func run(_ body: () -> Void) {
        let activity = state.withLock { $0.activity }
        activity?.enter()
        body()
        activity?.leave()
    }

    /// Runs the author's code that only waits for the clock: a fence does not wait for it.
    ///
    /// The thread need not be one whose code counts. In that case a fence that came now would ignore one other call of
    /// the author's. That is harmless for a clock that moves only when every thread sleeps.
    fileprivate func rest(_ body: () throws -> Void) rethrows {
        let activity = state.withLock { $0.activity }
        activity?.leave()
        defer { activity?.enter() }
        try body()
    }

    /// - Returns: a function that cancels the sleep.
    fileprivate func sleep(
        until offset: Duration, _ done: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) -> @Sendable () -> Void {
        let (channel, number) = state.withLock { state in
            state.lastNumber += 1
            return (state.channel, state.lastNumber)
        }
        let (seconds, attoseconds) = offset.components
        // A time beyond the clock's range never comes.
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let time =
            overflow ? (seconds < 0 ? 0 : Int.max) : Int(whole) + Int((attoseconds + 999_999_999) / 1_000_000_000)
        do {
            try channel?.request(Sleep(until: time, number: number)) { answer in
                done(answer.map { _ in }.mapError { $0 })
            }
        } catch {
            done(.failure(error))
        }
        return { try? channel?.send(CancelSleep(number: number)) }
    }
}

/// One sleep, which ends once: with its time or with its task.
private final class Sleeper: Sendable {
    private struct State {
        var done: (@Sendable (Result<Void, any Error>) -> Void)?
        var giveUp: (@Sendable () -> Void)?
        var isOver = false
    }

    private let state = Mutex(State())

    func begin(until offset: Duration, _ done: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.done = done }
            return state.isOver
        }
        guard !isOver else { return done(.failure(CancellationError())) }
        let giveUp = ExtensionTime.shared.sleep(until: offset) { [self] result in finish(result) }
        let isLate = state.withLock { state in
            if !state.isOver { state.giveUp = giveUp }
            return state.isOver
        }
        if isLate { giveUp() }
    }

    func cancel() {
        let giveUp = state.withLock { $0.giveUp }
        finish(.failure(CancellationError()))
        giveUp?()
    }

    private func finish(_ result: Result<Void, any Error>) {
        let done = state.withLock { state in
            defer { (state.done, state.giveUp, state.isOver) = (nil, nil, true) }
            return state.done
        }
        done?(result)
    }
}
