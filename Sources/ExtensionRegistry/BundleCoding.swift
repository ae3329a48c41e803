// BundleCoding: the index's form of a bundle: blocks, each behind its length; rarely used values stay packed.

import PropertyListCoding

/// The encoding of a bundle in the index. It is private; its version is `IndexFile`'s.
enum BundleCoding {
    /// Bytes before the blocks: the flags and the number of warnings.
    private static let headSize = 2
    fileprivate static let detailBlocks = 10
    private static let isInContents: UInt8 = 8

    static func encode(_ bundle: ExtensionBundle) -> [UInt8] {
        var bytes: [UInt8] = []
        encode(bundle, to: &bytes)
        return bytes
    }

    static func encode(_ bundle: ExtensionBundle, to bytes: inout [UInt8]) {
        let warnings = bundle.warnings.prefix(255)
        let summary = bundle.offerSummary
        let offer: UInt8 = summary.map { 1 | ($0.takesRules ? 2 : 0) | ($0.declaresTypes ? 4 : 0) } ?? 0
        bytes += [offer | (bundle.isInContents ? isInContents : 0), UInt8(warnings.count)]
        func put(_ block: (some Collection<UInt8>)?) {
            // -1 marks an absent block.
            bytes.append(number: Int32(block?.count ?? -1))
            if let block { bytes += block }
        }
        for text in [bundle.identifier, bundle.point, summary?.problem, summary?.warning] { put(text?.utf8) }
        for text in [
            bundle.version, bundle.shortVersion, bundle.displayName, bundle.shortName, bundle.principalClass,
            bundle.containingApp, bundle.parentName, bundle.executable,
        ] { put(text?.utf8) }
        put(bundle.information)
        put(bundle.appTypeDeclarations)
        for warning in warnings { put(warning.utf8) }
    }

    /// Decodes a bundle that fills these bytes alone.
    static func decode(_ bytes: [UInt8], path: String) -> ExtensionBundle? {
        let source = IndexBytes(bytes)
        return bytes.withUnsafeBytes { bytes in
            var points = Interned()
            return decode(bytes, 0..<bytes.count, of: source, path: path, &points)
        }
    }

    /// Decodes a bundle in a part of the bytes of `source`; returns nil if the part is no bundle.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, of source: IndexBytes, path: String,
        _ points: inout Interned
    ) -> ExtensionBundle? {
        guard range.count >= headSize else { return nil }
        let (flags, warnings) = (bytes[range.lowerBound], Int(bytes[range.lowerBound + 1]))
        var reader = BlockReader(UnsafeRawBufferPointer(rebasing: bytes[range]), from: headSize)
        guard let identifier = reader.text(), let point = reader.next()?.bytes, let problem = reader.next(),
            let warning = reader.next()
        else { return nil }
        let start = range.lowerBound + reader.offset
        // All blocks are checked once here, so later reads need no checks.
        for place in 0..<detailBlocks + warnings {
            guard let block = reader.next(), block.isThere || PackedDetails.Place.optional.contains(place) else {
                return nil
            }
        }
        guard reader.isAtEnd else { return nil }
        var summary: OfferSummary?
        if flags & 1 != 0 {
            summary = OfferSummary(
                takesRules: flags & 2 != 0, declaresTypes: flags & 4 != 0, problem: problem.text, warning: warning.text)
        }
        return ExtensionBundle(
            identifier: identifier, point: points.text(point), path: path, offerSummary: summary,
            packed: PackedDetails(
                source: source, range: start..<range.upperBound, warningCount: warnings,
                isInContents: flags & isInContents != 0))
    }
}

/// A block in place: its bytes, or none.
private struct Block {
    let bytes: UnsafeRawBufferPointer?

    var isThere: Bool { bytes != nil }
    var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
}

/// An iterator over blocks.
private struct BlockReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, from offset: Int) { (self.bytes, self.offset) = (bytes, offset) }

    var isAtEnd: Bool { offset == bytes.count }

    /// Returns the next block, or nil if the bytes end too soon.
    mutating func next() -> Block? {
        guard bytes.count - offset >= 4 else { return nil }
        let size = Int(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        let start = offset + 4
        guard size >= 0 else {
            offset = start
            return Block(bytes: nil)
        }
        guard bytes.count - start >= size else { return nil }
        offset = start + size
        return Block(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<offset]))
    }

    /// Returns the next block as text. Nil also stands for an absent block.
    mutating func text() -> String? { next()?.text }
}

/// The rarely used properties of a bundle.
struct BundleDetails {
    var version: String
    var shortVersion: String
    var displayName: String
    var shortName: String
    var principalClass: String?
    var containingApp: String?
    var parentName: String?
    var executable: String?
    var warnings: [String]
    var information: InformationBytes
    var appTypeDeclarations: [UInt8]
}

/// The stored bytes of an `Info.plist`: its binary form, or its file's bytes until the binary form is requested.
enum InformationBytes: Sendable, Hashable {
    case binary([UInt8])
    /// The bytes of the file, which were parsed before without a fault.
    case file([UInt8])

    var count: Int {
        switch self {
        case .binary(let bytes), .file(let bytes): bytes.count
        }
    }

    /// The parsed dictionary; empty if there is none that could be read.
    var dictionary: PropertyListDictionary {
        switch self {
        case .binary(let bytes):
            // The registry wrote these bytes, from a list within narrower limits.
            bytes.isEmpty ? [:] : (try? PropertyList(binary: bytes, limits: .file))?.dictionary ?? [:]
        case .file(let bytes):
            (try? PropertyList(file: bytes, limits: BundleInformation.limits, form: .authored))?.dictionary ?? [:]
        }
    }

    var binary: [UInt8] {
        switch self {
        case .binary(let bytes): bytes
        case .file: (try? PropertyList.dictionary(dictionary).encodeBinary()) ?? []
        }
    }
}

/// The details of a bundle as the index stores them, so a start with thousands of bundles builds no unused strings.
///
/// Each access decodes anew. A read changes nothing, so any thread may read.
struct PackedDetails {
    fileprivate enum Place {
        static let optional = 4...7
        static let information = 8
        static let appTypeDeclarations = 9
    }

    /// The bytes that hold the blocks. They were checked: no block is missing except the optional ones.
    fileprivate let source: IndexBytes
    fileprivate let range: Range<Int>
    fileprivate let warningCount: Int
    /// Whether its program lies below `Contents`.
    let isInContents: Bool

    var version: String { String(decoding: bytes(0), as: UTF8.self) }
    var shortVersion: String { String(decoding: bytes(1), as: UTF8.self) }
    var displayName: String { String(decoding: bytes(2), as: UTF8.self) }
    var shortName: String { String(decoding: bytes(3), as: UTF8.self) }
    var principalClass: String? { text(4) }
    var containingApp: String? { text(5) }
    var parentName: String? { text(6) }
    var executable: String? { text(7) }
    var information: [UInt8] { bytes(Place.information) }
    var appTypeDeclarations: [UInt8] { bytes(Place.appTypeDeclarations) }
    var warnings: [String] { (0..<warningCount).compactMap { text(BundleCoding.detailBlocks + $0) } }

    /// The size in bytes, of which the property lists make up most.
    var size: Int { range.count }

    var unpacked: BundleDetails {
        BundleDetails(
            version: version, shortVersion: shortVersion, displayName: displayName, shortName: shortName,
            principalClass: principalClass, containingApp: containingApp, parentName: parentName,
            executable: executable,
            warnings: warnings, information: .binary(information), appTypeDeclarations: appTypeDeclarations)
    }

    /// Returns the bytes of a block that is not optional.
    private func bytes(_ place: Int) -> [UInt8] { read(place) { Array($0) } ?? [] }

    private func text(_ place: Int) -> String? { read(place) { String(decoding: $0, as: UTF8.self) } }

    private func read<Value>(_ place: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value? {
        source.read(range) { bytes in
            var reader = BlockReader(bytes, from: 0)
            for _ in 0..<place { _ = reader.next() }
            return reader.next()?.bytes.map(body)
        }
    }
}
