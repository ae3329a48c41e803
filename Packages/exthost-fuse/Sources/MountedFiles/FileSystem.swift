// FileSystem: the operations of the kernel on the files of a provider.

import CFuse
import Foundation
import Glibc
import PointHosts
import Synchronization

/// The file system of one mount: it translates each operation of the kernel into calls of the provider.
///
/// The threads that read the device call its methods. Whatever the provider must answer runs as an operation of
/// `OperationTable`; reading and writing happens at once, on a local copy.
final class FileSystem: Sendable {
    /// An open file or folder.
    enum Handle: Sendable {
        case file(FileHandle)
        case folder(FolderHandle)
    }

    struct FileHandle: Sendable {
        let node: UInt64
        let contents: OpenContents
        let isWritable: Bool
    }

    let files: any ProvidedFiles
    let options: FileMount.Options
    let log: BoundedLog
    let nodes: NodeTable
    let operations: OperationTable
    let invalidation: Invalidation
    /// The number of files whose changes could not be delivered after their last handle was closed.
    let undelivered = Atomic<Int>(0)
    private let handles = Mutex((next: UInt64(1), open: [UInt64: Handle]()))
    /// The number of items in all listings.
    let listedItems = Atomic<Int>(0)

    init(_ files: any ProvidedFiles, root: ProvidedItem, options: FileMount.Options, log: BoundedLog) throws {
        (self.files, self.options, self.log) = (files, options, log)
        nodes = NodeTable(root: root, log: log)
        operations = try OperationTable(limit: options.limit, log: log)
        invalidation = Invalidation(log: log)
    }

    /// The file system of a session, by the pointer that the session has.
    static func of(_ context: UnsafeMutableRawPointer) -> FileSystem {
        Unmanaged<FileSystem>.fromOpaque(context).takeUnretainedValue()
    }

    /// The file system that a request is for.
    static func of(_ request: fuse_req_t) -> FileSystem {
        // The session was made with it.
        of(exthost_fuse_req_userdata(request)!)
    }

    // MARK: - Handles

    func addHandle(_ handle: Handle) -> UInt64 {
        handles.withLock { handles in
            let number = handles.next
            handles.next += 1
            handles.open[number] = handle
            return number
        }
    }

    func removeHandle(_ number: UInt64) -> Handle? { handles.withLock { $0.open.removeValue(forKey: number) } }

    func fileHandle(_ number: UInt64) throws -> FileHandle {
        guard case .file(let handle) = handles.withLock({ $0.open[number] }) else {
            throw OperationFailure(EBADF, "there is no such open file")
        }
        return handle
    }

    func folderHandle(_ number: UInt64) throws -> FolderHandle {
        guard case .folder(let handle) = handles.withLock({ $0.open[number] }) else {
            throw OperationFailure(EBADF, "there is no such open folder")
        }
        return handle
    }

    // MARK: - Items

    /// The item of a name in a folder, after it was checked that the provider answers what was asked.
    func item(named name: String, in parent: UInt64) async throws -> ProvidedItem {
        guard name.utf8.count <= ItemChecks.longestName else { throw OperationFailure(ENAMETOOLONG, "") }
        let folder = try nodes.identifier(parent)
        let item = try await files.item(named: name, in: folder)
        try check(item, isNamed: name, in: folder)
        return item
    }

    /// Throws EIO if a provider has answered with another item than it was asked for.
    func check(_ item: ProvidedItem, isNamed name: String, in folder: String) throws {
        guard haveSameBytes(item.name, name) else {
            throw OperationFailure(EIO, "the provider answers \(item.name), and was asked for \(name)")
        }
        guard haveSameBytes(item.parent, folder) else {
            throw OperationFailure(
                EIO, "the provider says that \(name) is in another folder than that where it was found")
        }
        if item.kind == .file, let size = item.size, ItemChecks.size(size) == nil {
            log("the size of \(name) is \(size), which no file has: it counts as unknown")
        }
    }

    /// The newest attributes of an item.
    func attributes(_ number: UInt64) async throws -> stat {
        var node = try nodes.node(number)
        // An open file has its size here. So its attributes are known even if the provider does not answer.
        if node.contents == nil, !node.isDeleted {
            do {
                let item = try await files.item(node.item.identifier)
                guard item.kind.sort == node.item.kind.sort else {
                    throw OperationFailure(ESTALE, "\(item.name) has become an item of another kind")
                }
                nodes.note(item, as: number)
            } catch let failure as FileFailure where failure.code == .noSuchItem {
                nodes.noteDeletion(of: node.item.identifier)
                throw failure
            }
            node = try nodes.node(number)
        }
        if node.isDeleted, node.contents == nil { throw OperationFailure(ENOENT, "the item has been deleted") }
        return nodes.attributes(of: node)
    }

    /// The answer with the attributes of an item.
    func attributesAnswer(_ number: UInt64) async throws -> Answer {
        let facts = try await attributes(number)
        return Answer { request in
            var facts = facts
            _ = exthost_fuse_reply_attr(request.raw, &facts, NodeTable.lifetime)
        }
    }

    /// The answer with an item of a folder, of which the kernel then knows.
    func entryAnswer(_ item: ProvidedItem, in parent: UInt64) -> Answer {
        Answer { [nodes, log] request in
            do {
                var entry = try nodes.enter(item, in: parent)
                // The kernel does not know of it if the process has gone.
                if exthost_fuse_reply_entry(request.raw, &entry) != 0 { nodes.forget(UInt64(entry.ino), 1) }
            } catch {
                let failure = OperationFailure(error)
                log("\(item.name) cannot be shown: \(failure.reason)")
                request.fail(failure.code)
            }
        }
    }

    // MARK: - Names

    func lookup(_ parent: UInt64, _ name: String) async throws -> Answer {
        entryAnswer(try await item(named: name, in: parent), in: parent)
    }

    /// Makes an item, and checks that the provider has made the one that was asked for.
    func make(_ name: String, in parent: UInt64, _ kind: ProvidedItem.Kind, isExecutable: Bool = false) async throws
        -> ProvidedItem
    {
        if name.utf8.count > ItemChecks.longestName { throw OperationFailure(ENAMETOOLONG, "") }
        let folder = try nodes.identifier(parent)
        nodes.noteMutation()
        defer { nodes.noteMutation() }
        let item = try await files.create(
            NewItem(parent: folder, name: name, kind: kind, isExecutable: isExecutable))
        try check(item, isNamed: name, in: folder)
        guard item.kind.sort == kind.sort else {
            throw OperationFailure(EIO, "the provider has made \(name) as an item of another kind")
        }
        return item
    }

    func delete(_ name: String, in parent: UInt64, isFolder: Bool) async throws -> Answer {
        let item = try await item(named: name, in: parent)
        if isFolder != (item.kind == .folder) {
            throw OperationFailure(isFolder ? ENOTDIR : EISDIR, "\(name) is an item of another kind")
        }
        nodes.noteMutation()
        try await files.delete(item.identifier)
        nodes.noteDeletion(of: item.identifier)
        return .done
    }

    func rename(_ name: String, in parent: UInt64, to newName: String, in newParent: UInt64, flags: UInt32) async throws
        -> Answer
    {
        // RENAME_NOREPLACE
        guard flags & ~1 == 0 else { throw OperationFailure(EINVAL, "only RENAME_NOREPLACE is supported") }
        if newName.utf8.count > ItemChecks.longestName { throw OperationFailure(ENAMETOOLONG, "") }
        let folder = try nodes.identifier(newParent)
        let item = try await item(named: name, in: parent)
        var replaced: ProvidedItem?
        do {
            replaced = try await self.item(named: newName, in: newParent)
        } catch let failure as FileFailure where failure.code == .noSuchItem {}
        if let replaced {
            if flags & 1 != 0 { throw OperationFailure(EEXIST, "") }
            if haveSameBytes(replaced.identifier, item.identifier) { return .done }
            switch (item.kind == .folder, replaced.kind == .folder) {
            case (true, false): throw OperationFailure(ENOTDIR, "")
            case (false, true): throw OperationFailure(EISDIR, "")
            case (true, true):
                let items = try await files.items(in: replaced.identifier)
                guard items.isEmpty else { throw OperationFailure(ENOTEMPTY, "") }
            case (false, false): break
            }
        }
        var change = ItemChange()
        if !haveSameBytes(name, newName) { change.name = newName }
        if parent != newParent { change.parent = folder }
        nodes.noteMutation()
        defer { nodes.noteMutation() }
        let changed = try await files.change(item.identifier, change, replacing: replaced?.identifier)
        if let replaced { nodes.noteDeletion(of: replaced.identifier) }
        try check(changed, isNamed: newName, in: folder)
        nodes.note(changed, as: nodes.number(of: item.identifier))
        return .done
    }

    func readLink(_ number: UInt64) async throws -> Answer {
        let node = try nodes.node(number)
        guard case .symbolicLink(let text) = node.item.kind else {
            throw OperationFailure(EINVAL, "\(node.item.name) is no symbolic link")
        }
        let target = try ItemChecks.target(text, of: node.item.name)
        return Answer { request in _ = exthost_fuse_reply_readlink(request.raw, target) }
    }
}
