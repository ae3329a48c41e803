// BundleStamp: by what a bundle on disk is known to be the one that was read.

import Glibc

/// A file's identity and its last change. All zero for one that is not there.
struct FileStamp: Sendable, Hashable {
    var inode: UInt64 = 0
    var size: Int64 = 0
    /// Nanoseconds since 1970.
    var modified: Int64 = 0
    var changed: Int64 = 0
    var mode: UInt32 = 0

    init() {}

    /// Of the file that the path leads to.
    init(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
        mode = status.st_mode
    }

    var exists: Bool { mode != 0 }

    /// Whether it is the same file with the same contents, as far as anybody can tell who did not change the clock. The time of the last
    /// change of anything does not count: another link to the file changes that, too.
    func isSame(as other: FileStamp) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified && mode == other.mode
    }
}

/// The three files that say everything the registry knows of a bundle.
struct BundleStamp: Sendable, Hashable {
    /// The `Info.plist` of the app around it; all zero without an app.
    var app = FileStamp()
    var information = FileStamp()
    var executable = FileStamp()

    /// Whether the files had rested when they were read at `time` (nanoseconds since 1970). A file that changes twice within a tick of
    /// the kernel's clock has the same times as after the first change, so what was read so soon is read again.
    func isSettled(at time: Int64) -> Bool {
        max(app.changed, information.changed, executable.changed) + Self.tick < time
    }

    /// Whether it is the bundle that was registered. What the index kept of it is trusted only where the stamps are equal throughout.
    func isSame(as other: BundleStamp) -> Bool {
        app.isSame(as: other.app) && information.isSame(as: other.information) && executable.isSame(as: other.executable)
    }

    /// Above the coarsest tick that Linux has (10 ms), with room.
    private static let tick: Int64 = 50_000_000

    /// As the index keeps it.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.size)
        for file in [app, information, executable] {
            for number in [Int64(bitPattern: file.inode), file.size, file.modified, file.changed, Int64(file.mode)] {
                withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
            }
        }
        return bytes
    }

    static let size = 3 * 5 * 8

    init(app: FileStamp = FileStamp(), information: FileStamp = FileStamp(), executable: FileStamp = FileStamp()) {
        self.app = app
        self.information = information
        self.executable = executable
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size else { return nil }
        func file(_ number: Int) -> FileStamp {
            func field(_ index: Int) -> Int64 {
                Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: (number * 5 + index) * 8, as: Int64.self))
            }
            var stamp = FileStamp()
            stamp.inode = UInt64(bitPattern: field(0))
            (stamp.size, stamp.modified, stamp.changed) = (field(1), field(2), field(3))
            stamp.mode = UInt32(truncatingIfNeeded: field(4))
            return stamp
        }
        self.init(app: file(0), information: file(1), executable: file(2))
    }
}
