// ScenarioTimingTests: how much of a test's real time a scenario under a virtual clock takes.

import ExtensionHostTesting
import LinuxSystem
import Testing

/// See `MemoryKillTimingTests`.
@Suite(.serialized) struct ScenarioTimingTests {
    private static let rounds = 40
    /// Of the middle of the times. A virtual clock moves when all processes rest, and it looks for that.
    private static let bound = 4.0

    /// 30 s until an expiry and 5 min until an idle end, over real processes, with the daemon's start and end; beside
    /// the same steps under the system's clock, with limits of a millisecond. The two take turns, so whatever else the
    /// machine does slows both.
    @Test(.disabled(if: isSanitized, "a sanitizer's times are not the program's"))
    func fiveMinutesAndAnExpiryTakeLittleMoreThanTwoMilliseconds() async throws {
        let bundles = try ClockScenario.bundles()
        var times: (virtual: [Double], real: [Double]) = ([], [])
        var first: NormalForm?
        for _ in 0..<Self.rounds {
            let start = ContinuousClock.now
            let log = try await ClockScenario.playBriefly(bundles, isVirtual: true)
            let middle = ContinuousClock.now
            _ = try await ClockScenario.playBriefly(bundles, isVirtual: false)
            times.virtual.append((middle - start) / .seconds(1))
            times.real.append((ContinuousClock.now - middle) / .seconds(1))
            #expect(first?.firstDifference(from: log) == nil)
            first = first ?? log
        }
        let (virtual, real) = (Spread(times.virtual), Spread(times.real))
        StandardStreams.writeError(
            "five minutes and an expiry under a virtual clock: \(virtual); two milliseconds: \(real)\n")
        #expect(virtual.p50 < real.p50 * Self.bound)
    }
}
