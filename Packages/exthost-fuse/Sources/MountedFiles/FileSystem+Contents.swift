// FileSystem+Contents: opening, reading, writing and closing files.

import CFuse
import Foundation
import Glibc
import LinuxDescriptors
import PointHosts
import Synchronization

extension FileSystem {
    /// The open contents of a file, with one handle more.
    func openContents(_ number: UInt64, forWriting: Bool) async throws -> OpenContents {
        let node = try nodes.node(number)
        if let contents = nodes.use(number, forWriting: forWriting) { return contents }
        if node.isDeleted { throw OperationFailure(ENOENT, "the file has been deleted") }
        switch node.item.kind {
        case .file: break
        case .folder: throw OperationFailure(EISDIR, "\(node.item.name) is a folder")
        case .symbolicLink: throw OperationFailure(ELOOP, "\(node.item.name) is a symbolic link")
        }
        let lease = try await files.open(node.item.identifier, forWriting: forWriting)
        let (contents, isUsed) = try nodes.use(number, lease: lease, isWritable: forWriting)
        if !isUsed { try? await lease.close() }
        if node.item.size != (try? contents.attributes().st_size), !contents.isChanged {
            try await compareSize(number, contents)
        }
        return contents
    }

    /// Logs that the provider is wrong about a size, unless the size here is only older.
    private func compareSize(_ number: UInt64, _ contents: OpenContents) async throws {
        guard let item = try? await files.item(nodes.identifier(number)) else { return }
        nodes.note(item, as: number)
        guard let size = item.size, let local = try? contents.attributes().st_size, size != local, !contents.isChanged
        else { return }
        log("the provider says that \(item.name) has \(size) bytes, and its contents have \(local)")
    }

    /// Opens a file. The answer has its handle.
    func open(_ number: UInt64, flags: Int32) async throws -> Answer {
        let forWriting = flags & O_ACCMODE != O_RDONLY
        let contents = try await openContents(number, forWriting: forWriting)
        do {
            if flags & O_TRUNC != 0 { try truncate(contents, to: 0) }
        } catch {
            endUse(of: contents, number)
            throw error
        }
        let handle = Handle.file(FileHandle(node: number, contents: contents, isWritable: forWriting))
        return Answer(drop: { [self] in endUse(of: contents, number) }) { [self] request in
            let node = try? nodes.node(number)
            let keepsCache = nodes.noteCache(number, version: node?.item.contentVersion)
            // The size that the provider told may be another.
            if let node, node.item.size != (try? contents.attributes().st_size) {
                invalidation.forgetAttributes(of: number)
            }
            let identifier = addHandle(handle)
            if exthost_fuse_reply_open(request.raw, identifier, keepsCache) != 0 { close(identifier) }
        }
    }

    /// Makes a file and opens it.
    func create(_ name: String, in parent: UInt64, mode: mode_t, flags: Int32) async throws -> Answer {
        let item: ProvidedItem
        do {
            item = try await make(name, in: parent, .file, isExecutable: mode & 0o100 != 0)
        } catch let failure as FileFailure where failure.code == .filenameCollision && flags & O_EXCL == 0 {
            // Another program has made it since the kernel looked.
            item = try await self.item(named: name, in: parent)
        }
        // The kernel learns of the file with the answer, so it has a number before.
        let entry = try nodes.enter(item, in: parent)
        let number = UInt64(entry.ino)
        let contents: OpenContents
        do {
            contents = try await openContents(number, forWriting: true)
            if flags & O_TRUNC != 0, try contents.attributes().st_size > 0 { try truncate(contents, to: 0) }
        } catch {
            nodes.forget(number, 1)
            throw error
        }
        let handle = Handle.file(
            FileHandle(node: number, contents: contents, isWritable: flags & O_ACCMODE != O_RDONLY))
        let drop = { @Sendable [self] in
            endUse(of: contents, number)
            nodes.forget(number, 1)
        }
        return Answer(drop: drop) { [self] request in
            guard let node = try? nodes.node(number) else { return request.fail(EIO) }
            _ = nodes.noteCache(number, version: nil)
            var entry = entry
            entry.attr = nodes.attributes(of: node)
            let identifier = addHandle(handle)
            if exthost_fuse_reply_create(request.raw, &entry, identifier, false) != 0 {
                close(identifier)
                nodes.forget(number, 1)
            }
        }
    }

    /// Ends a handle that a program has closed, or that it never got.
    func close(_ identifier: UInt64) {
        switch removeHandle(identifier) {
        case .file(let handle): endUse(of: handle.contents, handle.node)
        case .folder(let handle): handle.close()
        case nil: break
        }
    }

    /// Notes the end of a handle. The last one's changes are delivered, and its leases given back.
    func endUse(of contents: OpenContents, _ number: UInt64) {
        guard contents.unuse() else { return }
        let name = (try? nodes.node(number))?.item.name ?? "a file"
        operations.start(nil, "closing \(name)") { [self] in
            // A file that is opened again meanwhile has the same contents, with these changes.
            do {
                try await contents.deliver()
                nodes.noteMutation()
            } catch {
                log("the changes of \(name) are not delivered yet: \(OperationFailure(error).reason)")
            }
            guard nodes.take(contents, from: number) else { return .done }
            do {
                try await contents.close()
            } catch {
                undelivered.add(1, ordering: .relaxed)
                throw OperationFailure(error)
            }
            return .done
        }
    }

    // MARK: - Reading and writing

    /// Reads from the local copy, on the thread that reads the device.
    func read(_ request: KernelRequest, _ handle: UInt64, size: Int, offset: Int) {
        do {
            let file = try fileHandle(handle)
            let descriptor = file.contents.descriptor
            withUnsafeTemporaryAllocation(byteCount: max(size, 1), alignment: 16) { bytes in
                var count = 0
                while count < size {
                    let part = pread(descriptor.raw, bytes.baseAddress! + count, size - count, offset + Int(count))
                    if part < 0, errno == EINTR { continue }
                    if part < 0, count == 0 { return request.fail(errno) }
                    if part <= 0 { break }
                    count += part
                }
                _ = exthost_fuse_reply_buf(request.raw, bytes.baseAddress, count)
            }
        } catch {
            request.fail(OperationFailure(error).code)
        }
    }

    func write(_ request: KernelRequest, _ handle: UInt64, _ bytes: UnsafeRawBufferPointer, offset: Int) {
        do {
            let file = try fileHandle(handle)
            let count = try file.contents.change { descriptor in
                var written = 0
                while written < bytes.count {
                    let part = pwrite(
                        descriptor, bytes.baseAddress! + written, bytes.count - written, offset + Int(written))
                    if part < 0, errno == EINTR { continue }
                    if part < 0, written == 0 { throw OperationFailure(errno, "writing a local copy failed") }
                    if part <= 0 { break }
                    written += part
                }
                return written
            }
            _ = exthost_fuse_reply_write(request.raw, count)
        } catch {
            fail(request, "writing", error)
        }
    }

    func truncate(_ contents: OpenContents, to size: Int) throws {
        try contents.change { descriptor in
            guard ftruncate(descriptor, size) == 0 else {
                throw OperationFailure(errno, "truncating a local copy failed")
            }
        }
    }

    func allocate(_ request: KernelRequest, _ handle: UInt64, mode: Int32, offset: Int, length: Int) {
        do {
            try fileHandle(handle).contents.change { descriptor in
                let failure = exthost_fuse_allocate(descriptor, mode, offset, length)
                guard failure == 0 else {
                    throw OperationFailure(-failure, "allocating space for a local copy failed")
                }
            }
            request.fail(0)
        } catch {
            fail(request, "fallocate", error)
        }
    }

    func seek(_ request: KernelRequest, _ handle: UInt64, offset: Int, whence: Int32) {
        do {
            // The kernel asks for data and holes only. Nothing else uses the position of the descriptor.
            let found = lseek(try fileHandle(handle).contents.descriptor.raw, offset, whence)
            guard found >= 0 else { return request.fail(errno) }
            _ = exthost_fuse_reply_lseek(request.raw, found)
        } catch {
            request.fail(OperationFailure(error).code)
        }
    }

    func copy(
        _ request: KernelRequest, from source: UInt64, at offset: Int, to target: UInt64, at targetOffset: Int,
        length: Int
    ) {
        do {
            let from = try fileHandle(source).contents.descriptor
            let count = try fileHandle(target).contents.change { descriptor in
                let count = exthost_fuse_copy(from.raw, offset, descriptor, targetOffset, min(length, 1 << 30))
                // The kernel then reads and writes instead.
                guard count >= 0 else {
                    throw OperationFailure(count == -Int(EXDEV) ? EOPNOTSUPP : Int32(-count), "copying failed")
                }
                return count
            }
            _ = exthost_fuse_reply_write(request.raw, count)
        } catch {
            fail(request, "copying", error)
        }
    }

    private func fail(_ request: KernelRequest, _ name: String, _ error: any Error) {
        let failure = OperationFailure(error)
        if failure.isNotable { log("\(name) fails: \(failure.reason)") }
        request.fail(failure.code)
    }

    /// Delivers the changes of an open file, and answers afterwards.
    func deliver(_ request: KernelRequest, _ handle: UInt64, name: String) {
        do {
            let file = try fileHandle(handle)
            guard file.contents.isDirty else { return request.fail(0) }
            operations.start(request, name) { [self] in
                try await file.contents.deliver()
                nodes.noteMutation()
                return .done
            }
        } catch {
            request.fail(OperationFailure(error).code)
        }
    }
}
