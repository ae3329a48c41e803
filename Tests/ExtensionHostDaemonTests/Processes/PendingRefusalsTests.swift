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
            // A body that is added now comes after the bodies that wait.
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

    /// An extension that is refused something again and again must not keep its host from the end of a request.
    @Test @HostActor func newRefusalsDoNotProlongAWait() {
        let clock = VirtualClock()
        let unread = Unread()
        let pending = PendingRefusals(clock) { unread.isThere }
        var events: [String] = []
        pending.whenSettled { events.append("end") }
        for number in 1...10 {
            _ = pending.add { events.append("\(number)") }
            clock.advance(by: PendingRefusals.bound / 5)
            pending.proceed()
        }
        // The first five came within the bound of the wait, and have a bound of their own.
        #expect(events.first == "end" && events.count > 1)
    }

    @Test @HostActor func whatIsAnsweredLeavesNoDeadlineBehind() {
        let clock = VirtualClock()
        let pending = PendingRefusals(clock) { false }
        pending.add {}(true)
        pending.add {}(false)
        #expect(clock.isIdle && pending.count == 0)
    }
}
