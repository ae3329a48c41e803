// EventLog: the ring, what it gives to those that ask, and the order in which views see it.

import EventLog
import EventLoop
import ExtensionProtocol
import Testing

/// A value that views change and tests read, on the loop.
@HostActor
private final class Box<Value: Sendable> {
    var value: Value
    nonisolated init(_ value: Value) { self.value = value }
}

@Suite struct EventLogTests {
    init() { LoopThread.start() }

    @HostActor private func filled(_ count: Int) -> EventLog {
        let log = EventLog(clock: VirtualClock())
        for number in 0..<count { log.append(.processOutput, pid: number + 1) }
        return log
    }

    @Test @HostActor func anEmptyLogHasNothingAndItsNextEventIsTheFirst() {
        let log = filled(0)
        #expect(log.lastSequence == 0)
        #expect(log.oldestSequence == 1)
        #expect(log.events(after: 0, limit: 10) == [])
    }

    @Test @HostActor func sequencesCountFromOneWithoutAGap() {
        let log = filled(100)
        #expect(log.events(after: 0, limit: 1000).map(\.sequence) == Array(1...100))
        #expect(log.lastSequence == 100)
        #expect(log.oldestSequence == 1)
    }

    @Test @HostActor func aFullRingKeepsTheNewestInOrder() {
        let extra = 777
        let log = filled(EventLog.capacity + extra)
        #expect(log.oldestSequence == extra + 1)
        #expect(log.lastSequence == EventLog.capacity + extra)
        let all = log.events(after: 0, limit: .max)
        #expect(all.map(\.sequence) == Array(extra + 1...EventLog.capacity + extra))
        #expect(all.allSatisfy { $0.pid == $0.sequence })
    }

    @Test @HostActor func theRingHoldsExactlyItsCapacity() {
        let log = filled(EventLog.capacity)
        #expect(log.oldestSequence == 1)
        log.append(.busLost)
        #expect(log.oldestSequence == 2)
        #expect(log.events(after: EventLog.capacity, limit: 5).map(\.event) == ["bus.lost"])
    }

    @Test @HostActor func aReaderGetsNoMoreThanItAskedForAndGoesOnWhereItStopped() {
        let log = filled(EventLog.capacity + 5)
        var position = 0
        var read: [Int] = []
        while true {
            let events = log.events(after: position, limit: 1000)
            #expect(events.count <= 1000)
            guard let last = events.last else { break }
            read += events.map(\.sequence)
            position = last.sequence
        }
        #expect(read == Array(6...EventLog.capacity + 5))
    }

    @Test @HostActor func placesAndLimitsOutOfRangeGiveNothingAndNoTrap() {
        let log = filled(3)
        #expect(log.events(after: 3, limit: 10) == [])
        #expect(log.events(after: .max, limit: 10) == [])
        #expect(log.events(after: 0, limit: 0) == [])
        #expect(log.events(after: 0, limit: -1) == [])
        #expect(log.events(after: .min, limit: .max).count == 3)
        #expect(log.events(after: 2, limit: .max).map(\.sequence) == [3])
    }

    @Test @HostActor func viewsSeeEachEventInOrderBeforeTheAppendReturns() {
        let log = EventLog(clock: VirtualClock())
        log.append(.daemonStarted)
        let seen = Box<[String]>([])
        log.follow { seen.value.append("first \($0.sequence)") }
        log.follow { seen.value.append("second \($0.sequence)") }
        log.append(.busLost)
        #expect(seen.value == ["first 2", "second 2"])
        log.append(.busLost)
        #expect(seen.value == ["first 2", "second 2", "first 3", "second 3"])
    }

    @Test @HostActor func timesAreTheClocksInMicroseconds() {
        let clock = VirtualClock()
        let log = EventLog(clock: clock)
        clock.advance(by: .milliseconds(1500))
        #expect(log.append(.daemonStarted).time == Int(VirtualClock.epoch / 1000) + 1_500_000)
    }

    @Test @HostActor func aLongDetailIsCutAndAllOtherFieldsAreKept() {
        let log = EventLog(clock: VirtualClock())
        let request = RequestIdentifier()
        let record = log.append(
            .requestRefused, request: request, extensionIdentifier: "e", host: "h", pid: 1, from: "a", to: "b",
            cause: .quota,
            detail: String(repeating: "ü", count: 10_000))
        #expect(record.detail == String(repeating: "ü", count: 200))  // 400 bytes
        var expected = EventRecord(
            sequence: 1, time: record.time, event: .requestRefused, request: request, extensionIdentifier: "e",
            host: "h", pid: 1,
            from: "a", to: "b", cause: .quota)
        expected.detail = record.detail
        #expect(record == expected)
        #expect(log.events(after: 0, limit: 1) == [record])
    }

    /// Also across the ring's end, and for one that sees nothing: it goes on where others do.
    @Test @HostActor func whoMayNotSeeAnEventPassesItOver() {
        let log = EventLog(clock: VirtualClock())
        log.owner = { record in record.pid.map { .user(UInt32($0 % 2)) } ?? .everybody }
        for number in 0..<EventLog.capacity + 100 { log.append(.processOutput, pid: number) }
        log.append(.registryChanged)
        log.append(.breakerOpened, of: 1)
        func seen(by user: UInt32?) -> [EventRecord] {
            var (found, position): ([EventRecord], Int) = ([], 0)
            while true {
                let (events, last) = log.events(after: position, limit: 37) { owner in
                    owner == .everybody || user.map { owner == .user($0) } ?? false
                }
                guard last > position else { return found }
                (found, position) = (found + events, last)
            }
        }
        let odd = seen(by: 1)
        #expect(odd.dropLast(2).allSatisfy { ($0.pid ?? 0) % 2 == 1 } && odd.count == (EventLog.capacity - 2) / 2 + 2)
        #expect(odd.suffix(2).map(\.event) == ["registry.changed", "breaker.opened"])
        #expect(seen(by: nil).map(\.event) == ["registry.changed"])
    }
}
