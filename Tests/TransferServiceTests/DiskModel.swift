// DiskModel: what a folder has after a loss of power, by the syncs that were performed on it.

import Foundation
import Glibc
import LinuxSystem

/// An end of the machine or of the service.
enum Loss: String, CaseIterable, CustomStringConvertible {
    /// The service is killed. The kernel keeps all that was written.
    case killed
    /// The power goes, and nothing is there that was not synced: neither bytes, nor entries, nor renames.
    case unsyncedIsAbsent
    /// The power goes, and all entries are there. Bytes that were not synced are garbage.
    case unsyncedIsGarbage

    var description: String { rawValue }
}

/// A record of the syncs below a folder (fsync(2)). Only what POSIX promises counts as lasting.
///
/// The files of SQLite are taken as they are: that its commits last is SQLite's promise, with `synchronous=FULL`.
final class DiskModel {
    private struct Inode: Hashable {
        var device: UInt64, number: UInt64
        init(_ status: stat) { (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
    }

    private let root: String
    private var files: [Inode: [UInt8]] = [:]
    private var folders: [Inode: [String: Inode]] = [:]
    /// Open descriptors, so that no number of an inode is used again.
    private var held: [Inode: SharedDescriptor] = [:]

    /// Begins with a folder whose entries, and the folders among them, are on the disk.
    convenience init(_ root: String) throws {
        self.init(of: root)
        try record(path: root)
        for name in try FileManager.default.contentsOfDirectory(atPath: root) {
            if case .folder? = kind(root + "/" + name)?.kind { try record(path: root + "/" + name) }
        }
    }

    private init(of root: String) { self.root = root }

    private enum Kind { case file, folder }

    private func kind(_ path: String) -> (inode: Inode, kind: Kind)? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return (Inode(status), .file)
        case S_IFDIR: return (Inode(status), .folder)
        default: return nil
        }
    }

    private func record(path: String) throws {
        let raw = open(path, O_RDONLY | O_CLOEXEC)
        guard raw >= 0 else { throw SystemError("open") }
        let file = SharedDescriptor(owning: raw)
        try record(file.raw)
    }

    private func hold(_ path: String, _ inode: Inode) {
        guard held[inode] == nil, !Self.isDatabase(path.split(separator: "/").last.map(String.init) ?? "") else {
            return
        }
        let raw = open(path, O_RDONLY | O_CLOEXEC)
        if raw >= 0 { held[inode] = SharedDescriptor(owning: raw) }
    }

    /// Holds the files of a folder whose model was copied, before they change.
    func hold() {
        for name in FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String }) ?? [] {
            if let (inode, _) = kind(root + "/" + name) { hold(root + "/" + name, inode) }
        }
    }

    /// Notes a sync of an open file or folder.
    func record(_ raw: Int32) throws {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw SystemError("fstat") }
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(raw)")
        hold("/proc/self/fd/\(raw)", Inode(status))
        guard status.st_mode & S_IFMT == S_IFDIR else {
            files[Inode(status)] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "/proc/self/fd/\(raw)")))
            return
        }
        var entries: [String: Inode] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            guard let (inode, _) = kind(path + "/" + name) else { continue }
            entries[name] = inode
            hold(path + "/" + name, inode)
        }
        folders[Inode(status)] = entries
    }

    /// Writes what is left of the folder into an empty one.
    func copy(after loss: Loss, to target: String) throws {
        guard let inode = kind(root)?.inode else { throw SystemError("lstat") }
        try copyFolder(inode, at: root, after: loss, to: target)
    }

    private func copyFolder(_ inode: Inode, at path: String?, after loss: Loss, to target: String) throws {
        let present = Set(path.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? [])
        let synced = folders[inode] ?? [:]
        let names = loss == .unsyncedIsAbsent ? Set(synced.keys).union(present.filter(Self.isDatabase)) : present
        for name in names.sorted() {
            let live = path.map { $0 + "/" + name }.flatMap { path in kind(path).map { (path, $0) } }
            let place = target + "/" + name
            if Self.isDatabase(name), let live {
                try FileManager.default.copyItem(atPath: live.0, toPath: place)
                continue
            }
            guard let inode = loss == .unsyncedIsAbsent ? synced[name] : live?.1.inode else { continue }
            // The entry may be another file's by now, or gone.
            let own = live.flatMap { $0.1.inode == inode ? $0 : nil }
            let isFolder = own.map { $0.1.kind == .folder } ?? (folders[inode] != nil)
            if isFolder {
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
                try copyFolder(inode, at: own?.0, after: loss, to: place)
            } else {
                try Data(bytes(inode, at: own?.0, after: loss)).write(to: URL(fileURLWithPath: place))
            }
        }
    }

    private static func isDatabase(_ name: String) -> Bool { name.hasPrefix("transfers.sqlite") }

    private func bytes(_ inode: Inode, at path: String?, after loss: Loss) throws -> [UInt8] {
        let synced = files[inode] ?? []
        if loss == .unsyncedIsAbsent { return synced }
        guard let path else { return synced }
        let live = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        if loss == .killed { return live }
        return live.indices.map { $0 < synced.count && synced[$0] == live[$0] ? live[$0] : ~live[$0] }
    }

    /// Returns the model of a copy, in which the same is on the disk as in the original.
    func model(ofCopy copy: String) throws -> DiskModel {
        let other = DiskModel(of: copy)
        (other.files, other.folders, other.held) = (files, folders, held)
        try carryOver(root, to: other, copy)
        return other
    }

    private func carryOver(_ path: String, to other: DiskModel, _ copy: String) throws {
        guard let own = kind(path), let their = other.kind(copy) else { return }
        guard own.kind == .folder else {
            other.files[their.inode] = files[own.inode]
            return
        }
        // An entry that was renamed or removed since keeps its number, under which its bytes are known.
        other.folders[their.inode] = folders[own.inode].map { entries in
            var copied = entries
            for (name, inode) in entries where kind(path + "/" + name)?.inode == inode {
                copied[name] = other.kind(copy + "/" + name)?.inode
            }
            return copied
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            try carryOver(path + "/" + name, to: other, copy + "/" + name)
        }
    }
}
