// PatienceTests: who is waited for how long, by what it does meanwhile.

import Testing

@testable import ExtensionHostDaemon

@Suite struct PatienceTests {
    /// Milliseconds of real time until it is not waited for any more, looked at every `step`; nil: not within a minute.
    private func end(every step: UInt64 = 1, _ sight: (UInt64) -> Patience.Sight) -> (UInt64, Patience.End)? {
        var patience = Patience(at: 0)
        for look in 0...60_000 / step {
            let now = look * step
            if let end = patience.look(at: now * 1_000_000, { sight(now * 1_000_000) }) { return (now, end) }
        }
        return nil
    }

    @Test func whoRunsIsWaitedForForASecondOfItsOwn() throws {
        let found = try #require(end { .runs(spent: 7_000_000_000 + $0) })
        #expect(found.1 == .spent && (1000...1100).contains(found.0), "\(found)")
    }

    @Test func whoRunsRarelyOnABusyMachineIsWaitedForLonger() throws {
        let found = try #require(end { .runs(spent: $0 / 20) })
        #expect(found.1 == .spent && (20_000...20_100).contains(found.0), "\(found)")
    }

    @Test func whoWaitsForADiskIsWaitedForToTheBound() throws {
        let found = try #require(end { _ in .runs(spent: 1) })
        #expect(found == (30_000, .bound))
    }

    @Test func whoCouldAnswerIsWaitedForForASecond() throws {
        let found = try #require(end { _ in .stands(waited: 5) })
        #expect(found.1 == .spent && (1000...1100).contains(found.0), "\(found)")
    }

    @Test func whoWaitsForAProcessorCouldNotAnswer() throws {
        let found = try #require(end { .stands(waited: $0 * 9 / 10) })
        #expect(found.1 == .spent && (10_000...10_100).contains(found.0), "\(found)")
        #expect(try #require(end { .stands(waited: $0 * 3) }).1 == .bound)
    }

    /// It was not running itself.
    @Test func whatTheDaemonDidNotSeeCountsLittle() throws {
        let found = try #require(end(every: 5_000) { _ in .stands(waited: 0) })
        #expect(found == (30_000, .bound))
    }

    @Test func countsThatGoBackCountNothing() throws {
        var patience = Patience(at: 0)
        for look in 1...40 {
            // A child that nobody waited for takes its time along.
            let spent: UInt64 = look.isMultiple(of: 2) ? 100_000_000 : 150_000_000
            let end = patience.look(at: UInt64(look) * 50_000_000) { .runs(spent: spent) }
            #expect((end == .spent) == (look == 41))
        }
    }

    @Test func theEndIsToldOnce() {
        var patience = Patience(at: 0)
        var ends = 0
        for look in 0...10_000 where patience.look(at: UInt64(look) * 10_000_000, { .stands(waited: 0) }) != nil { ends += 1 }
        #expect(ends == 1 && patience.end == .spent)
    }
}
