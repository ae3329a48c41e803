// QuiescenceTimeout: the time that the scheduler waits for a process to become quiescent, which a busy machine does not
// use up; pure, table-tested.

/// The rest of the second that a process may hold up everything else.
///
/// Real time alone would measure how busy the machine is: a process that waits for a processor, or for its pages,
/// cannot become quiescent. So a process that runs spends the processor time that it used. A process that could have
/// answered spends real time without its waits for a processor.
///
/// Of several threads, the one counts that ran, or waited, most since the last poll. The sum would use up the second
/// sooner the more threads there are, and how much sooner would depend on the number of processors. With a sum, a host
/// with a few waiting threads would never spend anything.
///
/// A process that spends nothing and still does not end or answer has a bound of real time, so that nothing hangs for
/// ever.
struct QuiescenceTimeout: Sendable {
    /// The activity of a process at a poll.
    enum Sight: Sendable {
        /// The process runs, or waits for something that is not its own doing. `spent` is the processor time of each
        /// thread since its start.
        case runs(spent: Counts)
        /// The process could act and does not. Real time counts, without the time that each thread has waited for a
        /// processor since its start.
        case stands(waited: Counts)
    }

    /// Nanoseconds by thread (`ProcessorTime`).
    typealias Counts = [Int32: UInt64]

    enum End: Sendable, Hashable { case spent, bound }

    /// The time that a process may spend, in nanoseconds, as all times here.
    static let whole: UInt64 = 1_000_000_000
    static let bound: UInt64 = 30 * 1_000_000_000
    /// The real time between two polls; one costs a tenth of a millisecond.
    ///
    /// A late poll counts as two intervals at most, because the daemon itself may have waited.
    static let interval: UInt64 = 50_000_000

    private let begun: UInt64
    private var last: UInt64
    private var spent: UInt64 = 0
    private var before: Sight?
    /// The reason why the scheduler waits no longer; nil while it waits.
    private(set) var end: End?

    init(at now: UInt64) { (begun, last) = (now, now) }

    /// Polls, if the interval is over.
    ///
    /// - Parameter look: returns the activity of the process.
    /// - Returns: the reason if the wait has just ended, else nil.
    mutating func look(at now: UInt64, _ look: () -> Sight) -> End? {
        let passed = now - min(now, last)
        guard end == nil, passed >= Self.interval else { return nil }
        let sight = look()
        switch (sight, before) {
        // A thread cannot run for longer than the time that has passed: the time of a child that has ended was counted
        // while it ran.
        case (.runs(let spent), .runs(let before)): self.spent += min(passed, Self.most(of: spent, since: before))
        case (.stands(let waited), .stands(let before)):
            let could = min(passed, 2 * Self.interval)
            spent += could - min(could, Self.most(of: waited, since: before))
        default: break
        }
        (last, before) = (now, sight)
        end = spent >= Self.whole ? .spent : now - min(now, begun) >= Self.bound ? .bound : nil
        return end
    }

    private static func most(of counts: Counts, since before: Counts) -> UInt64 {
        counts.reduce(0) { most, count in
            let earlier = before[count.key] ?? 0
            return max(most, count.value - min(count.value, earlier))
        }
    }
}
