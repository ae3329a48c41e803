// SystemError: a failed system call, by name and errno.

public import Glibc

/// The failure of a system call.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call that failed, as the man page names it: `recvmsg`, `clone`.
    public let call: String
    /// The positive errno value.
    public let code: Int32

    public init(_ call: String, code: Int32 = errno) {
        self.call = call
        self.code = code
    }

    public var description: String { "\(call): \(String(cString: strerror(code))) (errno \(code))" }
}
