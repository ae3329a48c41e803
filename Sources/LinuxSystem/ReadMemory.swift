// ReadMemory: a large file's contents in separate pages.

internal import Glibc

/// The contents of a file at the time of reading, whatever becomes of the file. They are freed with the last holder.
///
/// All pages are made at once: otherwise the first touch of each page would take longer than reading it.
public final class ReadMemory: Sendable {
    /// The pages. They are written before this object is handed out, and never later.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    /// Reads a regular file, not a link. Throws `EFBIG` for one above `maximumSize`.
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
        // The file became shorter meanwhile.
        guard count == status.size else { throw SystemError("read", code: ESTALE) }
    }

    deinit { unmapMemory(bytes) }

    /// Calls `body` with the bytes; the pointer is valid inside `body` only.
    public func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        body(UnsafeRawBufferPointer(bytes))
    }
}
