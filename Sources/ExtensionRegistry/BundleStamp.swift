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
    init(of path: String) { self.init(at: AT_FDCWD, path) }

    /// Of the file that a path leads to from an open folder, or from anywhere where it is absolute.
    init(at folder: Int32, _ path: UnsafePointer<CChar>) {
        var status = stat()
        guard fstatat(folder, path, &status, 0) == 0 else {
            self.init()
            return
        }
        self.init(status)
    }

    init(_ status: stat) {
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        mode = status.st_mode
    }

    /// Wraps around: a file can be given any time (touch(1)), years beyond 2262 among them, and times are compared only.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    var exists: Bool { mode != 0 }

    /// Whether it had rested when it was looked at, at `time` (nanoseconds since 1970). A file that changes twice within a tick of the
    /// kernel's clock has the same times as after the first change.
    func isSettled(at time: Int64) -> Bool { exists && changed < time - Self.tick }

    /// Above the coarsest tick that Linux has (10 ms), with room.
    fileprivate static let tick: Int64 = 50_000_000

    static let size = 5 * 8

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.size)
        for number in [Int64(bitPattern: inode), size, modified, changed, Int64(mode)] {
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
        return bytes
    }

    /// As `bytes` has it, from `offset` on, where there are as many.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        func field(_ index: Int) -> Int64 {
            Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + index * 8, as: Int64.self))
        }
        inode = UInt64(bitPattern: field(0))
        (size, modified, changed) = (field(1), field(2), field(3))
        mode = UInt32(truncatingIfNeeded: field(4))
    }

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

    /// Whether the files had rested when they were read at `time` (nanoseconds since 1970): else what was read so soon is read again.
    func isSettled(at time: Int64) -> Bool {
        [app, information, executable].allSatisfy { !$0.exists || $0.isSettled(at: time) }
    }

    /// Whether it is the bundle that was registered. What the index kept of it is trusted only where the stamps are equal throughout.
    func isSame(as other: BundleStamp) -> Bool {
        app.isSame(as: other.app) && information.isSame(as: other.information) && executable.isSame(as: other.executable)
    }

    /// As the index keeps it.
    var bytes: [UInt8] { app.bytes + information.bytes + executable.bytes }

    static let size = 3 * FileStamp.size

    init(app: FileStamp = FileStamp(), information: FileStamp = FileStamp(), executable: FileStamp = FileStamp()) {
        self.app = app
        self.information = information
        self.executable = executable
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size else { return nil }
        func file(_ number: Int) -> FileStamp { FileStamp(bytes, at: number * FileStamp.size) }
        self.init(app: file(0), information: file(1), executable: file(2))
    }
}
