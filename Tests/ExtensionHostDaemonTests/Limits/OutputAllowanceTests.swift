// OutputAllowanceTests: how much output a rate lets through.

import Testing

@testable import ExtensionHostDaemon

@Suite struct OutputAllowanceTests {
    private let second: UInt64 = 1_000_000_000

    @Test func aSecondsWorthComesAtOnceAndThenAsMuchAsTimeGives() {
        var allowance = OutputAllowance(rate: 1000, now: 5 * second)
        #expect(allowance.take(600, now: 5 * second) == 600)
        #expect(allowance.take(600, now: 5 * second) == 400)
        #expect(allowance.take(1, now: 5 * second) == 0)
        #expect(allowance.take(1000, now: 5 * second + second / 4) == 250)
        #expect(allowance.dropped == 200 + 1 + 750)
    }

    @Test func whatIsNotUsedIsNotSaved() {
        var allowance = OutputAllowance(rate: 1000, now: 0)
        #expect(allowance.take(5000, now: 3600 * second) == 1000)
    }

    @Test func aClockThatStandsStillOrGoesBackGivesNothing() {
        var allowance = OutputAllowance(rate: 1000, now: 9 * second)
        #expect(allowance.take(1000, now: 9 * second) == 1000)
        #expect(allowance.take(1000, now: 1 * second) == 0)
        #expect(allowance.take(1000, now: 10 * second) == 1000)
    }
}
