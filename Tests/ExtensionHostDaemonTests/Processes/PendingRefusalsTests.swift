// PendingRefusalsTests: refusals that wait for a file system's answer.

import EventLoop
import Testing

@testable import ExtensionHostDaemon

@Suite struct PendingRefusalsTests {
    init() { LoopThread.start() }

    @HostActor private final class Unread { var isThere = true }

    @Test @HostActor func theAnswerSaysWhetherARefusalIsReported() {
        let pending = PendingRefusals(VirtualClock()) { false }
        var events: [String] = []
        let first = pending.add { events.append("first") }
        let second = pending.add { events.append("second") }
        second(true)
        first(false)
        second(true)
        #expect(events == ["second"] && pending.count == 0)
    }

    /// The end of a request, say: it names what was refused before it.
    @Test @HostActor func whatComesBehindARefusalWaitsForItsAnswerAndKeepsItsOrder() {
        let pending = PendingRefusals(VirtualClock()) { false }
        var events: [String] = []
        pending.whenSettled { events.append("at once") }
        let first = pending.add { events.append("first") }
        pending.whenSettled {
            events.append("end")
            // What an end causes comes behind what waits already.
            pending.whenSettled { events.append("follows") }
        }
        let second = pending.add { events.append("second") }
        pending.whenSettled { events.append("next end") }
        second(true)
        #expect(events == ["at once", "second"])
        first(true)
        #expect(events == ["at once", "second", "first", "end", "next end", "follows"])
    }

    @Test @HostActor func whatIsNotReadYetIsWaitedFor() {
        let unread = Unread()
        let pending = PendingRefusals(VirtualClock()) { unread.isThere }
        var events: [String] = []
        pending.whenSettled { events.append("end") }
        // Another turn has read the rest.
        unread.isThere = false
        let answer = pending.add { events.append("read later") }
        pending.proceed()
        #expect(events.isEmpty)
        answer(true)
        #expect(events == ["read later", "end"])
    }

    @Test @HostActor func aRefusalWithoutAnAnswerIsReportedAfterTheBoundAndOnce() {
        let clock = VirtualClock()
        let pending = PendingRefusals(clock) { false }
        var events: [String] = []
        let answer = pending.add { events.append("hangs") }
        pending.whenSettled { events.append("end") }
        clock.advance(by: PendingRefusals.bound - .nanoseconds(1))
        #expect(events.isEmpty)
        clock.advance(by: .nanoseconds(1))
        #expect(events == ["hangs", "end"])
        for late in [true, false] { answer(late) }
        #expect(events == ["hangs", "end"] && clock.isIdle)
    }

    @Test @HostActor func whatIsAnsweredLeavesNoDeadlineBehind() {
        let clock = VirtualClock()
        let pending = PendingRefusals(clock) { false }
        pending.add {}(true)
        pending.add {}(false)
        #expect(clock.isIdle && pending.count == 0)
    }
}
