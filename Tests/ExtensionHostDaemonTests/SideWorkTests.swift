// SideWorkTests: whose answers are found first where many ask.

import Dispatch
import EventLoop
import Glibc
import LinuxSystem
import Testing

@testable import ExtensionHostDaemon

@Suite(.timeLimit(.minutes(1))) struct SideWorkTests {
    private let work: SideWork
    private let finished: AsyncStream<String>
    private let finish: AsyncStream<String>.Continuation
    /// Passed by a thread each time somebody signals.
    private let door = DispatchSemaphore(value: 0)

    init() {
        LoopThread.start()
        (finished, finish) = AsyncStream.makeStream(of: String.self)
        work = SideWork()
    }

    /// Asks, and yields `name` once the answer is there; one that waits does so at the door.
    @HostActor private func ask(
        _ name: String, of process: Int32, waits: Bool = true,
        isWanted: @escaping @HostActor @Sendable () -> Bool = { true }
    ) {
        let (door, finish) = (door, finish)
        work.run(named: name, of: process, isWanted: isWanted) {
            if waits { door.wait() }
        } then: { result in
            if case .success = result { finish.yield(name) } else { finish.yield("not " + name) }
        }
    }

    @Test @HostActor func aProcessThatAsksForMuchWaitsForItselfAlone() async {
        for number in 0..<32 { ask("\(number)", of: 1) }
        ask("another's", of: 2, waits: false)
        var names = finished.makeAsyncIterator()
        #expect(await names.next() == "another's")
        for number in 0..<32 {
            door.signal()
            #expect(await names.next() == "\(number)")
        }
    }

    @Test @HostActor func manyProcessesTakeTurns() async {
        // More than have threads at once, of two jobs each: nobody's second begins before everybody's first has begun.
        let begun = Begun()
        for process in 1...Int32(20) {
            for turn in ["first", "second"] {
                ask(turn, of: process) {
                    begun.turns.append(turn)
                    return true
                }
            }
        }
        var names = finished.makeAsyncIterator()
        for _ in 0..<40 {
            door.signal()
            _ = await names.next()
        }
        #expect(begun.turns == Array(repeating: "first", count: 20) + Array(repeating: "second", count: 20))
    }

    @Test @HostActor func whatNobodyWantsAnyMoreIsNotBegun() async {
        ask("busy", of: 1)
        for number in 0..<100 { ask("\(number)", of: 1, waits: false, isWanted: { number == 99 }) }
        var names = finished.makeAsyncIterator()
        // All of a crowd are looked through when one more comes, and the rest when it is their turn.
        var found: Set<String> = []
        for _ in 0..<65 { found.insert(await names.next() ?? "") }
        #expect(found.allSatisfy { $0.hasPrefix("not ") })
        door.signal()
        #expect(await names.next() == "busy")
        for _ in 65..<99 { found.insert(await names.next() ?? "") }
        #expect(found == Set((0..<99).map { "not \($0)" }))
        #expect(await names.next() == "99")
    }

    @Test @HostActor func itsThreadsGiveWayToTheLoop() async {
        let finish = finish
        work.run(named: "niceness", of: 1) {
            niceness()
        } then: {
            finish.yield("\((try? $0.get()) ?? 0)")
        }
        var names = finished.makeAsyncIterator()
        #expect(await names.next() == "\(min(19, niceness() + 10))")
    }
}

/// The turns, in the order in which they began.
@HostActor private final class Begun {
    var turns: [String] = []
}

/// Of this thread.
private func niceness() -> Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
