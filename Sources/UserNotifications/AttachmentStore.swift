// AttachmentStore: the files of a process's attachments, in its temporary folder.

import Foundation
import Glibc
import LinuxDescriptors
import Locks

/// A folder with the attachments' files of one process.
///
/// The process holds a lock on its folder. So its successor can tell a folder that a killed process has left from one
/// that is in use, and deletes it. Safe to use from any thread.
final class AttachmentStore: Sendable {
    static let shared = AttachmentStore(in: FileManager.default.temporaryDirectory.path + "/UserNotifications")

    /// The bytes that one process may have in the store. Apple documents that the space is limited, and no number.
    static let capacity = 200_000_000

    private struct State {
        /// The folder of this process, from the first file on, and the descriptor that holds its lock.
        var own: (path: String, lock: SharedDescriptor)?
        var bytes = 0
        var lastNumber = 0
    }

    private let folder: String
    private let state = Mutex(State())

    init(in folder: String) { self.folder = folder }

    /// Deletes what processes that have ended left.
    func removeLeftovers() {
        for name in (try? listDirectory(folder, maximumCount: 10_000)) ?? [] {
            // The lock is free if its process has ended.
            guard let lock = Self.lock("\(folder)/\(name)") else { continue }
            // Held meanwhile: another process that has just made the folder does not get it.
            withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        }
    }

    /// Moves a file into the store; copies it if it belongs to the bundle.
    func take(_ source: URL, size: Int) throws(UNError) -> StoredFile {
        let name = source.lastPathComponent
        let place = try state.withLock { state throws(UNError) in
            guard state.bytes + size <= Self.capacity else {
                throw UNError(
                    .attachmentMoveIntoDataStoreFailed,
                    "the store has no room for \(name): its limit is \(Self.capacity) bytes")
            }
            if state.own == nil { state.own = try makeOwn() }
            state.bytes += size
            state.lastNumber += 1
            return "\(state.own?.path ?? folder)/\(state.lastNumber)"
        }
        let file = StoredFile(URL(fileURLWithPath: "\(place)/\(name)"), size: size, in: self)
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            if source.path.hasPrefix(Bundle.main.bundlePath + "/") {
                try FileManager.default.copyItem(at: source, to: file.url)
            } else {
                try FileManager.default.moveItem(at: source, to: file.url)
            }
        } catch {
            throw UNError(.attachmentMoveIntoDataStoreFailed, "\(name) cannot move into the store: \(error)")
        }
        return file
    }

    fileprivate func removed(_ size: Int) { state.withLock { $0.bytes -= size } }

    private func makeOwn() throws(UNError) -> (path: String, lock: SharedDescriptor) {
        // Another process may take a new folder for a leftover until it is locked.
        for _ in 0..<3 {
            let path = "\(folder)/\(UUID().uuidString)"
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            } catch {
                throw UNError(.attachmentMoveIntoDataStoreFailed, "the store \(path) cannot be made: \(error)")
            }
            if let lock = Self.lock(path), access(path, F_OK) == 0 { return (path, lock) }
        }
        throw UNError(.attachmentMoveIntoDataStoreFailed, "other processes remove the store in \(folder)")
    }

    /// Locks a folder for as long as the descriptor is open; nil if it is locked, or is no folder.
    private static func lock(_ path: String) -> SharedDescriptor? {
        let raw = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard raw >= 0 else { return nil }
        let descriptor = SharedDescriptor(owning: raw)
        return flock(raw, LOCK_EX | LOCK_NB) == 0 ? descriptor : nil
    }
}

/// A file in the store, which goes with this object at the latest.
final class StoredFile: Sendable {
    let url: URL
    private let size: Int
    private let store: AttachmentStore
    private let isThere = Mutex(true)

    fileprivate init(_ url: URL, size: Int, in store: AttachmentStore) {
        (self.url, self.size, self.store) = (url, size, store)
    }

    deinit { remove() }

    func remove() {
        let isFirst = isThere.withLock { isThere in
            defer { isThere = false }
            return isThere
        }
        guard isFirst else { return }
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
        store.removed(size)
    }
}
