// SystemClock: the system's clocks. Only clocks read them; all other code takes time as a value.

internal import Glibc

public enum SystemClock {
    /// Returns `CLOCK_MONOTONIC` in nanoseconds since some past time.
    ///
    /// It never goes back, and stops while the machine sleeps.
    public static func monotonicNanoseconds() -> UInt64 { UInt64(bitPattern: nanoseconds(CLOCK_MONOTONIC)) }

    /// Returns `CLOCK_REALTIME` in nanoseconds since 1970; it jumps when somebody sets it.
    public static func realtimeNanoseconds() -> Int64 { nanoseconds(CLOCK_REALTIME) }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // The call cannot fail: both clocks are always there and the pointer is valid (clock_gettime(2)).
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
