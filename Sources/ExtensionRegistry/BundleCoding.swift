// BundleCoding: a bundle as the index keeps it: blocks, each with its length before it; what is asked for seldom stays packed.

import PropertyListCoding

/// A private form, of `IndexFile`'s version.
enum BundleCoding {
    /// Flags, number of warnings.
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
            // -1 for none.
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

    /// A bundle that stands alone in these bytes.
    static func decode(_ bytes: [UInt8], path: String) -> ExtensionBundle? {
        let source = IndexBytes(bytes)
        return bytes.withUnsafeBytes { bytes in
            var points = Interned()
            return decode(bytes, 0..<bytes.count, of: source, path: path, &points)
        }
    }

    /// A bundle in a part of these bytes, which are those of `source`; nil for what is none.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, of source: IndexBytes, path: String, _ points: inout Interned
    ) -> ExtensionBundle? {
        guard range.count >= headSize else { return nil }
        let (flags, warnings) = (bytes[range.lowerBound], Int(bytes[range.lowerBound + 1]))
        var reader = BlockReader(UnsafeRawBufferPointer(rebasing: bytes[range]), from: headSize)
        guard let identifier = reader.text(), let point = reader.next()?.bytes, let problem = reader.next(),
            let warning = reader.next()
        else { return nil }
        let start = range.lowerBound + reader.offset
        // Once here, so that whoever reads one later need not look.
        for place in 0..<detailBlocks + warnings {
            guard let block = reader.next(), block.isThere || PackedDetails.Place.optional.contains(place) else { return nil }
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

/// One block in place: none, or its bytes.
private struct Block {
    let bytes: UnsafeRawBufferPointer?

    var isThere: Bool { bytes != nil }
    var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
}

/// Goes from block to block.
private struct BlockReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, from offset: Int) { (self.bytes, self.offset) = (bytes, offset) }

    var isAtEnd: Bool { offset == bytes.count }

    /// nil where the bytes end too soon.
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

    /// nil where there is none, too.
    mutating func text() -> String? { next()?.text }
}

/// What is known of a bundle and asked for seldom.
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

/// An `Info.plist` as it is kept: in binary form, or as it stood in its file, until somebody asks for that form.
enum InformationBytes: Sendable, Hashable {
    case binary([UInt8])
    /// Read before, without a fault.
    case file([UInt8])

    var count: Int {
        switch self {
        case .binary(let bytes), .file(let bytes): bytes.count
        }
    }

    /// Empty when there is none that could be read.
    var dictionary: PropertyListDictionary {
        switch self {
        case .binary(let bytes):
            // Written here, from what was within narrower limits.
            bytes.isEmpty ? [:] : (try? PropertyList(binary: bytes, limits: .file))?.dictionary ?? [:]
        case .file(let bytes): (try? PropertyList(file: bytes, limits: BundleInformation.limits))?.dictionary ?? [:]
        }
    }

    var binary: [UInt8] {
        switch self {
        case .binary(let bytes): bytes
        case .file: (try? PropertyList.dictionary(dictionary).encodeBinary()) ?? []
        }
    }
}

/// The same as the index keeps it: a start with thousands of bundles makes no texts that nobody asks for. Read anew at each question,
/// so that reading changes nothing and any thread may.
struct PackedDetails {
    fileprivate enum Place {
        static let optional = 4...7
        static let information = 8
        static let appTypeDeclarations = 9
    }

    /// Checked: as many blocks as there should be, and none missing but those that may.
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

    /// About the bytes of its property lists, which make up most of it.
    var size: Int { range.count }

    var unpacked: BundleDetails {
        BundleDetails(
            version: version, shortVersion: shortVersion, displayName: displayName, shortName: shortName,
            principalClass: principalClass, containingApp: containingApp, parentName: parentName, executable: executable,
            warnings: warnings, information: .binary(information), appTypeDeclarations: appTypeDeclarations)
    }

    /// Of a block that may not be missing.
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
