// BinaryTrailer: the last 32 bytes of the binary form, checked before anything else is read.

internal import Glibc

struct BinaryTrailer {
    let offsetSize: Int
    let referenceSize: Int
    let objectCount: Int
    let topObject: Int
    /// The position of the offset table. Objects lie between the header and here.
    let offsetTable: Int

    init(_ bytes: UnsafeRawBufferPointer, limits: PropertyListLimits) throws(PropertyListError) {
        guard bytes.count <= limits.bytes else { throw .tooManyBytes(count: bytes.count, limit: limits.bytes) }
        guard bytes.count > BinaryMarker.headerCount + BinaryMarker.trailerCount else {
            throw .tooShort(count: bytes.count)
        }
        guard Self.begins(bytes, sharing: 6) else { throw .notPropertyList(beginning: excerpt(bytes.prefix(8))) }
        guard Self.begins(bytes, sharing: BinaryMarker.headerCount) else {
            throw .unsupportedVersion(excerpt(bytes[6..<8]))
        }

        let start = bytes.count - BinaryMarker.trailerCount
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self))
        }
        // Five unused bytes and the sort version come first; writers differ in them, and nothing depends on them.
        let (offsetSize, referenceSize) = (Int(bytes[start + 6]), Int(bytes[start + 7]))
        let (objects, top, table) = (word(8), word(16), word(24))
        guard 1...8 ~= offsetSize else { throw .badTrailer(field: "offset size", value: UInt64(offsetSize)) }
        guard 1...8 ~= referenceSize else { throw .badTrailer(field: "reference size", value: UInt64(referenceSize)) }
        guard table > UInt64(BinaryMarker.headerCount), table < UInt64(start) else {
            throw .badTrailer(field: "offset table position", value: table)
        }
        // The table reaches exactly to the trailer in every writer's output, so a wrong field contradicts the others.
        let (tableBytes, overflow) = objects.multipliedReportingOverflow(by: UInt64(offsetSize))
        guard !overflow, objects > 0, tableBytes == UInt64(start) - table else {
            throw .badTrailer(field: "object count", value: objects)
        }
        guard top < objects else { throw .badTrailer(field: "top object", value: top) }
        guard objects <= UInt64(max(0, limits.objects)) else {
            throw .tooManyObjects(limit: limits.objects, at: .byte(start + 8))
        }
        self.offsetSize = offsetSize
        self.referenceSize = referenceSize
        // None of these exceeds the input's length now.
        objectCount = Int(objects)
        topObject = Int(top)
        offsetTable = Int(table)
    }

    private static func begins(_ bytes: UnsafeRawBufferPointer, sharing count: Int) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        return memcmp(start, BinaryMarker.header.utf8Start, count) == 0
    }
}
