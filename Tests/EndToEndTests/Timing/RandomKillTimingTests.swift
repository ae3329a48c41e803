// RandomKillTimingTests: nothing outlives a random kill by more than a second.

import Testing

/// Only in the long tests, which judge time on the clock: the same rounds without that bound are `RandomKillTests`.
@Suite(.serialized, .enabled(if: isLong, "Scripts/test --long runs it")) struct RandomKillTimingTests {
    @Test(arguments: RandomKillTests.rows) func nothingOutlivesARandomKillByASecond(row: RandomKillTests.Row)
        async throws
    {
        try await RandomKillTests.play(row, goneWithin: 1)
    }
}
