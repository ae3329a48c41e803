// CrashBreakerTests: when an extension that fails again and again is launched, by a table.

import Testing

@testable import ExtensionHostModel

@Suite struct CrashBreakerTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func pausesBeginAtTheLimitDoubleAndStopGrowingAtAMinute() {
        var breaker = CrashBreaker(limit: 3)
        var now: UInt64 = 0
        let early = [breaker.mayLaunch(at: now), breaker.failed(at: now), breaker.mayLaunch(at: now), breaker.failed(at: now)]
        #expect(early == [true, false, true, false])
        var pauses: [Double] = []
        for _ in 0..<9 {
            let (isTried, opens) = (breaker.mayLaunch(at: now), breaker.failed(at: now))
            pauses.append(breaker.delay(at: now))
            let until = now + UInt64(pauses[pauses.count - 1]) * Self.second
            let isTooEarly = !breaker.mayLaunch(at: until - 1)
            #expect(isTried && opens && isTooEarly)
            now = until
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test func afterAPauseOneLaunchIsTriedAndNoOtherUntilItsFateIsKnown() {
        var breaker = CrashBreaker(limit: 1)
        let first = [breaker.failed(at: 0), breaker.mayLaunch(at: Self.second), breaker.mayLaunch(at: 9 * Self.second)]
        #expect(first == [true, true, false] && breaker.state == .halfOpen)
        // It ended as it should and answered nothing: nothing is known.
        breaker.ended()
        let second = [breaker.mayLaunch(at: 9 * Self.second), breaker.close(), breaker.mayLaunch(at: 0), breaker.close()]
        #expect(second == [true, true, true, false] && breaker.failures == 0)
    }

    @Test func timeThatRunsOutAndCountsWithoutEndDoNotOverflow() {
        var breaker = CrashBreaker(limit: 1)
        for _ in 0..<200 { _ = breaker.failed(at: .max - 1) }
        #expect(breaker.state == .open(until: .max) && breaker.delay(at: .max) == 0)
    }

    @Test func theWatchAsksExpectsReportsOnceAndBeginsAnew() {
        var watch = MainQueueWatch()
        var steps = [watch.tick()]
        watch.answered()
        steps += [watch.tick(), watch.tick(), watch.tick()]
        watch.answered()
        steps.append(watch.tick())
        #expect(steps == [.ask, .ask, .report, .wait, .ask])
    }
}
