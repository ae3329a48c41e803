// LimitPollerTests: whom the thread looks at, and what it tells.

import Glibc
import Locks
import Testing

@testable import ExtensionHostDaemon

@Suite struct LimitPollerTests {
    /// This program itself, which has more than a byte and a task.
    private func target(isBackstop: Bool) -> LimitPoller.Target {
        var target = LimitPoller.Target(
            root: getpid(), isEnclosed: false, memory: 1, processor: nil, tasks: 1, descriptors: nil)
        target.isBackstop = isBackstop
        return target
    }

    @Test(arguments: [false, true]) func whatIsPassedIsToldOnce(_ isBackstop: Bool) async throws {
        let poller = try LimitPoller()
        defer { poller.stop() }
        let (findings, continuation) = AsyncStream<LimitPoller.Finding>.makeStream()
        await confirmation("memory and tasks", expectedCount: 2) { told in
            poller.watch(1, target(isBackstop: isBackstop)) { continuation.yield($0) }
            var kinds: [LimitPoller.Finding.Kind] = []
            for await finding in findings {
                told()
                kinds.append(finding.kind)
                if kinds.count == 2 { break }
            }
            #expect(Set(kinds) == [.memory, .tasks])
        }
        #expect(try #require(poller.end(1)) > 1 << 20)
    }

    /// Those with a set limit are looked at beside those that have backstops only, and the other way round.
    @Test func bothKindsAreLookedAt() async throws {
        let poller = try LimitPoller()
        defer { poller.stop() }
        let (findings, continuation) = AsyncStream<Int>.makeStream()
        for number in 1...4 {
            poller.watch(number, target(isBackstop: number % 2 == 0)) { _ in continuation.yield(number) }
        }
        var told: [Int] = []
        for await number in findings {
            told.append(number)
            if told.count == 8 { break }
        }
        #expect(told.sorted() == [1, 1, 2, 2, 3, 3, 4, 4])
    }

    /// One with backstops that comes to rest is not looked at any more; when it serves again, it is.
    @Test func aBackstopIsLookedAtWhileItsProcessServes() async throws {
        let poller = try LimitPoller()
        defer { poller.stop() }
        let (findings, continuation) = AsyncStream<Int>.makeStream()
        poller.watch(1, target(isBackstop: true)) { _ in continuation.yield(1) }
        poller.setServing(1, false)
        // Told of after two periods of the first at least.
        for number in 2...3 {
            poller.watch(number, target(isBackstop: true)) { _ in continuation.yield(number) }
            var count = 0
            for await told in findings {
                #expect(told == number)
                count += 1
                if count == 2 { break }
            }
        }
        poller.setServing(1, true)
        for await told in findings {
            #expect(told == 1)
            break
        }
    }
}
