// OwnedDescriptor and SharedDescriptor: file descriptors that are closed exactly once.

import Glibc

/// A descriptor with one owner, closed when the owner goes.
public struct OwnedDescriptor: ~Copyable, Sendable {
    public let raw: Int32

    /// Takes over `raw`: no other owner may close it.
    public init(owning raw: Int32) { self.raw = raw }

    deinit { _ = close(raw) }

    /// Returns a second descriptor of the same file, close-on-exec, with its own owner.
    public borrowing func duplicate() throws(SystemError) -> OwnedDescriptor {
        let number = fcntl(raw, F_DUPFD_CLOEXEC, 3)
        guard number >= 0 else { throw SystemError("fcntl") }
        return OwnedDescriptor(owning: number)
    }

    /// Releases the number to the caller, who closes it.
    public consuming func release() -> Int32 {
        let number = raw
        discard self
        return number
    }
}

/// A descriptor with several holders (a payload on its way through queues), closed when the last one goes.
public final class SharedDescriptor: Sendable {
    public let raw: Int32

    public init(owning raw: Int32) { self.raw = raw }

    public convenience init(_ descriptor: consuming OwnedDescriptor) { self.init(owning: descriptor.release()) }

    deinit { _ = close(raw) }

    /// Returns a second descriptor of the same file, close-on-exec, with its own owner.
    public func duplicate() throws(SystemError) -> OwnedDescriptor {
        let number = fcntl(raw, F_DUPFD_CLOEXEC, 3)
        guard number >= 0 else { throw SystemError("fcntl") }
        return OwnedDescriptor(owning: number)
    }
}
