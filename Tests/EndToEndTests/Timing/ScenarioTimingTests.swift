// ScenarioTimingTests: how much of a test's real time a scenario under a virtual clock takes.

import Testing

/// See `MemoryKillTimingTests`.
@Suite(.serialized) struct ScenarioTimingTests {
    /// 30 s until an expiry and 5 min until an idle end, over real processes, with the daemon's start and end.
    @Test(.disabled(if: isSanitized, "a sanitizer's times are not the program's"))
    func fiveMinutesAndAnExpiryTakeLessThan200Milliseconds() async throws {
        let times = try await ClockScenario.repeated(100, ClockScenario.playBriefly)
        // Nine in ten: the machine's other work takes some rounds' time.
        #expect(times[times.count * 9 / 10] < .milliseconds(200))
    }
}
