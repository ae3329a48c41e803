// OutputAllowance: the rate limit on the output of an extension; pure.

/// A rate limit that lets a second's worth through at once, and saves no more than that.
struct OutputAllowance: Sendable, Hashable {
    /// The rate in bytes a second.
    let rate: Int
    private var left: Double
    private var last: UInt64
    /// The bytes that were dropped so far.
    private(set) var dropped = 0

    /// Makes an allowance of a full second's worth.
    ///
    /// - Parameter now: nanoseconds of any monotonic clock.
    init(rate: Int, now: UInt64) {
        self.rate = rate
        left = Double(rate)
        last = now
    }

    /// Returns how many of `count` bytes are let through.
    mutating func take(_ count: Int, now: UInt64) -> Int {
        if now > last {
            left = min(Double(rate), left + Double(rate) * Double(now - last) / 1e9)
            last = now
        }
        let taken = min(count, Int(left))
        left -= Double(taken)
        dropped += count - taken
        return taken
    }
}
