// ProcessEnding: the exit status of a process, and the resources that it used.

/// The way in which a process ended.
public enum ExitStatus: Sendable, Hashable {
    /// The process exited with this code, 0 to 255.
    case exited(Int32)
    /// A signal killed the process.
    case signalled(Int32, coreDumped: Bool)
    /// The init of its pid namespace ran, but could not execute the program.
    case notStarted(SystemError)
    /// The process ended, and the kernel does not say how: it was not our child, and the kernel is older than 6.15.
    case unknown
}

/// The exit status and the resource usage of a process.
public struct ProcessEnding: Sendable, Hashable {
    public let status: ExitStatus
    /// The peak resident memory in bytes, of the process and its largest reaped descendant; `nil` if not known.
    ///
    /// The kernel counts what a vfork child shared with this process, so a peak below our own says nothing and is
    /// omitted. In a pid namespace it is known, because the init measures it.
    public let peakMemory: Int64?
    /// The user and system time of the process and its reaped descendants, in microseconds; `nil` if not known.
    public let processorMicroseconds: Int64?

    public init(status: ExitStatus, peakMemory: Int64? = nil, processorMicroseconds: Int64? = nil) {
        self.status = status
        self.peakMemory = peakMemory
        self.processorMicroseconds = processorMicroseconds
    }
}

extension ExitStatus {
    /// Reads the status of wait(2).
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal, coreDumped: status & 0x80 != 0)
    }
}
