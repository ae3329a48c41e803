// Histogram: counts of durations in buckets whose bounds never change; pure.

/// Durations in nanoseconds. Adding one allocates nothing.
struct Histogram: Sendable {
    /// Upper bounds, ascending: 100 µs to a minute. Longer durations are in one more bucket.
    static let bounds: [UInt64] = [
        100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000, 100_000_000,
        200_000_000,
        500_000_000, 1_000_000_000, 2_000_000_000, 5_000_000_000, 10_000_000_000, 30_000_000_000, 60_000_000_000,
    ]

    private(set) var buckets = [Int](repeating: 0, count: Histogram.bounds.count + 1)
    private(set) var count = 0
    /// The sum of the durations in seconds.
    private(set) var sum = 0.0

    /// Adds a duration. A duration that equals a bound is within it.
    mutating func add(_ nanoseconds: UInt64) {
        var index = 0
        while index < Self.bounds.count, nanoseconds > Self.bounds[index] { index += 1 }
        buckets[index] += 1
        count += 1
        sum += Double(nanoseconds) / 1e9
    }
}
