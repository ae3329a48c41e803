// PendingOutput: what a process prints while it waits for its first request, kept for that request's host; pure.

/// Bounded: what is printed beyond is in the extension's log only.
struct PendingOutput: Sendable {
    /// Bytes of both streams together.
    static let limit = 64 * 1024

    /// The last line of any extension's log before it was launched: what follows of its own belongs to its first request.
    let after: Int
    private var chunks: [(stream: ProcessOutput.Stream, bytes: [UInt8])] = []
    private var size = 0

    init(after: Int) { self.after = after }

    mutating func add(_ bytes: [UInt8], _ stream: ProcessOutput.Stream) {
        guard size + bytes.count <= Self.limit else { return size = Self.limit }
        chunks.append((stream, bytes))
        size += bytes.count
    }

    /// Once.
    mutating func take() -> [(stream: ProcessOutput.Stream, bytes: [UInt8])] {
        defer { (chunks, size) = ([], Self.limit) }
        return chunks
    }
}
