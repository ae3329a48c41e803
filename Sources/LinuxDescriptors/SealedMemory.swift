// SealedMemory: bytes in a memfd that cannot change any more, and that travel as a descriptor.

internal import CLinux
internal import Glibc

/// The reason why a sealed memory could not be made, or was not accepted.
public enum SealedMemoryError: Error, Sendable, Hashable {
    /// The descriptor is a directory, device, pipe or socket.
    case notRegularFile
    /// The descriptor is a file on disk, or of another kind that cannot be sealed, or memory in huge pages.
    case notMemory
    /// The memory could still change: these of the seals SHRINK, GROW and WRITE are missing (`F_SEAL_…` bits of
    /// fcntl(2)).
    case notSealed(missing: Int32)
    /// The memory has more bytes than the receiver takes.
    case tooLarge(size: Int64, maximum: Int)
    /// The memory has too many bytes that were never written: the kernel makes each page of those when it is read.
    case sparse(size: Int64, unwritten: Int64)
    case system(SystemError)
}

extension SealedMemoryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notRegularFile: "the descriptor is not a regular file; pass a sealed memfd"
        case .notMemory: "the descriptor is a file that cannot be sealed, or has huge pages; pass an ordinary memfd"
        case .notSealed(let missing):
            "the memfd lacks the seals \(missing) of SHRINK, GROW and WRITE; seal it before passing it"
        case .tooLarge(let size, let maximum): "the memfd has \(size) bytes, more than the \(maximum) allowed"
        case .sparse(let size, let unwritten):
            "\(unwritten) of the memfd's \(size) bytes have never been written, more than the \(SealedMemory.mostUnwritten) allowed; "
                + "write all of them before sealing it"
        case .system(let error): error.description
        }
    }
}

/// Functions that make and open sealed memory.
public enum SealedMemory {
    /// Returns a sealed copy of `bytes`, as a close-on-exec descriptor. The name shows in `/proc` only.
    public static func make(_ bytes: UnsafeRawBufferPointer, name: String = "item") throws(SealedMemoryError)
        -> OwnedDescriptor
    {
        let descriptor = try create(name)
        var written = 0
        while written < bytes.count {
            let count = pwrite(descriptor.raw, bytes.baseAddress! + written, bytes.count - written, off_t(written))
            if count < 0 {
                if errno == EINTR { continue }
                throw .system(SystemError("pwrite"))
            }
            written += count
        }
        try seal(descriptor)
        return descriptor
    }

    public static func make(_ bytes: [UInt8], name: String = "item") throws(SealedMemoryError) -> OwnedDescriptor {
        let outcome = bytes.withUnsafeBytes { bytes in
            // A noncopyable value crosses the closure's border as its number.
            Result { () throws(SealedMemoryError) -> Int32 in try make(bytes, name: name).release() }
        }
        return OwnedDescriptor(owning: try outcome.get())
    }

    /// Makes sealed memory of `size` bytes that `fill` writes in place: no second copy exists at any time.
    public static func make<Failure: Error>(
        size: Int, name: String = "item", fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws -> OwnedDescriptor {
        let draft = try MemoryDraft(size: size, name: name)
        try draft.withUnsafeMutableBytes(fill)
        return try draft.seal()
    }

    /// The limit of bytes of a sealed memory that were never written. A kit that seals what it has written has none.
    public static let mostUnwritten = 16 << 20

    /// Maps sealed memory for reading, after checking that it is memory, cannot change or shrink, is not larger than
    /// `maximumSize` bytes, and has been written.
    ///
    /// The descriptor stays the caller's and may be closed afterwards.
    public static func map(_ raw: Int32, maximumSize: Int) throws(SealedMemoryError) -> MappedMemory {
        try MappedMemory(mapping: raw, count: try check(raw, maximumSize: maximumSize))
    }

    /// Performs the checks of `map`, without mapping; returns the size.
    public static func check(_ raw: Int32, maximumSize: Int) throws(SealedMemoryError) -> Int {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw .system(SystemError("fstat")) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile }
        let seals = exthost_get_seals(raw)
        if seals == -EINVAL { throw .notMemory }
        guard seals >= 0 else { throw .system(SystemError("fcntl", code: -seals)) }
        let missing = needed & ~seals
        guard missing == 0 else { throw .notSealed(missing: missing) }
        // A page of the kernel's pool of huge ones may be missing when it is read, which ends the reader by SIGBUS
        // (Linux, Documentation/admin-guide/mm/hugetlbpage.rst).
        let isHuge = exthost_has_huge_pages(raw)
        guard isHuge >= 0 else { throw .system(SystemError("fstatfs", code: -isHuge)) }
        guard isHuge == 0 else { throw .notMemory }
        guard status.st_size <= maximumSize else { throw .tooLarge(size: Int64(status.st_size), maximum: maximumSize) }
        // The reader makes the pages that the sender has not made, and they count as the reader's memory (st_blocks of
        // stat(3type)).
        let unwritten = Int64(status.st_size) - Int64(status.st_blocks) * 512
        guard unwritten <= mostUnwritten else { throw .sparse(size: Int64(status.st_size), unwritten: unwritten) }
        return Int(status.st_size)
    }

    /// Whether it is a memfd that its sender can still change or truncate. A receiver that maps one ends by SIGBUS.
    public static func isUnsealed(_ raw: Int32) -> Bool {
        let seals = exthost_get_seals(raw)
        guard seals >= 0, needed & ~seals != 0 else { return false }
        // A file of a tmpfs has the same answer as a memfd that was made without seals, and may travel as a file.
        return linkTarget("/proc/self/fd/\(raw)")?.hasPrefix("/memfd:") ?? false
    }

    /// Whether it is memory that nobody can make smaller or larger, so that no access to a mapping of it fails.
    public static func keepsItsSize(_ raw: Int32) -> Bool {
        let size = Int32(EXTHOST_SEAL_SHRINK | EXTHOST_SEAL_GROW)
        return exthost_get_seals(raw) & size == size && exthost_has_huge_pages(raw) == 0
    }

    private static let needed = Int32(EXTHOST_SEAL_SHRINK | EXTHOST_SEAL_GROW | EXTHOST_SEAL_WRITE)

    /// Makes empty memory that can be sealed later.
    package static func create(_ name: String) throws(SealedMemoryError) -> OwnedDescriptor {
        if let code = FailureInjection.memory.consume() { throw .system(SystemError("memfd_create", code: code)) }
        let raw = exthost_memfd_create(name)
        guard raw >= 0 else { throw .system(SystemError("memfd_create", code: -raw)) }
        return OwnedDescriptor(owning: raw)
    }

    /// Seals memory against every change. Fails if somebody has mapped it for writing.
    package static func seal(_ descriptor: borrowing OwnedDescriptor) throws(SealedMemoryError) {
        let code = exthost_add_seals(descriptor.raw, needed | Int32(EXTHOST_SEAL_SEAL))
        guard code == 0 else { throw .system(SystemError("fcntl", code: -code)) }
    }
}
