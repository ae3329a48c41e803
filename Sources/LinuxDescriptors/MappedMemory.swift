// MappedMemory: a read-only mapping of sealed memory, and the two calls that map and unmap.

internal import Glibc

/// A read-only view of sealed memory, unmapped when its last holder goes.
public final class MappedMemory: Sendable {
    /// The mapped bytes. No thread writes them: the pages are sealed, and this pointer is set once.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    public var count: Int { bytes.count }

    init(mapping raw: Int32, count: Int) throws(SealedMemoryError) {
        // The mapping is private, because kernels before 6.7 refuse a shared one of a write-sealed file; the pages are
        // shared anyway.
        bytes = try mapMemory(raw, count: count, protection: PROT_READ, flags: MAP_PRIVATE)
    }

    deinit { unmapMemory(bytes) }

    /// Calls `body` with the bytes; the pointer is valid inside `body` only.
    public func withUnsafeBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(UnsafeRawBufferPointer(bytes))
    }
}

public func mapMemory(
    _ raw: Int32, count: Int, protection: Int32, flags: Int32
) throws(SealedMemoryError) -> UnsafeMutableRawBufferPointer {
    // mmap(2) refuses a length of 0.
    guard count > 0 else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
    let start = mmap(nil, count, protection, flags, raw, 0)
    guard let start, start != MAP_FAILED else { throw .system(SystemError("mmap")) }
    return UnsafeMutableRawBufferPointer(start: start, count: count)
}

public func unmapMemory(_ bytes: UnsafeMutableRawBufferPointer) {
    if let start = bytes.baseAddress { munmap(start, bytes.count) }
}
