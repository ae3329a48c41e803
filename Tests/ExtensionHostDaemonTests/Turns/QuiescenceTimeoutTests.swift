// QuiescenceTimeoutTests: who is waited for how long, by what it does meanwhile.

import Testing

@testable import ExtensionHostDaemon

@Suite struct QuiescenceTimeoutTests {
    /// Milliseconds of real time until it is not waited for any more, looked at every `step`; nil: not within a minute.
    private func end(every step: UInt64 = 1, _ sight: (UInt64) -> QuiescenceTimeout.Sight) -> (
        UInt64, QuiescenceTimeout.End
    )? {
        var timeout = QuiescenceTimeout(at: 0)
        for look in 0...60_000 / step {
            let now = look * step
            if let end = timeout.look(at: now * 1_000_000, { sight(now * 1_000_000) }) { return (now, end) }
        }
        return nil
    }

    @Test func whoRunsIsWaitedForForASecondOfItsOwn() throws {
        let found = try #require(end { .runs(spent: [1: 7_000_000_000 + $0]) })
        #expect(found.1 == .spent && (1000...1100).contains(found.0), "\(found)")
    }

    @Test func whoRunsRarelyOnABusyMachineIsWaitedForLonger() throws {
        let found = try #require(end { .runs(spent: [1: $0 / 20]) })
        #expect(found.1 == .spent && (20_000...20_100).contains(found.0), "\(found)")
    }

    @Test func whoWaitsForADiskIsWaitedForToTheBound() throws {
        let found = try #require(end { _ in .runs(spent: [1: 1]) })
        #expect(found == (30_000, .bound))
    }

    @Test func whoCouldAnswerIsWaitedForForASecond() throws {
        let found = try #require(end { _ in .stands(waited: [1: 5]) })
        #expect(found.1 == .spent && (1000...1100).contains(found.0), "\(found)")
    }

    @Test func whoWaitsForAProcessorCouldNotAnswer() throws {
        let found = try #require(end { .stands(waited: [1: $0 * 9 / 10]) })
        #expect(found.1 == .spent && (10_000...10_100).contains(found.0), "\(found)")
        #expect(try #require(end { .stands(waited: [1: $0 * 3]) }).1 == .bound)
    }

    /// It was not running itself.
    @Test func whatTheDaemonDidNotSeeCountsLittle() throws {
        let found = try #require(end(every: 5_000) { _ in .stands(waited: [:]) })
        #expect(found == (30_000, .bound))
    }

    @Test func countsThatGoBackCountNothing() throws {
        var timeout = QuiescenceTimeout(at: 0)
        for look in 1...40 {
            // A child that nobody waited for takes its time along.
            let spent: UInt64 = look.isMultiple(of: 2) ? 100_000_000 : 150_000_000
            let end = timeout.look(at: UInt64(look) * 50_000_000) { .runs(spent: [1: spent]) }
            #expect((end == .spent) == (look == 41))
        }
    }

    /// However many there are, and however many processors: the second is that of the one that runs most.
    @Test(arguments: [1, 4, 100])
    func whoRunsWithManyThreadsIsWaitedForNoShorter(threads: Int32) throws {
        let found = try #require(
            end { now in .runs(spent: Dictionary(uniqueKeysWithValues: (1...threads).map { ($0, now) })) })
        #expect(found.1 == .spent && (1000...1100).contains(found.0), "\(found)")
        // On one processor, each has its share of it.
        let shared = try #require(
            end { now in
                .runs(spent: Dictionary(uniqueKeysWithValues: (1...threads).map { ($0, now / UInt64(threads)) }))
            })
        let expected = min(1000 * UInt64(threads), 30_000)
        #expect((expected...expected + 100).contains(shared.0), "\(shared)")
    }

    /// One after the other, each too short to be seen twice.
    @Test func whoLetsOthersRunForItIsWaitedForForASecondOfTheirs() throws {
        let found = try #require(end { .runs(spent: [7: $0 / 100, -7: $0 * 9 / 10]) })
        #expect(found.1 == .spent && (1100...1200).contains(found.0), "\(found)")
    }

    /// Its parent has its time when it has waited for it.
    @Test func whatAChildRanIsNotCountedTwice() throws {
        var timeout = QuiescenceTimeout(at: 0)
        for look in 1...20 as ClosedRange<UInt64> {
            let now = look * 50_000_000
            #expect(
                timeout.look(at: now) { .runs(spent: look <= 18 ? [7: 0, 8: now] : [7: 0, -7: 18 * 50_000_000]) } == nil
            )
        }
    }

    /// Seven threads of a host's that want a processor, of which there are two: together they wait for more than
    /// passes.
    @Test func whoseManyThreadsWaitIsNotWaitedForToTheBound() throws {
        let found = try #require(
            end { now in .stands(waited: Dictionary(uniqueKeysWithValues: (1...7).map { ($0, now * 5 / 7) })) })
        #expect(found.1 == .spent && (3500...3650).contains(found.0), "\(found)")
    }

    @Test func theEndIsToldOnce() {
        var timeout = QuiescenceTimeout(at: 0)
        var ends = 0
        for look in 0...10_000 where timeout.look(at: UInt64(look) * 10_000_000, { .stands(waited: [:]) }) != nil {
            ends += 1
        }
        #expect(ends == 1 && timeout.end == .spent)
    }
}
