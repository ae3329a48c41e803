// BundleCoding: a bundle as the index keeps it: blocks, each with its length before it; what is asked for seldom stays packed.

/// A private form: what another version wrote is not read, and the bundle is read anew.
enum BundleCoding {
    /// Raised with every change of what is kept, or of how a bundle is judged.
    private static let version: UInt8 = 4
    /// Version, flags, number of warnings.
    private static let headSize = 3
    fileprivate static let detailBlocks = 10
    private static let isInContents: UInt8 = 8

    /// - Parameter beside: what the index keeps with it.
    static func encode(_ bundle: ExtensionBundle, beside: [UInt8] = []) -> [UInt8] {
        let warnings = bundle.warnings.prefix(255)
        let summary = bundle.offerSummary
        let offer: UInt8 = summary.map { 1 | ($0.takesRules ? 2 : 0) | ($0.declaresTypes ? 4 : 0) } ?? 0
        var bytes: [UInt8] = [version, offer | (bundle.isInContents ? isInContents : 0), UInt8(warnings.count)]
        let information = bundle.information
        bytes.reserveCapacity(information.count + 1024)
        func put(_ block: (some Collection<UInt8>)?) {
            // -1 for none.
            withUnsafeBytes(of: Int32(block?.count ?? -1).littleEndian) { bytes += $0 }
            if let block { bytes += block }
        }
        put(beside)
        for text in [bundle.identifier, bundle.point, summary?.problem, summary?.warning] { put(text?.utf8) }
        for text in [
            bundle.version, bundle.shortVersion, bundle.displayName, bundle.shortName, bundle.principalClass,
            bundle.containingApp, bundle.parentName, bundle.executable,
        ] { put(text?.utf8) }
        put(information)
        put(bundle.appTypeDeclarations)
        for warning in warnings { put(warning.utf8) }
        return bytes
    }

    /// A bundle and what was kept with it, in place; nil for what is no bundle of this version.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, path: String
    ) -> (bundle: ExtensionBundle, beside: UnsafeRawBufferPointer)? {
        guard bytes.count >= headSize, bytes[0] == version else { return nil }
        var reader = BlockReader(bytes, from: headSize)
        guard let beside = reader.next(), let identifier = reader.text(), let point = reader.text(),
            let problem = reader.next(), let warning = reader.next()
        else { return nil }
        let start = reader.offset
        // Once here, so that whoever reads one later need not look.
        for place in 0..<detailBlocks + Int(bytes[2]) {
            guard let block = reader.next(), block.isThere || PackedDetails.Place.optional.contains(place) else { return nil }
        }
        guard reader.isAtEnd else { return nil }
        var summary: OfferSummary?
        if bytes[1] & 1 != 0 {
            summary = OfferSummary(
                takesRules: bytes[1] & 2 != 0, declaresTypes: bytes[1] & 4 != 0, problem: problem.text, warning: warning.text)
        }
        let bundle = ExtensionBundle(
            identifier: identifier, point: point, path: path, offerSummary: summary,
            packed: PackedDetails(
                bytes: Array(bytes[start...]), warningCount: Int(bytes[2]), isInContents: bytes[1] & isInContents != 0))
        return (bundle, beside.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0))
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
    var information: [UInt8]
    var appTypeDeclarations: [UInt8]
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
    fileprivate let bytes: [UInt8]
    fileprivate let warningCount: Int
    /// Whether its program lies below `Contents`.
    let isInContents: Bool

    var version: String { text(0) ?? "" }
    var shortVersion: String { text(1) ?? "" }
    var displayName: String { text(2) ?? "" }
    var shortName: String { text(3) ?? "" }
    var principalClass: String? { text(4) }
    var containingApp: String? { text(5) }
    var parentName: String? { text(6) }
    var executable: String? { text(7) }
    var information: [UInt8] { read(Place.information) { Array($0) } ?? [] }
    var appTypeDeclarations: [UInt8] { read(Place.appTypeDeclarations) { Array($0) } ?? [] }
    var warnings: [String] { (0..<warningCount).compactMap { text(BundleCoding.detailBlocks + $0) } }

    /// About the bytes of its property lists, which make up most of it.
    var size: Int { bytes.count }

    var unpacked: BundleDetails {
        BundleDetails(
            version: version, shortVersion: shortVersion, displayName: displayName, shortName: shortName,
            principalClass: principalClass, containingApp: containingApp, parentName: parentName, executable: executable,
            warnings: warnings, information: information, appTypeDeclarations: appTypeDeclarations)
    }

    private func text(_ place: Int) -> String? { read(place) { String(decoding: $0, as: UTF8.self) } }

    private func read<Value>(_ place: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value? {
        bytes.withUnsafeBytes { bytes in
            var reader = BlockReader(bytes, from: 0)
            for _ in 0..<place { _ = reader.next() }
            return reader.next()?.bytes.map(body)
        }
    }
}
