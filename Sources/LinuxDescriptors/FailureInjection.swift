// FailureInjection: calls that fail as the kernel would when something has run out, for faults on demand.

import Glibc
import Locks

/// What can run out. The few calls of this process that take it ask here first: one load, unless something was ordered to run out.
/// Orders are this process's and any thread's, and so is whoever meets with them.
public final class FailureInjection: Sendable {
    /// Sockets, pipes and accepted connections.
    public static let descriptors = FailureInjection(EMFILE)
    /// Memory files and new processes.
    public static let memory = FailureInjection(ENOMEM)
    /// New folders.
    public static let disk = FailureInjection(ENOSPC)

    private let code: Int32
    private let failures = Atomic<Int>(0)

    private init(_ code: Int32) { self.code = code }

    /// The next call that takes it fails; ordered twice, the next two.
    public func order() { failures.wrappingAdd(1, ordering: .relaxed) }

    /// Takes all orders back.
    public func clear() { failures.store(0, ordering: .relaxed) }

    /// The errno that the call which asks is to answer with; nil: it is to be made. Each order is met with once.
    public func consume() -> Int32? {
        var left = failures.load(ordering: .relaxed)
        while left > 0 {
            let (exchanged, found) = failures.weakCompareExchange(expected: left, desired: left - 1, ordering: .relaxed)
            if exchanged { return code }
            left = found
        }
        return nil
    }

    /// Throws the failure of `call` where one was ordered.
    public func check(_ call: String) throws(SystemError) {
        if let code = consume() { throw SystemError(call, code: code) }
    }
}
