// QuiescenceTimeout: how long one is waited for that does not come to rest, so that a busy machine is not taken for it;
// pure, table-tested.

/// What is left of a second for somebody who keeps everybody else waiting.
///
/// Real time alone would say how busy the machine is: who waits for a processor, or for its pages, cannot come to rest. So who runs spends what
/// it ran, and who could have answered spends real time without what it waited for a processor. Of several threads it is the one that ran, or
/// waited, most since the last look: together they would spend the second sooner the more there are, and how much sooner would be the number of processors;
/// and a host with a few that wait would never spend any. What spends nothing and goes on for all that is waited for to a bound of real time, so that
/// nothing hangs for ever.
struct QuiescenceTimeout: Sendable {
    /// What one is doing when it is looked at.
    enum Sight: Sendable {
        /// It runs, or waits for something that is not its own doing; so long each of its threads has been on a processor since it began.
        case runs(spent: Counts)
        /// It could act and does not: real time counts, without what its threads have waited for a processor since they began.
        case stands(waited: Counts)
    }

    /// By thread (`ProcessorTime`).
    typealias Counts = [Int32: UInt64]

    enum End: Sendable, Hashable { case spent, bound }

    /// Nanoseconds, here and below.
    static let whole: UInt64 = 1_000_000_000
    static let bound: UInt64 = 30 * 1_000_000_000
    /// Of real time between two looks; one costs a tenth of a millisecond. What is late counts as two: the daemon itself may have waited.
    static let interval: UInt64 = 50_000_000

    private let begun: UInt64
    private var last: UInt64
    private var spent: UInt64 = 0
    private var before: Sight?
    /// Why it is not waited for any more; nil while it is.
    private(set) var end: End?

    init(at now: UInt64) { (begun, last) = (now, now) }

    /// Looks, if it is time to.
    ///
    /// - Returns: not nil where it has just ended.
    mutating func look(at now: UInt64, _ look: () -> Sight) -> End? {
        let passed = now - min(now, last)
        guard end == nil, passed >= Self.interval else { return nil }
        let sight = look()
        switch (sight, before) {
        // No thread runs for longer than passes: what a child has run before its end was counted as it ran.
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
