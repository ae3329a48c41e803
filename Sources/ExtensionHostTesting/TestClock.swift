// TestClock: the daemon's virtual time in a test's hands.

import ExtensionHost

/// Moves a virtual clock. On a daemon with a real clock, moving fails.
public struct TestClock: Sendable {
    let control: DaemonControl

    /// Moves time on by `duration`, from timer to timer, each handled before the next: between them every extension has
    /// said hello and rests. Returns when all that became due has been handled.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` on a real clock, `connectionLost`.
    public func advance(by duration: Duration) async throws { try await control.advanceClock(by: duration) }
}
