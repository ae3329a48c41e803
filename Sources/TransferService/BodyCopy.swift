// BodyCopy: the copy of an upload's file, which its author may change later.

internal import CLinux
internal import Glibc
internal import LinuxDescriptors

/// A copy of an open file in the service's folder. It is made in slices, so that other work has its turn.
///
/// On file systems that can share blocks it is a clone (`FICLONE` of ioctl_ficlonerange(2)), which takes one slice.
final class BodyCopy {
    let token: String
    private(set) var size: Int
    private let source: SharedDescriptor
    private let target: OwnedDescriptor
    private let folder: TransferFolder
    private let faults: TransferFaults
    private var copied = 0
    private var isInKernel = true

    /// Begins a copy.
    ///
    /// - Parameters:
    ///   - source: the file.
    ///   - token: the name of the copy.
    ///   - folder: the folder of the copy.
    ///   - faults: the faults that a test causes.
    /// - Throws: `EINVAL` for what is no regular file, `ENOSPC` for a file that is larger than the room, and others.
    init(_ source: SharedDescriptor, _ token: String, in folder: TransferFolder, _ faults: TransferFaults)
        throws(SystemError)
    {
        var status = stat()
        guard fstat(source.raw, &status) == 0 else { throw SystemError("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("copy", code: EINVAL) }
        size = Int(status.st_size)
        (self.source, self.token, self.folder, self.faults) = (source, token, folder, faults)
        target = try createFile(folder.body(token))
        if exthost_clone_file(source.raw, target.raw) == 0, fstat(target.raw, &status) == 0 {
            // The file may have changed its size meanwhile; the clone is what is sent.
            size = Int(status.st_size)
            copied = size
        } else if size > faults.freeBytes() ?? folder.freeBytes {
            cancel()
            throw SystemError("copy", code: ENOSPC)
        }
    }

    /// Copies the next bytes; returns whether the copy is whole, and on the disk.
    ///
    /// - Parameter slice: the number of bytes.
    /// - Throws: `ENODATA` if the file has become shorter, and others. The copy is deleted then.
    func step(_ slice: Int) throws(SystemError) -> Bool {
        do throws(SystemError) {
            let end = min(size, copied + slice)
            while copied < end {
                let count = try copyPiece(end - copied)
                guard count > 0 else { throw SystemError("copy", code: ENODATA) }
                copied += count
            }
            guard copied == size else {
                faults.afterStep(.bodyCopied)
                // Otherwise the last sync would block the service for the whole file.
                try faults.sync(target.raw, fdatasync)
                return false
            }
            guard ftruncate(target.raw, off_t(size)) == 0 else { throw SystemError("ftruncate") }
            try faults.sync(target.raw)
            faults.afterStep(.bodyCopied)
            try folder.sync()
            return true
        } catch {
            cancel()
            throw error
        }
    }

    private func copyPiece(_ count: Int) throws(SystemError) -> Int {
        if isInKernel {
            let moved = exthost_copy_range(source.raw, target.raw, off_t(copied), count)
            if moved >= 0 { return moved }
            // The file is on another file system, or on one without this call.
            guard [EXDEV, ENOSYS, EINVAL, EOPNOTSUPP].contains(Int32(-moved)) else {
                throw SystemError("copy_file_range", code: Int32(-moved))
            }
            isInKernel = false
        }
        let result: Result<Int, SystemError> = withUnsafeTemporaryAllocation(
            byteCount: min(count, 1 << 20), alignment: 16
        ) { buffer in
            var got: Int
            repeat {
                got = pread(source.raw, buffer.baseAddress, buffer.count, off_t(copied))
            } while got < 0 && errno == EINTR
            guard got >= 0 else { return .failure(SystemError("pread")) }
            do throws(SystemError) {
                try write(
                    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<got]), to: target.raw, at: copied
                )
                return .success(got)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Deletes what was copied.
    func cancel() { unlink(folder.body(token)) }
}
