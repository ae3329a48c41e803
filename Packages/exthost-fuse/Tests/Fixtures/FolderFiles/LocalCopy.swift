// LocalCopy: the copy of a file's contents, and the leases on it.

import Foundation
import Glibc
import LinuxDescriptors
public import PointHosts
import Synchronization

/// A copy of a file, which all its leases share.
final class LocalCopy: Sendable {
    let descriptor: SharedDescriptor
    /// The version of the file that was copied, or delivered last; and the number of leases and changes.
    let state: Mutex<(version: Data?, leases: Int, isDirty: Bool)>

    init(_ descriptor: SharedDescriptor, version: Data?) {
        self.descriptor = descriptor
        state = Mutex((version, 0, false))
    }

    /// Copies all bytes of a file to another, which then has the same size.
    static func copy(_ source: Int32, to target: Int32) throws(FileFailure) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var offset = 0
        while true {
            let count = pread(source, &bytes, bytes.count, offset)
            guard count >= 0 else { throw FolderFiles.failure("pread") }
            if count == 0 { break }
            guard pwrite(target, bytes, count, offset) == count else { throw FolderFiles.failure("pwrite") }
            offset += count
        }
        guard ftruncate(target, offset) == 0 else { throw FolderFiles.failure("ftruncate") }
    }
}

extension FolderFiles {
    public func open(_ identifier: String, forWriting: Bool) async throws(FileFailure) -> any FileLease {
        try await faults.perform("open")
        let item = try await item(identifier)
        guard item.kind == .file else { throw FileFailure(.isFolder, "\(item.name) is no file") }
        if forWriting, !item.capabilities.contains(.writing) {
            throw FileFailure(.notPermitted, "\(item.name) may be read only")
        }
        let path = try path(identifier)
        // The lock is held while contents are copied: two programs get the same copy.
        let result = state.withLock { state -> Result<LocalCopy, FileFailure> in
            if let copy = state.copies[identifier],
                copy.state.withLock({ $0.isDirty || $0.version == item.contentVersion })
            {
                copy.state.withLock { $0.leases += 1 }
                return .success(copy)
            }
            state.nextCopy += 1
            let place = store + "/\(state.nextCopy)"
            let source = Glibc.open(path, O_RDONLY | O_CLOEXEC)
            guard source >= 0 else { return .failure(Self.failure("open")) }
            defer { close(source) }
            let target = Glibc.open(place, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard target >= 0 else { return .failure(Self.failure("open")) }
            unlink(place)
            let descriptor = SharedDescriptor(owning: target)
            do throws(FileFailure) { try LocalCopy.copy(source, to: target) } catch { return .failure(error) }
            let copy = LocalCopy(descriptor, version: item.contentVersion)
            copy.state.withLock { $0.leases = 1 }
            state.copies[identifier] = copy
            return .success(copy)
        }
        return Lease(identifier, try result.get(), self)
    }

    /// Copies the contents back to the folder.
    func deliver(_ copy: LocalCopy, of identifier: String) async throws(FileFailure) {
        guard copy.state.withLock({ $0.isDirty }) else { return }
        try await faults.perform("flush")
        copy.state.withLock { $0.isDirty = false }
        do throws(FileFailure) {
            let path = try path(identifier)
            let target = Glibc.open(path, O_WRONLY | O_CLOEXEC)
            guard target >= 0 else { throw Self.failure("open") }
            defer { close(target) }
            try LocalCopy.copy(copy.descriptor.raw, to: target)
            var facts = stat()
            guard fstat(copy.descriptor.raw, &facts) == 0 else { throw Self.failure("fstat") }
            let time = Self.time(Self.date(facts.st_mtim))
            _ = futimens(target, [time, time])
            guard fstat(target, &facts) == 0 else { throw Self.failure("fstat") }
            let version = FolderFiles.version(facts)
            copy.state.withLock { $0.version = version }
        } catch {
            copy.state.withLock { $0.isDirty = true }
            throw error
        }
    }

    /// A lease on a copy.
    final class Lease: FileLease {
        let identifier: String
        private let copy: LocalCopy
        private let files: FolderFiles
        private let isClosed = Mutex(false)

        init(_ identifier: String, _ copy: LocalCopy, _ files: FolderFiles) {
            (self.identifier, self.copy, self.files) = (identifier, copy, files)
        }

        var descriptor: SharedDescriptor { copy.descriptor }

        func noteChange() { copy.state.withLock { $0.isDirty = true } }

        func flush() async throws(FileFailure) { try await files.deliver(copy, of: identifier) }

        func close() async throws(FileFailure) {
            let isFirst = isClosed.withLock { isClosed in
                defer { isClosed = true }
                return !isClosed
            }
            guard isFirst else { return }
            defer { copy.state.withLock { $0.leases -= 1 } }
            try await files.faults.perform("close")
            try await flush()
        }
    }
}
