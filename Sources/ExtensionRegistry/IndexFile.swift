// IndexFile: the file that caches the known bundles; it is read at once, and discarded if anything in it is wrong.

import ExtensionProtocol
import Glibc

/// The index file: a head, then the entries one behind the other, sorted by path. Numbers are little-endian.
///
///     head    mark and version 8, checksum of all behind it 8, generation 16, count of entries 4
///     entry   its length 4, uuid 16, time 8, flags 8, stamps of three files, listing, path (a block),
///             bundle (`BundleCoding`)
///
/// It repeats the registrations of the database, so that a start need not read those one by one. The generation names
/// the state of the database that they come from.
package struct IndexFile {
    package static let name = "registry.index"
    /// The magic bytes, which end with the version. A file of another version is not read.
    ///
    /// Raise the last byte with every change of the stored data, or of how a bundle is judged.
    private static let mark: [UInt8] = Array("exthost".utf8) + [5]
    private static let headSize = 36
    private static let sumEnd = 16
    /// The size of an entry's fixed part, without the length.
    private static let fixedSize = 32 + BundleStamp.size + FolderListing.size
    private static let (hasStamp, hasBundle): (UInt64, UInt64) = (1, 2)
    /// The generation of the database when this was written.
    let generation: RequestIdentifier
    let entries: [BundleIndex.Entry]

    init(generation: RequestIdentifier, entries: [BundleIndex.Entry]) {
        (self.generation, self.entries) = (generation, entries)
    }

    /// The number of bundles that it describes fully and whose folders need not be listed.
    package var wholeCount: Int { entries.count { $0.isTrusted && $0.listing.stamp.exists } }

    /// The bundles that it has, sorted by path.
    package var bundles: [ExtensionBundle] { entries.compactMap(\.bundle) }

    // MARK: Bytes

    /// The encoded file.
    package var bytes: [UInt8] {
        var bytes = Self.mark
        bytes.reserveCapacity(entries.reduce(Self.headSize) { $0 + Self.fixedSize + 512 + ($1.bundle?.size ?? 0) })
        bytes.append(number: UInt64(0))
        bytes.append(number: generation.words.high)
        bytes.append(number: generation.words.low)
        bytes.append(number: UInt32(entries.count))
        for entry in entries {
            let start = bytes.count
            bytes.append(number: UInt32(0))
            bytes.append(number: entry.registration.uuid.words.high)
            bytes.append(number: entry.registration.uuid.words.low)
            bytes.append(number: Int64(entry.registration.time))
            // An untrusted bundle is read again anyway; its registration is still stored.
            let bundle = entry.isTrusted ? entry.bundle : nil
            bytes.append(number: (entry.stamp == nil ? 0 : Self.hasStamp) | (bundle == nil ? 0 : Self.hasBundle))
            bytes += (entry.stamp ?? BundleStamp()).bytes
            bytes += entry.listing.bytes
            bytes.append(number: UInt32(entry.path.utf8.count))
            bytes += entry.path.utf8
            if let bundle { BundleCoding.encode(bundle, to: &bytes) }
            let length = UInt32(bytes.count - start - 4).littleEndian
            withUnsafeBytes(of: length) { bytes.replaceSubrange(start..<start + 4, with: $0) }
        }
        return Self.sealed(bytes)
    }

    /// Returns the same bytes with the right checksum.
    package static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard bytes.count >= sumEnd else { return bytes }
        let sum = bytes.withUnsafeBytes { IndexChecksum.of(UnsafeRawBufferPointer(rebasing: $0[sumEnd...])) }
        withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(8..<sumEnd, with: $0) }
        return bytes
    }

    /// Decodes the file; nil if it is anything else. Every length is checked, even though the checksum is right.
    package init?(_ bytes: [UInt8]) {
        self.init(IndexBytes(bytes))
    }

    init?(_ source: IndexBytes) {
        let contents = source.read { bytes -> (RequestIdentifier, [BundleIndex.Entry])? in
            guard bytes.count >= Self.headSize, bytes.starts(with: Self.mark),
                bytes.number(at: 8, as: UInt64.self)
                    == IndexChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[Self.sumEnd...]))
            else { return nil }
            let count = Int(bytes.number(at: 32, as: UInt32.self))
            // An entry takes more than a byte.
            guard count <= bytes.count else { return nil }
            var entries: [BundleIndex.Entry] = []
            entries.reserveCapacity(count)
            var points = Interned()
            var offset = Self.headSize
            for _ in 0..<count {
                guard bytes.count - offset >= 4 else { return nil }
                let start = offset + 4
                let length = Int(bytes.number(at: offset, as: UInt32.self))
                guard bytes.count - start >= length else { return nil }
                offset = start + length
                guard let entry = Self.entry(bytes, start..<offset, source, &points) else { return nil }
                entries.append(entry)
            }
            guard offset == bytes.count else { return nil }
            return (Self.identifier(bytes, at: 16), entries)
        }
        guard let contents else { return nil }
        (generation, entries) = contents
    }

    private static func identifier(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> RequestIdentifier {
        RequestIdentifier(
            words: (bytes.number(at: offset, as: UInt64.self), bytes.number(at: offset + 8, as: UInt64.self)))
    }

    private static func entry(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ source: IndexBytes, _ points: inout Interned
    ) -> BundleIndex.Entry? {
        let head = range.lowerBound
        let place = head + fixedSize
        guard range.count >= fixedSize + 4 else { return nil }
        let count = Int(bytes.number(at: place, as: UInt32.self))
        guard range.upperBound - place - 4 >= count else { return nil }
        let end = place + 4 + count
        let name = UnsafeRawBufferPointer(rebasing: bytes[place + 4..<end])
        guard name.first == UInt8(ascii: "/"), memchr(name.baseAddress!, 0, count) == nil else { return nil }
        let path = String(decoding: name, as: UTF8.self)
        let flags = bytes.number(at: head + 24, as: UInt64.self)
        var bundle: ExtensionBundle?
        if flags & hasBundle != 0 {
            // Without a stamp the bundle cannot be identified.
            guard flags & hasStamp != 0 else { return nil }
            bundle = BundleCoding.decode(bytes, end..<range.upperBound, of: source, path: path, &points)
            guard bundle != nil else { return nil }
        } else if end != range.upperBound {
            return nil
        }
        let stamps = UnsafeRawBufferPointer(rebasing: bytes[head + 32..<head + 32 + BundleStamp.size])
        let listing = UnsafeRawBufferPointer(rebasing: bytes[head + 32 + BundleStamp.size..<place])
        return BundleIndex.Entry(
            path: path,
            registration: Registration(
                uuid: identifier(bytes, at: head), time: Int(bytes.number(at: head + 16, as: Int64.self))),
            stamp: flags & hasStamp != 0 ? BundleStamp(stamps) : nil, bundle: bundle,
            isTrusted: bundle != nil, listing: FolderListing(listing))
    }
}

/// A cache of texts, for texts with few distinct values.
struct Interned {
    private var texts: [(bytes: UnsafeRawBufferPointer, text: String)] = []
    private static let most = 64

    /// - Parameter bytes: the text's bytes, which must outlive this value.
    mutating func text(_ bytes: UnsafeRawBufferPointer) -> String {
        for known in texts
        where known.bytes.count == bytes.count && memcmp(known.bytes.baseAddress!, bytes.baseAddress!, bytes.count) == 0
        {
            return known.text
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if texts.count < Self.most, !bytes.isEmpty { texts.append((bytes, text)) }
        return text
    }
}
