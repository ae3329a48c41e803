// RandomKillTimingTests: nothing outlives a random kill by more than a second.

import Testing

/// Each of everything within a second: see `MemoryKillTimingTests`.
@Suite(.serialized) struct RandomKillTimingTests {
    @Test(arguments: RandomKillTests.rows) func nothingOutlivesARandomKillByASecond(row: RandomKillTests.Row) async throws {
        try await RandomKillTests.play(row, goneWithin: 1)
    }
}
