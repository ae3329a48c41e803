// Allowance: a limit of so many at once, and so many a second from then on.

/// A token bucket. Time comes in as a value.
public struct Allowance: Sendable, Hashable {
    private let burst: Double
    private let rate: Double
    private var left: Double
    private var updated: UInt64

    /// Makes a bucket that is full.
    ///
    /// - Parameters:
    ///   - burst: the number at once.
    ///   - rate: the number a second.
    ///   - now: nanoseconds of some clock, as everywhere here.
    public init(burst: Int, rate: Double, at now: UInt64) {
        (self.burst, self.rate, left, updated) = (Double(burst), rate, Double(burst), now)
    }

    /// Takes one if there is room, and returns whether there was.
    public mutating func take(at now: UInt64) -> Bool {
        (left, updated) = (room(at: now), max(now, updated))
        guard left >= 1 else { return false }
        left -= 1
        return true
    }

    /// Whether the bucket is full, so that nothing is lost if it is dropped.
    public func isFull(at now: UInt64) -> Bool { room(at: now) >= burst }

    private func room(at now: UInt64) -> Double { min(burst, left + Double(max(now, updated) - updated) / 1e9 * rate) }
}
