// OutputAllowance: how much of what an extension prints is taken, by a rate; pure.

/// A second's worth may come at once; what is not used is not saved.
struct OutputAllowance: Sendable, Hashable {
    /// Bytes a second.
    let rate: Int
    private var left: Double
    private var last: UInt64
    /// Bytes that were refused so far.
    private(set) var dropped = 0

    /// - Parameter now: nanoseconds, of any clock that goes forward.
    init(rate: Int, now: UInt64) {
        self.rate = rate
        left = Double(rate)
        last = now
    }

    /// How many of so many bytes are taken.
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
