// Usage: amounts of the daemon's resources, used or allowed; pure.

/// The resources that a host's requests hold in the daemon, or may hold.
public struct Usage: Sendable, Hashable {
    /// Requests that are not closed.
    public var requests: Int
    /// Descriptors of requests that their extension does not have yet, and one for each such request.
    public var descriptors: Int
    /// Bytes of items that wait here for their extension. The contents of memory files are the host's own.
    public var bytes: Int
    /// Processes that were launched for the host and live.
    public var processes: Int

    public init(requests: Int = 0, descriptors: Int = 0, bytes: Int = 0, processes: Int = 0) {
        self.requests = requests
        self.descriptors = descriptors
        self.bytes = bytes
        self.processes = processes
    }

    /// The limit of one host application.
    public static let hostLimit = Usage(requests: 64, descriptors: 256, bytes: 16 << 20, processes: 64)
    /// The limit of all hosts of one process: a quarter of the user's limit, so that others of that user find room.
    public static let processLimit = Usage(requests: 1024, descriptors: 1024, bytes: 64 << 20, processes: 256)
    /// The limit of all hosts of one user.
    public static let userLimit = Usage(requests: 4096, descriptors: 4096, bytes: 256 << 20, processes: 1024)

    package static func + (left: Usage, right: Usage) -> Usage {
        Usage(
            requests: left.requests + right.requests, descriptors: left.descriptors + right.descriptors,
            bytes: left.bytes + right.bytes, processes: left.processes + right.processes)
    }

    package static func - (left: Usage, right: Usage) -> Usage {
        Usage(
            requests: left.requests - right.requests, descriptors: left.descriptors - right.descriptors,
            bytes: left.bytes - right.bytes, processes: left.processes - right.processes)
    }

    /// Returns the larger amount, part by part.
    package func orMore(_ other: Usage) -> Usage {
        Usage(
            requests: max(requests, other.requests), descriptors: max(descriptors, other.descriptors),
            bytes: max(bytes, other.bytes), processes: max(processes, other.processes))
    }

    /// Returns as much of this as fits into a daemon of so many descriptors. A process takes about seven of them.
    package func within(descriptors most: Int) -> Usage {
        var usage = self
        usage.descriptors = min(descriptors, max(16, most / 8))
        usage.processes = min(processes, max(2, most / 16))
        return usage
    }

    /// Returns the first limit that this exceeds, in words; nil if there is none.
    package func excess(over limit: Usage) -> String? {
        if requests > limit.requests { return "\(limit.requests) open requests" }
        if descriptors > limit.descriptors { return "\(limit.descriptors) descriptors that wait for extensions" }
        if bytes > limit.bytes { return "\(limit.bytes) bytes of items that wait for extensions" }
        if processes > limit.processes { return "\(limit.processes) processes" }
        return nil
    }
}
