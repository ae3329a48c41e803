// BundleIndex: what is known of the bundles at their paths, from the last walk or from the store.

import ExtensionProtocol
import Glibc

/// Sorted by path, so that a walk, which meets paths in about that order, finds each where it left off.
struct BundleIndex {
    /// Never changed: walks and pictures hand it on as it is.
    final class Entry: Sendable {
        let path: String
        let registration: Registration
        /// Of the bundle that was registered; nil when it could not be read.
        let stamp: BundleStamp?
        /// nil when the store could not say: it is read anew.
        let bundle: ExtensionBundle?
        /// Whether the same stamp will mean the same bundle. Never of one with faults: they may lie outside of what the stamp covers.
        let isTrusted: Bool
        /// Of the folder that it lies in.
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

        /// Whether the database would keep the same of it.
        func isRegistered(as other: Entry) -> Bool {
            self === other || stamp == other.stamp && registration == other.registration
        }

        /// Whether the index file would keep the same of it.
        func isKept(as other: Entry) -> Bool {
            self === other || isRegistered(as: other) && isTrusted == other.isTrusted && listing == other.listing
        }
    }

    private(set) var entries: [Entry] = []

    init() {}

    init(_ entries: [Entry]) {
        self.entries = entries
        // Mostly they are in order: then nothing is moved.
        var isSorted = true
        for place in entries.indices.dropFirst() where isSorted {
            isSorted = entries[place - 1].path.byteOrder(entries[place].path) < 0
        }
        guard !isSorted else { return }
        self.entries.sort { $0.path.byteOrder($1.path) < 0 }
        // A folder that is searched twice has its bundles twice.
        var last: String?
        self.entries.removeAll { entry in
            defer { last = entry.path }
            return entry.path == last
        }
    }

    /// The place of a path's entry, looked for at `hint` first.
    func place(of path: String, near hint: Int = 0) -> Int? {
        if entries.indices.contains(hint), entries[hint].path == path { return hint }
        let place = firstPlace(from: path)
        return place < entries.count && entries[place].path == path ? place : nil
    }

    subscript(path: String) -> Entry? { place(of: path).map { entries[$0] } }

    /// The places of what lies in a folder.
    func places(in folder: String, near hint: Int) -> Range<Int> {
        var start = hint
        // At the hint, where nothing of the folder stands before it.
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

    /// The first entry that is not before a path.
    private func firstPlace(from path: String) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].path.byteOrder(path) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// What is known of a path besides the bundle itself.
struct Registration: Sendable, Hashable {
    var uuid: RequestIdentifier
    /// Microseconds since 1970.
    var time: Int
}

/// How a folder was when its entries were listed: while it is the same, it has the same entries.
struct FolderListing: Sendable, Hashable {
    /// All zero where another listing may differ though the folder looks the same.
    var stamp = FileStamp()
    /// Bundles in it.
    var count = 0

    static let size = FileStamp.size + 8

    init() {}

    /// - Parameter time: when it was listed (nanoseconds since 1970); the stamp was taken before. A folder that changes twice within a
    ///   tick of the kernel's clock has the same times as after the first change.
    init(stamp: FileStamp, count: Int, at time: Int64) {
        guard stamp.isSettled(at: time) else { return }
        (self.stamp, self.count) = (stamp, count)
    }

    var bytes: [UInt8] {
        var bytes = stamp.bytes
        withUnsafeBytes(of: Int64(count).littleEndian) { bytes += $0 }
        return bytes
    }

    /// That of nothing where these are no listing.
    init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size else { return }
        stamp = FileStamp(bytes, at: 0)
        count = Int(Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: FileStamp.size, as: Int64.self)))
    }
}
