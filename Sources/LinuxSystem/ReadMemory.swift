// ReadMemory: a large file's contents in pages of their own.

internal import Glibc

/// What a file held when it was read, whatever becomes of the file. Its pages are made at once: one by one, each first touch of a page
/// takes longer than the reading of it. They go with the last holder.
public final class ReadMemory: Sendable {
    /// Written before this is handed out, and by nobody later.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    /// Reads a regular file, not a link. `EFBIG` for one above `maximumSize`.
    public init(_ path: String, maximumSize: Int) throws(SystemError) {
        let file = try openForReading(path)
        let status = try FileStatus(of: file.raw)
        guard status.isRegular else { throw SystemError("read", code: EINVAL) }
        guard status.size <= maximumSize else { throw SystemError("read", code: EFBIG) }
        guard status.size > 0 else {
            bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            return
        }
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE
        let start = mmap(nil, status.size, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let start, start != MAP_FAILED else { throw SystemError("mmap") }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: status.size)
        let count = try readFile(file.raw, into: bytes)
        // It became shorter meanwhile.
        guard count == status.size else { throw SystemError("read", code: ESTALE) }
    }

    deinit { unmapMemory(bytes) }

    /// The bytes; the pointer is valid inside `body` only.
    public func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        body(UnsafeRawBufferPointer(bytes))
    }
}
