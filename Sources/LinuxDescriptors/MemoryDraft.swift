// MemoryDraft: a memfd that is still being written, before it is sealed.

internal import Glibc

/// Memory that its producer writes in place and seals once.
///
/// If it is dropped unsealed, it is gone. One thread at a time.
public struct MemoryDraft: ~Copyable {
    private let raw: Int32
    private let bytes: UnsafeMutableRawBufferPointer

    /// Makes `size` zero bytes that are already backed by pages, so that writing them causes no faults.
    public init(size: Int, name: String = "item") throws(SealedMemoryError) {
        let descriptor = try SealedMemory.create(name)
        guard ftruncate(descriptor.raw, off_t(size)) == 0 else { throw .system(SystemError("ftruncate")) }
        bytes = try mapMemory(
            descriptor.raw, count: size, protection: PROT_READ | PROT_WRITE, flags: MAP_SHARED | Int32(MAP_POPULATE))
        raw = descriptor.release()
    }

    deinit {
        unmapMemory(bytes)
        close(raw)
    }

    /// Calls `body` with the bytes; the pointer is valid inside `body` only.
    public borrowing func withUnsafeMutableBytes<Value, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(bytes)
    }

    /// Ends the writing; returns a sealed memfd of the first `count` bytes, all of them by default.
    public consuming func seal(count: Int? = nil) throws(SealedMemoryError) -> OwnedDescriptor {
        let descriptor = OwnedDescriptor(owning: raw)
        let size = bytes.count
        // F_SEAL_WRITE is refused while a writable mapping exists (fcntl(2)).
        unmapMemory(bytes)
        discard self
        if let count, count != size {
            guard (0...size).contains(count) else { throw .system(SystemError("ftruncate", code: EINVAL)) }
            guard ftruncate(descriptor.raw, off_t(count)) == 0 else { throw .system(SystemError("ftruncate")) }
        }
        try SealedMemory.seal(descriptor)
        return descriptor
    }
}
