// The loop as the executor of HostActor.

import EventLoop
import Glibc
import LinuxSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ExecutorTests {
    init() { LoopThread.start() }

    @HostActor private final class Journal {
        var lines: [Int: [Int]] = [:]
        nonisolated init() {}
        func add(_ line: Int, of task: Int) { lines[task, default: []].append(line) }
    }

    @Test func jobsOfManyTasksRunOnTheLoopsThreadAndInOrderPerTask() async {
        let journal = Journal()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for line in 0..<200 {
                        await journal.add(line, of: task)
                    }
                    await Task { @HostActor in #expect(EventLoop.shared.isOnLoopThread) }.value
                }
            }
        }
        for task in 0..<16 {
            #expect(await journal.lines[task] == Array(0..<200))
        }
    }

    /// In a process of its own: other tests' computing is not what a hop waits for.
    @Test func aHundredThousandHopsAllArrive() async {
        await #expect(processExitsWith: .success) {
            LoopThread.start()
            let count = Box(0)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        for _ in 0..<1_000 { await Task.hop(count) }
                    }
                }
            }
            #expect(await count.value == 100_000)
        }
    }

    @Test @HostActor func isolationIsKnownOnTheLoopAndOnlyThere() async {
        EventLoop.shared.checkIsolated()
        HostActor.shared.preconditionIsolated()
        #expect(EventLoop.shared.isIsolatingCurrentContext() == true)
        #expect(HostActor.assumeIsolated { 7 } == 7)
        let elsewhere = await Task.detached { EventLoop.shared.isIsolatingCurrentContext() }.value
        #expect(elsewhere == false)
    }

    @Test func assumingTheLoopElsewhereStopsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            setenv("SWIFT_BACKTRACE", "enable=no", 1)
            HostActor.assumeIsolated {}
        }
    }

    @Test @HostActor func errorsPassThroughAssumeIsolatedWithTheirType() {
        #expect(throws: LoopError.alreadyRunning) {
            try HostActor.assumeIsolated { () throws(LoopError) -> Void in throw .alreadyRunning }
        }
    }

    @Test func runOnASecondThreadIsRefused() async {
        await Task { @HostActor in }.value
        let refused = Task { try EventLoop.shared.run() }
        await #expect(throws: LoopError.alreadyRunning) { try await refused.value }
    }

    @Test @HostActor func callbacksAtTheEndOfTheIterationKeepTheirOrderAndFollowTheJobUnderWay() async {
        let seen: [Int] = await withCheckedContinuation { continuation in
            let order = Box<[Int]>([])
            EventLoop.shared.atEndOfIteration {
                order.value.append(2)
                EventLoop.shared.atEndOfIteration {
                    order.value.append(4)
                    continuation.resume(returning: order.value)
                }
            }
            EventLoop.shared.atEndOfIteration { order.value.append(3) }
            order.value.append(1)
        }
        #expect(seen == [1, 2, 3, 4])
    }

    @Test func workLeftBeforeRunRunsOnceItDoesAndStopGivesTheExitCode() async {
        // In a process of its own, whose loop has not been started.
        await #expect(processExitsWith: .exitCode(42)) {
            Task { @HostActor in EventLoop.shared.stop(exitCode: 42) }
            exit(try EventLoop.shared.run())
        }
    }

    @Test func theLoopCanBeRunAgainAfterStop() async {
        await #expect(processExitsWith: .exitCode(3)) {
            EventLoop.shared.stop(exitCode: 1)
            let first = try EventLoop.shared.run()
            let second = try EventLoop.shared.run { EventLoop.shared.stop(exitCode: 2) }
            exit(first + second)
        }
    }

    /// In a process of its own, where the loop has nothing else to do. Each job takes as long as all of one iteration
    /// may, however fast the machine is: so few of them lie between two turns of a descriptor, and none is lost.
    @Test func costlyJobsLeaveDescriptorsTheirTurns() async {
        await #expect(processExitsWith: .success) {
            LoopThread.start()
            let most = try await mostCostlyJobsBetweenTwoTurns(of: 100)
            // One each iteration. Every other iteration asks which descriptors are ready.
            #expect((1...4).contains(most), "\(most)")
        }
    }

    @Test func jobsThatNeverEndDoNotStarveTimers() async throws {
        let fired = Box(false)
        let chatter = Task { @HostActor in
            while !fired.value { await Task.yield() }
        }
        let timer = try await Task { @HostActor in
            let timer = try TimerSource { fired.value = true }
            timer.arm(after: .milliseconds(2))
            return timer
        }.value
        await chatter.value
        await timer.cancel()
    }
}

/// Runs jobs that take 200 µs each, beside a descriptor that is always ready.
///
/// - Returns: how many ran between two turns of the descriptor, at most.
@HostActor private func mostCostlyJobsBetweenTwoTurns(of count: Int) async throws -> Int {
    var (ran, before, most) = (0, 0, 0)
    let pipe = try Pipe()
    pipe.write("x")
    let source = try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in
        (most, before) = (max(most, ran - before), ran)
    }
    for _ in 0..<count {
        Task { @HostActor in
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .microseconds(200) {}
            ran += 1
        }
    }
    await Iterations.until { ran == count }
    source.cancel()
    return most
}

extension Task where Success == Never, Failure == Never {
    @HostActor static func hop(_ count: Box<Int>) { count.value += 1 }
}
