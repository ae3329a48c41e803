// BundleStamp: the file stamps that identify a bundle on disk as the one that was read.

import Glibc

/// A file's identity and its last change. All fields are zero if the file does not exist.
struct FileStamp: Sendable, Hashable {
    var inode: UInt64 = 0
    var size: Int64 = 0
    /// Nanoseconds since 1970.
    var modified: Int64 = 0
    var changed: Int64 = 0
    var mode: UInt32 = 0

    init() {}

    /// Takes the stamp of the file that the path leads to.
    init(of path: String) { self.init(at: AT_FDCWD, path) }

    /// Takes the stamp of the file at a path relative to an open folder; an absolute path ignores the folder.
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

    /// Converts a time to nanoseconds, with wrap-around.
    ///
    /// A file can carry any time (touch(1)), even one after 2262, and times are only compared.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    var exists: Bool { mode != 0 }

    /// Whether the file had settled when its stamp was taken at `time` (nanoseconds since 1970).
    ///
    /// If a file changes twice within a tick of the kernel's clock, its times stay those of the first change.
    func isSettled(at time: Int64) -> Bool { exists && changed < time - Self.tick }

    /// The settle time in nanoseconds, well above the coarsest tick of Linux (10 ms).
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

    /// Decodes the form of `bytes`, from `offset` on. The caller ensures that there are enough bytes.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        func field(_ index: Int) -> Int64 {
            Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + index * 8, as: Int64.self))
        }
        inode = UInt64(bitPattern: field(0))
        (size, modified, changed) = (field(1), field(2), field(3))
        mode = UInt32(truncatingIfNeeded: field(4))
    }

    /// Whether it is the same file with the same contents, as far as can be told unless somebody changed the clock.
    ///
    /// The time of the last status change does not count, because another link to the file changes it as well.
    func isSame(as other: FileStamp) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified && mode == other.mode
    }
}

/// The stamps of the three files that determine all that the registry knows of a bundle.
struct BundleStamp: Sendable, Hashable {
    /// The `Info.plist` of the app around it; all zero without an app.
    var app = FileStamp()
    var information = FileStamp()
    var executable = FileStamp()

    /// Whether the files had settled when they were read at `time` (nanoseconds since 1970). If not, they are read
    /// again later.
    func isSettled(at time: Int64) -> Bool {
        [app, information, executable].allSatisfy { !$0.exists || $0.isSettled(at: time) }
    }

    /// Whether it is the bundle that was registered. The index's data is trusted only if the stamps are entirely equal.
    func isSame(as other: BundleStamp) -> Bool {
        app.isSame(as: other.app) && information.isSame(as: other.information)
            && executable.isSame(as: other.executable)
    }

    /// The encoded form in the index.
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
