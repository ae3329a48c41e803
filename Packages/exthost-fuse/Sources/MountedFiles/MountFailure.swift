// MountFailure: the failure of an operation, and the reason why a folder cannot be mounted.

import Glibc
import PointHosts

/// The failure of one operation, with the system's error number.
struct OperationFailure: Error {
    let code: Int32
    let reason: String

    init(_ code: Int32, _ reason: String) { (self.code, self.reason) = (code, reason) }

    /// Translates any error that a body throws.
    init(_ error: any Error) {
        switch error {
        case let failure as OperationFailure: self = failure
        case let failure as FileFailure: self.init(failure.systemCode, failure.reason)
        case is CancellationError: self.init(EINTR, "the operation was interrupted")
        default: self.init(EIO, "\(error)")
        }
    }

    /// Whether the log names it: programs cause the others in their ordinary course.
    var isNotable: Bool {
        switch code {
        case EIO, ETIMEDOUT, EHOSTUNREACH, EDQUOT, ENOSPC, ENFILE, EOVERFLOW, ELOOP: true
        default: false
        }
    }
}

/// The reason why a folder cannot be mounted.
public struct MountFailure: Error, Sendable, CustomStringConvertible {
    /// The cause.
    public enum Cause: Sendable, Hashable {
        /// The library or the device is missing.
        case unavailable
        /// The mount point is missing, or is no folder.
        case noMountPoint
        /// The kernel or fusermount3 refused.
        case refused
        /// The provider could not tell its top folder.
        case provider
    }

    public let cause: Cause
    public let reason: String
    public let remedy: String

    init(_ cause: Cause, _ reason: String, remedy: String) {
        (self.cause, self.reason, self.remedy) = (cause, reason, remedy)
    }

    public var description: String { "\(reason). \(remedy)" }

    /// The exit status of a program that fails for this reason.
    public var exitStatus: Int32 {
        switch cause {
        case .unavailable, .provider: EX_UNAVAILABLE
        case .noMountPoint: EX_NOINPUT
        case .refused: EX_CANTCREAT
        }
    }
}
