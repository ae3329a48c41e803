// PendingOutput: the output of a process before its first request, stored for that request's host; pure.

/// The output of a process before its first request. Output beyond `limit` is in the extension's log only.
struct PendingOutput: Sendable {
    /// The bytes of both streams together.
    static let limit = 64 * 1024

    /// The number of the last line of any log before the launch: later lines of this process belong to its first
    /// request.
    let after: Int
    private var chunks: [(stream: ProcessOutput.Stream, bytes: [UInt8])] = []
    private var size = 0

    init(after: Int) { self.after = after }

    mutating func add(_ bytes: [UInt8], _ stream: ProcessOutput.Stream) {
        guard size + bytes.count <= Self.limit else { return size = Self.limit }
        chunks.append((stream, bytes))
        size += bytes.count
    }

    /// Returns the output, once. Later output is not stored.
    mutating func take() -> [(stream: ProcessOutput.Stream, bytes: [UInt8])] {
        defer { (chunks, size) = ([], Self.limit) }
        return chunks
    }
}
