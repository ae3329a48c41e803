// SystemClock: what time it is. Only clocks ask; everything else takes time as a value.

internal import Glibc

public enum SystemClock {
    /// `CLOCK_MONOTONIC` in nanoseconds: since some past moment, never back, standing still while the machine sleeps.
    public static func monotonicNanoseconds() -> UInt64 { UInt64(bitPattern: nanoseconds(CLOCK_MONOTONIC)) }

    /// `CLOCK_REALTIME` in nanoseconds since 1970; it jumps when somebody sets it.
    public static func realtimeNanoseconds() -> Int64 { nanoseconds(CLOCK_REALTIME) }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // Cannot fail: both clocks are always there and the pointer is valid (clock_gettime(2)).
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
