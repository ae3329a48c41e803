// BundleIndex: the bundles known at their paths, from the last scan or from the store.

import ExtensionProtocol
import Glibc

/// The known bundles, sorted by path. A scan meets paths in about that order, so it finds each next to the last one.
struct BundleIndex {
    /// An immutable entry for one path, which scans and snapshots share.
    final class Entry: Sendable {
        let path: String
        let registration: Registration
        /// The stamp of the registered bundle; nil if the bundle could not be read.
        let stamp: BundleStamp?
        /// The bundle; nil if the store does not have it, so the next scan reads it again.
        let bundle: ExtensionBundle?
        /// Whether an equal stamp means an equal bundle. It is false for a bundle with faults: the stamp may not cover
        /// their cause.
        let isTrusted: Bool
        /// The listing of the folder that contains the bundle.
        let listing: FolderListing

        init(
            path: String, registration: Registration, stamp: BundleStamp?, bundle: ExtensionBundle?,
            isTrusted: Bool,
            listing: FolderListing
        ) {
            self.path = path
            self.registration = registration
            self.stamp = stamp
            self.bundle = bundle
            self.isTrusted = isTrusted
            self.listing = listing
        }

        /// Whether both entries have the same record in the database.
        func isRegistered(as other: Entry) -> Bool {
            self === other || stamp == other.stamp && registration == other.registration
        }

        /// Whether both entries have the same record in the index file.
        func isKept(as other: Entry) -> Bool {
            self === other || isRegistered(as: other) && isTrusted == other.isTrusted && listing == other.listing
        }
    }

    private(set) var entries: [Entry] = []

    init() {}

    init(_ entries: [Entry]) {
        self.entries = entries
        // Entries are usually sorted already; then nothing moves.
        var isSorted = true
        for place in entries.indices.dropFirst() where isSorted {
            isSorted = entries[place - 1].path.byteOrder(entries[place].path) < 0
        }
        guard !isSorted else { return }
        self.entries.sort { $0.path.byteOrder($1.path) < 0 }
        // A folder that is searched twice yields its bundles twice.
        var last: String?
        self.entries.removeAll { entry in
            defer { last = entry.path }
            return entry.path == last
        }
    }

    /// Returns the place of a path's entry. It tries `hint` first.
    func place(of path: String, near hint: Int = 0) -> Int? {
        if entries.indices.contains(hint), entries[hint].path == path { return hint }
        let place = firstPlace(from: path)
        return place < entries.count && entries[place].path == path ? place : nil
    }

    subscript(path: String) -> Entry? { place(of: path).map { entries[$0] } }

    /// Returns the places of the entries below a folder.
    func places(in folder: String, near hint: Int) -> Range<Int> {
        var start = hint
        // The range begins at the hint if the entry before it lies outside the folder.
        if !isBelow(start, folder) || isBelow(start - 1, folder) { start = firstPlace(from: folder + "/") }
        var end = start
        while isBelow(end, folder) { end += 1 }
        return start..<end
    }

    private func isBelow(_ place: Int, _ folder: String) -> Bool {
        entries.indices.contains(place)
            && entries[place].path.withBytes { path in
                folder.withBytes { folder in
                    path.count > folder.count && path[folder.count] == CChar(bitPattern: UInt8(ascii: "/"))
                        && memcmp(path.baseAddress!, folder.baseAddress!, folder.count) == 0
                }
            }
    }

    /// Returns the place of the first entry whose path is not less than this one.
    private func firstPlace(from path: String) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].path.byteOrder(path) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The registration of a path: what the registry stores of it besides the bundle.
struct Registration: Sendable, Hashable {
    var uuid: RequestIdentifier
    /// Microseconds since 1970.
    var time: Int
}

/// The state of a folder when its entries were listed. While the state is the same, the folder has the same entries.
struct FolderListing: Sendable, Hashable {
    /// The folder's stamp; all zero if the entries may change without a change of the stamp.
    var stamp = FileStamp()
    /// The number of bundles in the folder.
    var count = 0

    static let size = FileStamp.size + 8

    init() {}

    /// - Parameter time: the time of the listing (nanoseconds since 1970); the stamp was taken before. If a folder
    ///   changes twice within a tick of the kernel's clock, its times stay those of the first change.
    init(stamp: FileStamp, count: Int, at time: Int64) {
        guard stamp.isSettled(at: time) else { return }
        (self.stamp, self.count) = (stamp, count)
    }

    var bytes: [UInt8] {
        var bytes = stamp.bytes
        withUnsafeBytes(of: Int64(count).littleEndian) { bytes += $0 }
        return bytes
    }

    /// Decodes a listing; a wrong size yields the empty listing.
    init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size else { return }
        stamp = FileStamp(bytes, at: 0)
        count = Int(Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: FileStamp.size, as: Int64.self)))
    }
}
