// The virtual clock against a model, and the real one against the system's.

import EventLoop
import LinuxSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ClockTests {
    init() { LoopThread.start() }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let delays: [Int]
        let advances: [Int]
        /// Which handlers have run after each step, in order.
        let expected: [[Int]]
    }

    static let table = [
        Case(testDescription: "nothing moves by itself", delays: [0, 1], advances: [], expected: []),
        Case(testDescription: "zero runs what is due now", delays: [0, 1], advances: [0], expected: [[0]]),
        Case(testDescription: "a negative delay is due now", delays: [-5], advances: [0], expected: [[0]]),
        Case(testDescription: "one short of the deadline", delays: [10], advances: [9, 1], expected: [[], [0]]),
        Case(testDescription: "by deadline", delays: [30, 10, 20], advances: [30], expected: [[1, 2, 0]]),
        Case(testDescription: "equals by sequence", delays: [5, 5, 5], advances: [5], expected: [[0, 1, 2]]),
        Case(testDescription: "across steps", delays: [1, 2, 3], advances: [2, 0, 5], expected: [[0, 1], [], [2]]),
    ]

    // Parameterized tests are not isolated themselves: their arguments would be asked for on the loop before it runs.
    @Test(arguments: table) func advancingRunsWhatIsDue(_ example: Case) async { await check(example) }

    @HostActor private func check(_ example: Case) {
        let clock = VirtualClock()
        let ran = Box<[Int]>([])
        let deadlines = example.delays.enumerated().map { index, delay in
            clock.schedule(after: .seconds(delay)) { ran.value.append(index) }
        }
        for (step, expected) in zip(example.advances, example.expected) {
            ran.value = []
            clock.advance(by: .seconds(step))
            #expect(ran.value == expected)
        }
        #expect(clock.now == UInt64(example.advances.reduce(0, +)) * 1_000_000_000)
        #expect(deadlines.filter(\.isPending).count == example.delays.count - example.expected.joined().count)
    }

    @Test(arguments: 0..<50) func anySequenceOfSchedulingCancellingAndAdvancingAgreesWithASortedList(_ seed: Int) async
    {
        await compareWithSortedList(seed)
    }

    @HostActor private func compareWithSortedList(_ seed: Int) {
        var random = SplitMix(state: UInt64(seed))
        let clock = VirtualClock()
        let ran = Box<[Int]>([])
        var model: [(instant: UInt64, number: Int)] = []
        var deadlines: [Int: Deadline] = [:]
        for number in 0..<300 {
            switch random.next() % 4 {
            case 0, 1:
                let delay = random.next() % 20
                model.append((clock.now + delay, number))
                deadlines[number] = clock.schedule(after: .nanoseconds(Int64(delay))) { ran.value.append(number) }
            case 2:
                guard let victim = model.randomElement(using: &random) else { continue }
                model.removeAll { $0.number == victim.number }
                if random.next() % 2 == 0 { deadlines[victim.number]?.cancel() }
                deadlines[victim.number] = nil
            default:
                let step = random.next() % 15
                let target = clock.now + step
                let due = model.filter { $0.instant <= target }.sorted {
                    ($0.instant, $0.number) < ($1.instant, $1.number)
                }
                model.removeAll { $0.instant <= target }
                ran.value = []
                clock.advance(by: .nanoseconds(Int64(step)))
                #expect(ran.value == due.map(\.number))
                #expect(clock.now == target)
            }
            #expect(clock.nextDeadline == model.map(\.instant).min())
            #expect(clock.isIdle == model.isEmpty)
        }
    }

    @Test @HostActor func handlersSeeTheirOwnInstantAndMayScheduleMoreWithinTheSameAdvance() {
        let clock = VirtualClock()
        let seen = Box<[UInt64]>([])
        let held = Box<[Deadline]>([])
        func tick() {
            seen.value.append(clock.now)
            held.value.append(clock.schedule(after: .nanoseconds(10), tick))
        }
        held.value.append(clock.schedule(after: .nanoseconds(10), tick))
        clock.advance(by: .nanoseconds(35))
        #expect(seen.value == [10, 20, 30])
        #expect(clock.nextDeadline == 40)
        held.value = []
        #expect(clock.isIdle)
    }

    @Test @HostActor func aHandlerMayCancelAnotherThatIsDueAtTheSameInstant() {
        let clock = VirtualClock()
        let ran = Box<[Int]>([])
        let second = Box<Deadline?>(nil)
        let first = clock.schedule(after: .seconds(1)) {
            ran.value.append(1)
            second.value?.cancel()
        }
        second.value = clock.schedule(after: .seconds(1)) { ran.value.append(2) }
        clock.advance(by: .seconds(1))
        #expect(ran.value == [1])
        #expect(!first.isPending)
        first.cancel()
    }

    @Test @HostActor func virtualTimeStartsAtAFixedDateAndDoesNotOverflow() {
        let clock = VirtualClock()
        #expect(clock.wallClockNow == 978_307_200_000_000_000)
        let never = clock.schedule(after: .seconds(Int64.max)) { Issue.record("never") }
        #expect(clock.nextDeadline == .max)
        clock.advance(by: .seconds(1))
        #expect(clock.wallClockNow == 978_307_201_000_000_000)
        never.cancel()
    }

    @Test @HostActor func realDeadlinesAreNeverEarlyAndComeInOrder() async throws {
        let clock = try RealClock()
        let order = Box<[Int]>([])
        let delays = (0..<30).map { Duration.nanoseconds(500_001 + (($0 * 7) % 10) * 400_123) }
        var deadlines: [Deadline] = []
        try await callback(of: Void.self) { done in
            for (index, delay) in delays.enumerated() {
                let before = clock.now
                deadlines.append(
                    clock.schedule(after: delay) {
                        #expect(Duration.nanoseconds(Int64(clock.now - before)) >= delay)
                        order.value.append(index)
                        if order.value.count == delays.count { done(()) }
                    })
            }
        }
        #expect(order.value == delays.indices.sorted { (deadlines[$0].instant, $0) < (deadlines[$1].instant, $1) })
        #expect(deadlines.allSatisfy { !$0.isPending })
    }

    @Test @HostActor func aRealDeadlineCanBeCancelledAndAnEarlierOneOvertakes() async throws {
        let clock = try RealClock()
        let cancelled = clock.schedule(after: .microseconds(300)) { Issue.record("cancelled") }
        let late = clock.schedule(after: .seconds(3600)) { Issue.record("too early") }
        var early: Deadline?
        try await callback(of: Void.self) { done in
            early = clock.schedule(after: .milliseconds(2)) { done(()) }
            cancelled.cancel()
        }
        #expect(early?.isPending == false)
        #expect(late.isPending)
        late.cancel()
    }

    /// Two hundred deadlines at one instant, each of which takes 100 µs or longer, beside a descriptor that is always
    /// ready. A turn of the clock has room for two of them, and a second turn may follow the first at once. In a
    /// process of its own: the descriptors of other tests have turns, too.
    @Test func realDeadlinesThatAreDueTogetherLeaveDescriptorsTheirTurns() async {
        await #expect(processExitsWith: .success) {
            LoopThread.start()
            let longest = try await mostDeadlinesInARow(of: 200)
            #expect((1...8).contains(longest), "\(longest)")
        }
    }

    @Test @HostActor func theRealClockTellsTheDate() throws {
        // After this was written, and before 2200.
        #expect((1_750_000_000...7_258_118_400).contains(try RealClock().wallClockNow / 1_000_000_000))
    }
}

/// A small deterministic generator (SplitMix64).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Runs deadlines that are due together, beside a descriptor that is always ready.
///
/// - Returns: how many ran between two turns of the descriptor, at most.
@HostActor private func mostDeadlinesInARow(of count: Int) async throws -> Int {
    let clock = try RealClock()
    var (ran, inARow, longest) = (0, 0, 0)
    let pipe = try Pipe()
    pipe.write("x")
    let source = try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable) { _ in inARow = 0 }
    let instant = clock.now + 1_000_000
    let deadlines = (0..<count).map { _ in
        clock.schedule(after: .nanoseconds(Int64(instant) - Int64(clock.now))) {
            let start = clock.now
            while clock.now - start < 100_000 {}
            (ran, inARow) = (ran + 1, inARow + 1)
            longest = max(longest, inARow)
        }
    }
    await Iterations.until { ran == deadlines.count }
    source.cancel()
    return longest
}
