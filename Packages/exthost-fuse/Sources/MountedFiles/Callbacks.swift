// Callbacks: the functions that libfuse calls for each operation of the kernel.

import CFuse
import Foundation
import Glibc
import PointHosts

/// The functions of a session. Each returns soon: what waits for the provider runs as an operation.
enum Callbacks {
    /// A name from the kernel, which may be any bytes. A provider's names are text.
    private static func text(_ name: UnsafePointer<CChar>?) throws -> String {
        guard let name, let text = String(validatingCString: name) else {
            throw OperationFailure(EILSEQ, "the name is no UTF-8")
        }
        return text
    }

    /// Starts an operation on a name.
    private static func start(
        _ request: fuse_req_t?, _ action: String, _ name: UnsafePointer<CChar>?,
        _ body: @escaping @Sendable (FileSystem, String) async throws -> Answer
    ) {
        guard let request else { return }
        do {
            let name = try text(name)
            let system = FileSystem.of(request)
            system.operations.start(KernelRequest(raw: request), "\(action) \(name)") { try await body(system, name) }
        } catch {
            KernelRequest(raw: request).fail(OperationFailure(error).code)
        }
    }

    /// Starts an operation on an item that the kernel knows.
    private static func start(
        _ request: fuse_req_t?, _ action: String, _ inode: fuse_ino_t,
        _ body: @escaping @Sendable (FileSystem, UInt64) async throws -> Answer
    ) {
        guard let request else { return }
        let system = FileSystem.of(request)
        let number = UInt64(inode)
        let name =
            number == NodeTable.root
            ? "the top folder" : (try? system.nodes.node(number))?.item.name ?? "an unknown item"
        system.operations.start(KernelRequest(raw: request), "\(action) \(name)") { try await body(system, number) }
    }

    /// Answers an operation at once.
    private static func answer(_ request: fuse_req_t?, _ body: (FileSystem, KernelRequest) throws -> Void) {
        guard let request else { return }
        do {
            try body(FileSystem.of(request), KernelRequest(raw: request))
        } catch {
            KernelRequest(raw: request).fail(OperationFailure(error).code)
        }
    }

    static func table() -> fuse_lowlevel_ops {
        var table = fuse_lowlevel_ops()
        addConnection(to: &table)
        addNames(to: &table)
        addAttributes(to: &table)
        addContents(to: &table)
        addFolders(to: &table)
        return table
    }

    private static func addConnection(to table: inout fuse_lowlevel_ops) {
        table.`init` = { _, connection in
            guard let connection else { return }
            // Contents change through this mount, or the provider tells of it. A new time alone means nothing.
            connection.pointee.want &= ~UInt32(FUSE_CAP_AUTO_INVAL_DATA)
            connection.pointee.max_background = 64
        }
        table.statfs = { request, _ in Callbacks.answer(request) { system, request in system.facts(request) } }
    }

    private static func addNames(to table: inout fuse_lowlevel_ops) {
        table.lookup = { request, parent, name in
            Callbacks.start(request, "lookup of", name) { try await $0.lookup(UInt64(parent), $1) }
        }
        table.forget = { request, inode, count in
            guard let request else { return }
            FileSystem.of(request).nodes.forget(UInt64(inode), count)
            exthost_fuse_reply_none(request)
        }
        table.forget_multi = { request, count, forgets in
            guard let request else { return }
            for forget in UnsafeBufferPointer(start: forgets, count: count) {
                FileSystem.of(request).nodes.forget(UInt64(forget.ino), forget.nlookup)
            }
            exthost_fuse_reply_none(request)
        }
        table.mkdir = { request, parent, name, _ in
            Callbacks.start(request, "mkdir of", name) { system, name in
                system.entryAnswer(try await system.make(name, in: UInt64(parent), .folder), in: UInt64(parent))
            }
        }
        table.mknod = { request, parent, name, mode, _ in
            Callbacks.start(request, "mknod of", name) { system, name in
                guard mode & S_IFMT == S_IFREG else {
                    throw OperationFailure(EPERM, "a provider has files, folders and symbolic links only")
                }
                return system.entryAnswer(
                    try await system.make(name, in: UInt64(parent), .file, isExecutable: mode & 0o100 != 0),
                    in: UInt64(parent))
            }
        }
        table.symlink = { request, target, parent, name in
            let target = target.flatMap { String(validatingCString: $0) }
            Callbacks.start(request, "symlink of", name) { system, name in
                guard let target else { throw OperationFailure(EILSEQ, "the target is no UTF-8") }
                return system.entryAnswer(
                    try await system.make(name, in: UInt64(parent), .symbolicLink(target)), in: UInt64(parent))
            }
        }
        table.link = { request, _, _, _ in
            Callbacks.answer(request) { _, request in request.fail(EPERM) }
        }
        table.unlink = { request, parent, name in
            Callbacks.start(request, "unlink of", name) { try await $0.delete($1, in: UInt64(parent), isFolder: false) }
        }
        table.rmdir = { request, parent, name in
            Callbacks.start(request, "rmdir of", name) { try await $0.delete($1, in: UInt64(parent), isFolder: true) }
        }
        table.rename = { request, parent, name, newParent, newName, flags in
            let newName = newName.flatMap { String(validatingCString: $0) }
            Callbacks.start(request, "rename of", name) { system, name in
                guard let newName else { throw OperationFailure(EILSEQ, "the name is no UTF-8") }
                return try await system.rename(
                    name, in: UInt64(parent), to: newName, in: UInt64(newParent), flags: flags)
            }
        }
        table.readlink = { request, inode in
            Callbacks.start(request, "readlink of", inode) { try await $0.readLink($1) }
        }
    }

    private static func addAttributes(to table: inout fuse_lowlevel_ops) {
        table.getattr = { request, inode, _ in
            Callbacks.start(request, "stat of", inode) { try await $0.attributesAnswer($1) }
        }
        table.setattr = { request, inode, attributes, set, information in
            guard let attributes = attributes?.pointee else { return }
            func isSet(_ bit: Int32) -> Bool { set & bit != 0 }
            var change = FileSystem.AttributeChange()
            if isSet(FUSE_SET_ATTR_SIZE) { change.size = attributes.st_size }
            if isSet(FUSE_SET_ATTR_MODE) { change.mode = attributes.st_mode }
            if isSet(FUSE_SET_ATTR_UID) { change.owner = attributes.st_uid }
            if isSet(FUSE_SET_ATTR_GID) { change.group = attributes.st_gid }
            if isSet(FUSE_SET_ATTR_MTIME_NOW) {
                change.modified = Date()
            } else if isSet(FUSE_SET_ATTR_MTIME) {
                change.modified = ItemChecks.date(attributes.st_mtim)
            }
            change.handle = information?.pointee.fh
            Callbacks.start(request, "setattr of", inode) { [change] in try await $0.change($1, change) }
        }
        table.getxattr = { request, inode, name, size in
            // The kernel asks for security.capability at each write.
            guard let name = name.flatMap({ String(validatingCString: $0) }).flatMap(FileSystem.attributeName) else {
                return Callbacks.answer(request) { _, request in request.fail(EOPNOTSUPP) }
            }
            Callbacks.start(request, "getxattr of", inode) { try await $0.extendedAttribute(name, of: $1, size: size) }
        }
        table.listxattr = { request, inode, size in
            Callbacks.start(request, "listxattr of", inode) { try await $0.listExtendedAttributes(of: $1, size: size) }
        }
        table.setxattr = { request, inode, name, value, size, flags in
            guard let name = name.flatMap({ String(validatingCString: $0) }).flatMap(FileSystem.attributeName) else {
                return Callbacks.answer(request) { _, request in request.fail(EOPNOTSUPP) }
            }
            let value = Data(UnsafeRawBufferPointer(start: value, count: size))
            Callbacks.start(request, "setxattr of", inode) {
                try await $0.setExtendedAttribute(name, of: $1, to: value, flags: flags)
            }
        }
        table.removexattr = { request, inode, name in
            guard let name = name.flatMap({ String(validatingCString: $0) }).flatMap(FileSystem.attributeName) else {
                return Callbacks.answer(request) { _, request in request.fail(EOPNOTSUPP) }
            }
            Callbacks.start(request, "removexattr of", inode) {
                try await $0.setExtendedAttribute(name, of: $1, to: nil, flags: 0)
            }
        }
    }

    private static func addContents(to table: inout fuse_lowlevel_ops) {
        table.open = { request, inode, information in
            let flags = information?.pointee.flags ?? 0
            Callbacks.start(request, "open of", inode) { try await $0.open($1, flags: flags) }
        }
        table.create = { request, parent, name, mode, information in
            let flags = information?.pointee.flags ?? 0
            Callbacks.start(request, "create of", name) {
                try await $0.create($1, in: UInt64(parent), mode: mode, flags: flags)
            }
        }
        table.read = { request, _, size, offset, information in
            Callbacks.answer(request) { $0.read($1, information?.pointee.fh ?? 0, size: size, offset: offset) }
        }
        table.write = { request, _, bytes, size, offset, information in
            Callbacks.answer(request) { system, request in
                system.write(
                    request, information?.pointee.fh ?? 0, UnsafeRawBufferPointer(start: bytes, count: size),
                    offset: offset)
            }
        }
        table.flush = { request, _, information in
            Callbacks.answer(request) { $0.deliver($1, information?.pointee.fh ?? 0, name: "close of a file") }
        }
        table.fsync = { request, _, _, information in
            Callbacks.answer(request) { $0.deliver($1, information?.pointee.fh ?? 0, name: "fsync of a file") }
        }
        table.release = { request, _, information in
            Callbacks.answer(request) { system, request in
                system.close(information?.pointee.fh ?? 0)
                request.fail(0)
            }
        }
        table.fallocate = { request, _, mode, offset, length, information in
            Callbacks.answer(request) {
                $0.allocate($1, information?.pointee.fh ?? 0, mode: mode, offset: offset, length: length)
            }
        }
        table.lseek = { request, _, offset, whence, information in
            Callbacks.answer(request) { $0.seek($1, information?.pointee.fh ?? 0, offset: offset, whence: whence) }
        }
        table.copy_file_range = { request, _, offset, source, _, targetOffset, target, length, _ in
            Callbacks.answer(request) {
                $0.copy(
                    $1, from: source?.pointee.fh ?? 0, at: offset, to: target?.pointee.fh ?? 0, at: targetOffset,
                    length: length)
            }
        }
    }

    private static func addFolders(to table: inout fuse_lowlevel_ops) {
        table.opendir = { request, inode, _ in
            Callbacks.answer(request) { system, request in
                let handle = system.addHandle(.folder(FolderHandle(UInt64(inode), system)))
                if exthost_fuse_reply_open(request.raw, handle, false) != 0 { system.close(handle) }
            }
        }
        table.readdir = { request, _, size, offset, information in
            Callbacks.answer(request) { system, request in
                try system.folderHandle(information?.pointee.fh ?? 0).read(
                    request, size: size, offset: offset, withAttributes: false)
            }
        }
        table.readdirplus = { request, _, size, offset, information in
            Callbacks.answer(request) { system, request in
                try system.folderHandle(information?.pointee.fh ?? 0).read(
                    request, size: size, offset: offset, withAttributes: true)
            }
        }
        table.releasedir = { request, _, information in
            Callbacks.answer(request) { system, request in
                system.close(information?.pointee.fh ?? 0)
                request.fail(0)
            }
        }
        table.fsyncdir = { request, _, _, _ in Callbacks.answer(request) { _, request in request.fail(0) } }
    }
}
