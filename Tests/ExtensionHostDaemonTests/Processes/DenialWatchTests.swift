// DenialWatchTests: how many refusals of a process are read before the loop serves others.

import EventLoop
import Glibc
import LinuxSystem
import Testing

@testable import ExtensionHostDaemon

@Suite struct DenialWatchTests {
    init() { LoopThread.start() }

    /// As `DenialWatch` has it.
    private static let longestTurn = Duration.microseconds(200)
    private static let refusalsPerTurn = 32

    /// The two ends of a status socket.
    private struct Report {
        let reader: SharedDescriptor
        let writer: SharedDescriptor

        init(waiting count: Int) throws {
            let pair = try SocketPair()
            let first = pair.first
            let second = pair.second
            (reader, writer) = (SharedDescriptor(first.release()), SharedDescriptor(second.release()))
            for number in 0..<count {
                let packet = Array("Dseccomp\0socket\0\0number \(number)\0".utf8)
                #expect(send(writer.raw, packet, packet.count, 0) == packet.count)
            }
        }

        /// The process of the watch lives on: it is the tests' own.
        @HostActor func watch() throws -> DenialWatch {
            try DenialWatch(reader, pidfd: ProcessDescriptor.open(getpid()), share: TurnShare())
        }
    }

    @Test @HostActor func costlyRefusalsLeaveOthersTheirTurns() async throws {
        let report = try Report(waiting: 40)
        let watch = try report.watch()
        var (seen, before, most, turns): ([String], Int, Int, Int) = ([], 0, 0, 0)
        watch.onDenial = {
            seen.append($0.about)
            // Each takes as long as a whole turn may, however fast this machine is.
            let start = ContinuousClock.now
            while ContinuousClock.now - start < Self.longestTurn {}
        }
        watch.onTurn = {
            (most, before) = (max(most, seen.count - before), seen.count)
            turns += 1
            #expect(watch.hasMore == (seen.count < 40))
        }
        while seen.count < 40 { await Task.yield() }
        #expect(most == 1 && turns >= 40)
        #expect(seen == (0..<40).map { "number \($0)" } && !watch.hasMore)
    }

    @Test @HostActor func oneReadingTakesATurnAtMostAndSaysWhetherMoreIsThere() async throws {
        let report = try Report(waiting: 0)
        let watch = try report.watch()
        var count = 0
        watch.onDenial = { _ in count += 1 }
        watch.read()
        #expect(count == 0 && !watch.hasMore)
        for _ in 0..<2 * Self.refusalsPerTurn {
            let packet = Array("Dseccomp\0socket\0\0\0".utf8)
            #expect(send(report.writer.raw, packet, packet.count, 0) == packet.count)
        }
        watch.read()
        #expect((1...Self.refusalsPerTurn).contains(count) && watch.hasMore)
        // The loop goes on by itself, and what is left of it is nothing.
        while watch.hasMore { await Task.yield() }
        #expect(count == 2 * Self.refusalsPerTurn)
    }
}
