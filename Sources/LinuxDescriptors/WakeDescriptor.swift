// WakeDescriptor: an eventfd by which one thread wakes another out of its poll.

internal import CLinux
internal import Glibc

/// A descriptor that is readable from a `signal` until the next `drain`. Any thread may signal.
public struct WakeDescriptor: ~Copyable, Sendable {
    private let event: OwnedDescriptor

    public init() throws(SystemError) {
        let raw = exthost_eventfd()
        guard raw >= 0 else { throw SystemError("eventfd", code: -raw) }
        event = OwnedDescriptor(owning: raw)
    }

    /// The descriptor for polling; this value owns it.
    public var raw: Int32 { event.raw }

    /// Releases the descriptor to the caller.
    public consuming func release() -> Int32 { event.release() }

    public borrowing func signal() {
        var one: UInt64 = 1
        // The counter is full only after 2^64 signals without a drain; the reader is awake then anyway.
        _ = write(event.raw, &one, 8)
    }

    public borrowing func drain() {
        var count: UInt64 = 0
        _ = read(event.raw, &count, 8)
    }
}
