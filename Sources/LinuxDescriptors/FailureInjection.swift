// FailureInjection: calls that fail as the kernel fails them when a resource has run out, for faults on demand.

import Glibc
import Locks

/// A resource that can run out.
///
/// The few calls of this process that use it check here first; the check is one load, unless a failure was ordered. Any
/// thread may order a failure for the whole process, and any thread's call may consume it.
public final class FailureInjection: Sendable {
    /// The descriptors of sockets, pipes and accepted connections.
    public static let descriptors = FailureInjection(EMFILE)
    /// The memory of memory files and new processes.
    public static let memory = FailureInjection(ENOMEM)
    /// The disk space of new folders.
    public static let disk = FailureInjection(ENOSPC)

    private let code: Int32
    private let failures = Atomic<Int>(0)

    private init(_ code: Int32) { self.code = code }

    /// Orders the next call that uses the resource to fail; ordered twice, the next two.
    public func order() { failures.wrappingAdd(1, ordering: .relaxed) }

    /// Cancels all orders.
    public func clear() { failures.store(0, ordering: .relaxed) }

    /// Consumes an order: returns the errno with which the calling function must fail, or nil if it may proceed.
    public func consume() -> Int32? {
        var left = failures.load(ordering: .relaxed)
        while left > 0 {
            let (exchanged, found) = failures.weakCompareExchange(expected: left, desired: left - 1, ordering: .relaxed)
            if exchanged { return code }
            left = found
        }
        return nil
    }

    /// Throws the failure of `call` if one was ordered.
    public func check(_ call: String) throws(SystemError) {
        if let code = consume() { throw SystemError(call, code: code) }
    }
}
