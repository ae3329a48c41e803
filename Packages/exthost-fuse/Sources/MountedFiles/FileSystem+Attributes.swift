// FileSystem+Attributes: changes of attributes, extended attributes, and the facts of the whole file system.

import CFuse
import Foundation
import Glibc
import LinuxDescriptors
import PointHosts

extension FileSystem {
    /// The attributes that a program changes.
    struct AttributeChange: Sendable {
        var size: Int?
        var mode: mode_t?
        var owner: uid_t?
        var group: gid_t?
        var modified: Date?
        var handle: UInt64?
    }

    func change(_ number: UInt64, _ wanted: AttributeChange) async throws -> Answer {
        if let owner = wanted.owner, owner != getuid() { throw OperationFailure(EPERM, "the owner cannot change") }
        if let group = wanted.group, group != getgid() { throw OperationFailure(EPERM, "the group cannot change") }
        if let mode = wanted.mode, mode & 0o7000 != 0 { throw OperationFailure(EPERM, "a mode has nine bits here") }
        if let size = wanted.size { try await truncate(number, to: size, handle: wanted.handle) }
        var change = ItemChange(modified: wanted.modified)
        let node = try nodes.node(number)
        if let mode = wanted.mode, node.item.kind == .file, (mode & 0o100 != 0) != node.item.isExecutable {
            change.isExecutable = mode & 0o100 != 0
        }
        if change != ItemChange() {
            if let modified = wanted.modified, let contents = node.contents {
                // The delivery of contents has a time of its own, so it comes first.
                try await contents.deliver()
                let time = ItemChecks.time(modified)
                _ = futimens(contents.descriptor.raw, [time, time])
            }
            if !node.isDeleted {
                nodes.noteMutation()
                defer { nodes.noteMutation() }
                let item = try await files.change(node.item.identifier, change, replacing: nil)
                nodes.note(item, as: number)
            }
        }
        return try await attributesAnswer(number)
    }

    private func truncate(_ number: UInt64, to size: Int, handle: UInt64?) async throws {
        if let handle, let file = try? fileHandle(handle) { return try truncate(file.contents, to: size) }
        let contents = try await openContents(number, forWriting: true)
        defer { endUse(of: contents, number) }
        try truncate(contents, to: size)
        nodes.noteMutation()
        try await contents.deliver()
    }

    // MARK: - Extended attributes

    private static let prefix = "user."
    /// XATTR_CREATE and XATTR_REPLACE of setxattr(2).
    private static let createsOnly: Int32 = 1
    private static let replacesOnly: Int32 = 2

    /// The provider's name of an attribute. The kernel's have a namespace before it, of which one is for programs.
    static func attributeName(_ name: String) -> String? {
        guard name.hasPrefix(prefix), name.utf8.count > prefix.utf8.count else { return nil }
        return String(name.dropFirst(prefix.count))
    }

    /// The attributes of an item as the kernel names them. What it cannot name is left out.
    private func extendedAttributes(_ number: UInt64) async throws -> [String: Data] {
        let node = try nodes.node(number)
        var item = node.item
        if !node.isDeleted {
            item = try await files.item(node.item.identifier)
            nodes.note(item, as: number)
        }
        var total = 0
        return item.extendedAttributes.filter { name, value in
            total += name.utf8.count + value.count
            let isFit =
                !name.isEmpty && name.utf8.count <= 250 && !name.utf8.contains(0) && value.count <= 65_536
                && total <= ItemChecks.mostAttributeBytes
            if !isFit { log("an extended attribute of \(item.name) is too large, or has no valid name") }
            return isFit
        }
    }

    private static func bytes(_ bytes: [UInt8], size: Int) throws -> Answer {
        if size == 0 { return Answer { request in _ = exthost_fuse_reply_xattr(request.raw, bytes.count) } }
        guard bytes.count <= size else { throw OperationFailure(ERANGE, "") }
        return Answer { request in _ = exthost_fuse_reply_buf(request.raw, bytes, bytes.count) }
    }

    func extendedAttribute(_ name: String, of number: UInt64, size: Int) async throws -> Answer {
        let attributes = try await extendedAttributes(number)
        guard let value = attributes.first(where: { haveSameBytes($0.key, name) })?.value else {
            throw OperationFailure(ENODATA, "")
        }
        return try Self.bytes(Array(value), size: size)
    }

    func listExtendedAttributes(of number: UInt64, size: Int) async throws -> Answer {
        let names = try await extendedAttributes(number).keys.sorted()
        let bytes = names.flatMap { name -> [UInt8] in Array((Self.prefix + name).utf8) + [0] }
        guard bytes.count <= 65_536 else { throw OperationFailure(E2BIG, "the names of the attributes are too long") }
        return try Self.bytes(bytes, size: size)
    }

    func setExtendedAttribute(_ name: String, of number: UInt64, to value: Data?, flags: Int32) async throws -> Answer {
        var attributes = try await extendedAttributes(number)
        if value != nil, flags & Self.createsOnly != 0, attributes[name] != nil {
            throw OperationFailure(EEXIST, "")
        }
        if value == nil || flags & Self.replacesOnly != 0, attributes[name] == nil {
            throw OperationFailure(ENODATA, "")
        }
        attributes[name] = value
        let total = attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.count }
        guard total <= ItemChecks.mostAttributeBytes else {
            throw OperationFailure(ENOSPC, "the extended attributes of an item have at most 1 MiB")
        }
        let identifier = try nodes.identifier(number)
        let item = try await files.change(identifier, ItemChange(extendedAttributes: attributes), replacing: nil)
        nodes.note(item, as: number)
        return .done
    }

    // MARK: - The whole

    /// The space of the folder of local copies: a provider does not tell its own.
    func facts(_ request: KernelRequest) {
        var facts = statvfs()
        guard statvfs(options.store, &facts) == 0 else { return request.fail(errno) }
        facts.f_namemax = UInt(ItemChecks.longestName)
        _ = exthost_fuse_reply_statfs(request.raw, &facts)
    }
}
