// CrashBreakerTests: when an extension that fails again and again is launched, by a table.

import ExtensionProtocol
import Testing

@testable import ExtensionHostModel

@Suite struct CrashBreakerTests {
    @Test func pausesBeginAtTheLimitDoubleAndStopGrowingAtAMinute() {
        var breaker = CrashBreaker()
        var pauses: [UInt64?] = []
        for _ in 0..<11 {
            #expect(breaker.admits)
            breaker.tried()
            pauses.append(breaker.failed(limit: 3))
            #expect(breaker.admits == (pauses.last == .some(nil)))
            breaker.pauseOver()
        }
        #expect(pauses.map { $0.map { $0 / 1_000_000_000 } } == [nil, nil, 1, 2, 4, 8, 16, 32, 60, 60, 60])
        for _ in 0..<200 { _ = breaker.failed(limit: 3) }
        #expect(breaker.failed(limit: 3) == CrashBreaker.longestPause)
    }

    @Test func afterAPauseOneLaunchIsTriedAndNoOtherUntilItsFateIsKnown() {
        var breaker = CrashBreaker()
        #expect(breaker.failed(limit: 1) == CrashBreaker.firstPause && breaker.state == .open && !breaker.admits)
        breaker.pauseOver()
        #expect(breaker.admits && breaker.name == "open")
        breaker.tried()
        #expect(breaker.state == .halfOpen && !breaker.admits)
        breaker.pauseOver()
        #expect(breaker.state == .halfOpen)
        // It ended as it should and answered nothing: nothing is known.
        breaker.ended()
        #expect(breaker.state == .due && breaker.admits)
        // Nothing of this concerns a breaker that is closed.
        var closed = CrashBreaker()
        closed.tried()
        closed.ended()
        closed.pauseOver()
        #expect(closed == CrashBreaker())
    }

    @Test func anAnswerForgetsTheFailuresAndNobodyElsesBreaker() {
        var book = BreakerBook()
        let (mine, yours) = (Program.Name("one", of: 1), Program.Name("one", of: 2))
        #expect(book.failed(mine, limit: 1) != nil && book.failed(yours, limit: 2) == nil)
        #expect(book.open.map(\.name) == [mine])
        #expect(book.names(of: "one", user: nil) == [mine, yours] && book.names(of: "one", user: 2) == [yours])
        #expect(book.close(mine) && !book.close(mine) && !book.close(yours))
        #expect(book == BreakerBook())
    }

    /// A reload of the configuration while one launch is tried.
    @Test(arguments: [5, 2, nil] as [Int?])
    func aLimitThatIsRaisedOrTakenAwayLeavesNoBreakerThatNobodyCloses(limit: Int?) {
        var model = LifecycleModel()
        let program = Program(number: 1, name: Program.Name("one", of: nil))
        var configuration = LifecycleModel.Configuration()
        configuration.breakerLimit = 1
        _ = model.handle(.configured(configuration))
        #expect(
            model.handle(.launchFailed(program)) == [
                .launch(.breakerOpened(program.name, failures: 1, pause: CrashBreaker.firstPause, .launchFailed))
            ])
        _ = model.handle(.breakerPauseOver(program.name))
        _ = model.handle(.breakerTried(program.name))
        configuration.breakerLimit = limit
        let effects = model.handle(.configured(configuration)) + model.handle(.launchFailed(program))
        if limit == 2 {
            #expect(effects.count == 1 && model.breakers[program.name].state == .open)
        } else {
            #expect(effects == [.launch(.breakerClosed(program.name, isReset: limit == nil))])
            #expect(model.breakers[program.name].admits)
        }
    }

    @Test func strangersFillNoMemoryWithTheirBreakers() {
        var book = BreakerBook()
        for number in 0..<2000 { _ = book.failed(Program.Name("\(number)", of: nil), limit: 1) }
        #expect(book.open.count == 1024)
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
