// AttackTimingTests: how long another host waits during an attack, on a machine with nothing else to do.

import Testing

@Suite(.serialized, .enabled(if: isLong, "Scripts/test --long runs it")) struct AttackTimingTests {
    /// The slowest in a hundred of its requests: at most twice as long as without the attack, and 5 ms.
    @Test(arguments: AttackTests.means) func noAttackKeepsAnotherHostWaiting(row: AttackTests.Row) async throws {
        try await AttackTests.play(row, ["--seconds", "2", "--judge"])
    }
}
