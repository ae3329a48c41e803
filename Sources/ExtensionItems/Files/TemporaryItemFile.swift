// TemporaryItemFile: a file that a load made for its reader, removed when the reader is done (spec 1.6).

package import Foundation
internal import Glibc
internal import LinuxDescriptors
internal import Locks

/// A file in its own folder, removed by `remove` or with its last holder.
package final class TemporaryItemFile: Sendable {
    package let url: URL
    private let folder: String
    private let isPoisoned: Bool
    private let isThere = Mutex(true)

    /// Makes an empty file of this name, open for `fill`; removes it again if `fill` throws.
    init(name: String, mode: ItemMode, fill: (Int32) throws -> Void) throws {
        folder = try ItemFolder.shared.add()
        isPoisoned = mode.poisonsFiles
        url = URL(fileURLWithPath: folder + "/" + name)
        do {
            let descriptor = SharedDescriptor(try createFile(url.path))
            try withExtendedLifetime(descriptor) { try fill(descriptor.raw) }
        } catch {
            remove()
            throw error
        }
    }

    /// Copies an open file.
    ///
    /// - Parameters:
    ///   - file: a regular file that is open for reading.
    ///   - name: the suggested name; any text.
    /// - Throws: `SystemError`, such as `ENOSPC`.
    package convenience init(copying file: Int32, named name: String) throws {
        let name = itemFileName(suggested: name, typeIdentifier: "")
        // The copy may go back to its owner as an open file, which no mode overwrites.
        try self.init(name: name, mode: ItemMode()) { target in
            let size = try FileStatus(of: file).size
            guard try copyFile(from: file, to: target, size: size) == size else { throw SystemError("copy", code: EIO) }
        }
    }

    /// Makes a folder for a file of this name, which others will make.
    ///
    /// - Parameter name: the suggested name; any text.
    /// - Throws: `SystemError`, such as `ENOSPC`.
    package init(placeNamed name: String) throws {
        folder = try ItemFolder.shared.add()
        isPoisoned = false
        url = URL(fileURLWithPath: folder + "/" + itemFileName(suggested: name, typeIdentifier: ""))
    }

    deinit { remove() }

    package func remove() {
        let isFirst = isThere.withLock { isThere in
            defer { isThere = false }
            return isThere
        }
        guard isFirst else { return }
        if isPoisoned { poison() }
        ItemFolder.shared.remove(folder)
    }

    /// Overwrites the file under the name, for a reader that kept it open or mapped.
    ///
    /// A reader that moved or linked the file elsewhere has behaved correctly, and keeps it.
    private func poison() {
        let raw = open(url.path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard raw >= 0 else { return }
        let descriptor = OwnedDescriptor(owning: raw)
        var status = stat()
        guard fstat(raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { return }
        let pattern = [UInt8](repeating: 0xDB, count: min(Int(status.st_size), 1 << 20))
        var offset = 0
        while offset < Int(status.st_size), !pattern.isEmpty {
            let count = min(pattern.count, Int(status.st_size) - offset)
            guard
                (try? pattern.withUnsafeBytes({
                    try write(.init(rebasing: $0[..<count]), to: descriptor.raw, at: offset)
                }))
                    != nil
            else { return }
            offset += count
        }
    }
}

/// The process's one folder for such files.
///
/// It exists only while it holds some; if the process was killed, a later one removes it.
private final class ItemFolder: Sendable {
    static let shared = ItemFolder()
    private static let prefix = "exthost-items"
    /// The age in seconds below which another process's folder is perhaps not locked yet.
    private static let youngest = 60

    private struct State {
        var directory: TemporaryDirectory?
        /// The lock of the folder, which shows others that its owner lives.
        var lock: SharedDescriptor?
        var held = 0
        var last = 0
        var hasSwept = false
    }

    private let state = Mutex(State())

    private init() {
        // A process that exits by itself removes its folder.
        atexit { ItemFolder.shared.removeAll() }
    }

    /// Makes a new folder in it.
    func add() throws -> String {
        try state.withLock { state in
            if !state.hasSwept {
                state.hasSwept = true
                Self.sweep()
            }
            let directory: TemporaryDirectory
            if let known = state.directory {
                directory = known
            } else {
                directory = try TemporaryDirectory(prefix: Self.prefix)
                let lock = SharedDescriptor(try openDirectory(directory.path))
                _ = try lockFile(lock.raw, exclusive: false)
                state.directory = directory
                state.lock = lock
            }
            state.last += 1
            let folder = "\(directory.path)/\(state.last)"
            guard mkdir(folder, 0o700) == 0 else { throw SystemError("mkdir") }
            state.held += 1
            return folder
        }
    }

    func remove(_ folder: String) {
        state.withLock { state in
            try? removeTree(folder)
            state.held -= 1
            guard state.held == 0 else { return }
            try? state.directory?.remove()
            state.directory = nil
            state.lock = nil
        }
    }

    private func removeAll() { state.withLock { try? $0.directory?.remove() } }

    /// Removes the folders of this user's processes that were killed: no process holds their lock.
    private static func sweep() {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        guard let names = try? listDirectory(parent, maximumCount: 100_000) else { return }
        for name in names.filter({ $0.hasPrefix(prefix + "-") }).prefix(64) {
            let path = parent + "/" + name
            guard let descriptor = try? openDirectory(path) else { continue }
            var status = stat()
            guard fstat(descriptor.raw, &status) == 0, status.st_uid == geteuid(),
                time(nil) - Int(status.st_mtim.tv_sec) > youngest,
                (try? lockFile(descriptor.raw, exclusive: true)) == true
            else { continue }
            try? removeTree(path)
        }
    }
}
