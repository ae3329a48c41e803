// LineLimitTests: how many lines are written, which are left out, and that their number is told.

import EventLoop
import ExtensionProtocol
import Locks
import Logging
import Testing

@testable import EventLog

/// Keeps the text of each line.
private final class Lines: Sendable {
    private let texts = Mutex<[String]>([])

    func add(_ text: String) { texts.withLock { $0.append(text) } }

    var all: [String] { texts.withLock { $0 } }
}

private struct KeepingHandler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add("\(event.message)") }
}

@Suite struct LineLimitTests {
    init() { LoopThread.start() }

    @Test func anAllowanceIsSoManyAtOnceAndSoManyASecond() {
        var allowance = Allowance(burst: 3, rate: 2, at: 0)
        #expect((0..<5).map { _ in allowance.take(at: 0) } == [true, true, true, false, false])
        #expect(!allowance.isFull(at: 1_000_000_000))
        #expect((0..<3).map { _ in allowance.take(at: 1_000_000_000) } == [true, true, false])
        #expect(allowance.isFull(at: 9_000_000_000))
        // A clock that goes back brings nothing.
        var other = Allowance(burst: 1, rate: 1, at: 5_000_000_000)
        #expect(other.take(at: 5_000_000_000) && !other.take(at: 1_000_000_000))
    }

    /// A log whose lines are kept; events have the process as their source, those without one none.
    @HostActor private func log(_ clock: VirtualClock, _ lines: Lines) -> EventLog {
        let log = EventLog(clock: clock)
        log.follow(
            with: Logger(label: "test") { _ in KeepingHandler(lines: lines) }, limit: LineLimit(clock: clock),
            source: { record in record.pid.map { "process \($0)" } })
        return log
    }

    @Test @HostActor func aFloodIsCutAndCountedAndOthersAreNot() {
        let (clock, lines) = (VirtualClock(), Lines())
        let log = log(clock, lines)
        for _ in 0..<LineLimit.burst + 234 { log.append(.peerRefused, pid: 7, cause: .quota) }
        log.append(.peerRefused, pid: 8, cause: .quota)
        log.append(.peerRefused, pid: 7, cause: .notPermitted)
        log.append(.hostConnected, host: "notes", pid: 7)
        #expect(lines.all.count == LineLimit.burst + 3)
        // Every event is held, whatever was written.
        #expect(log.lastSequence == LineLimit.burst + 237)
        clock.advance(by: LineLimit.pause)
        #expect(lines.all.count == LineLimit.burst + 4)
        #expect(lines.all.last?.hasPrefix("234 lines were dropped: peer.refused of process 7 cause=quota.") == true)
        // It is told once, and lines are written again.
        clock.advance(by: LineLimit.pause)
        log.append(.peerRefused, pid: 7, cause: .quota)
        #expect(lines.all.count == LineLimit.burst + 5)
    }

    @Test @HostActor func manyProcessesTogetherHaveALimit() {
        let (clock, lines) = (VirtualClock(), Lines())
        let log = log(clock, lines)
        for number in 0..<LineLimit.burstOfAll + 500 { log.append(.peerRefused, pid: number % 950, cause: .quota) }
        #expect(lines.all.count == LineLimit.burstOfAll)
        // The daemon's own are written in any case.
        log.append(.daemonStopping)
        #expect(lines.all.count == LineLimit.burstOfAll + 1)
        clock.advance(by: LineLimit.pause)
        let told = lines.all.dropFirst(LineLimit.burstOfAll + 1)
        let counts = told.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(counts.count == told.count && counts.reduce(0, +) == 500)
    }
}
