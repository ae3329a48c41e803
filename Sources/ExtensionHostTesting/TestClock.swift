// TestClock: the control of the daemon's virtual time in a test.

import ExtensionHost

/// The control of a virtual clock. On a daemon with a real clock, moving fails.
public struct TestClock: Sendable {
    let control: DaemonControl

    /// Advances time by `duration`, from timer to timer; each is handled before the next.
    ///
    /// Between two timers every extension has said hello and is idle. Returns when all timers that became due have been
    /// handled.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` on a real clock, `connectionLost`.
    public func advance(by duration: Duration) async throws { try await control.advanceClock(by: duration) }
}
