// MonotonicTime: readings of the system's clocks, and the arithmetic of nanoseconds that cannot overflow.

internal import Glibc

enum MonotonicTime {
    /// Nanoseconds of CLOCK_MONOTONIC.
    static var now: UInt64 { reading(of: CLOCK_MONOTONIC) }

    static func reading(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        // The call cannot fail for a clock that exists and an address of this process (clock_gettime(2)).
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

extension UInt64 {
    func addingSaturating(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension Duration {
    /// The duration in nanoseconds, rounded up: 0 if it is not positive, the largest number if it does not fit (584
    /// years).
    var saturatingNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return .max }
        let fraction = UInt64(attoseconds)
        return whole.addingSaturating(fraction / 1_000_000_000 + (fraction % 1_000_000_000 == 0 ? 0 : 1))
    }
}
