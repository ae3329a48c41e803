// ProcessEnding: how a process ended, and what it used.

/// How a process ended.
public enum ExitStatus: Sendable, Hashable {
    /// It exited with this code, 0 to 255.
    case exited(Int32)
    /// A signal ended it.
    case signalled(Int32, coreDumped: Bool)
    /// The init of its pid namespace ran, but could not execute the program.
    case notStarted(SystemError)
    /// It ended, and the kernel does not tell how: it was not our child, and the kernel is older than 6.15.
    case unknown
}

/// What is left of a process.
public struct ProcessEnding: Sendable, Hashable {
    public let status: ExitStatus
    /// Its peak resident memory in bytes, and that of its largest reaped descendant; `nil` when not known. The kernel counts what
    /// a vfork child shared with this process, so a peak below our own says nothing and is not given, except in a pid namespace,
    /// where the init measures it.
    public let peakMemory: Int64?
    /// User and system time of it and its reaped descendants, in microseconds; `nil` when not known.
    public let processorMicroseconds: Int64?

    public init(status: ExitStatus, peakMemory: Int64? = nil, processorMicroseconds: Int64? = nil) {
        self.status = status
        self.peakMemory = peakMemory
        self.processorMicroseconds = processorMicroseconds
    }
}

extension ExitStatus {
    /// From the number wait(2) gives.
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal, coreDumped: status & 0x80 != 0)
    }
}
