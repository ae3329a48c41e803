// BinaryFixture: binary property lists put together by hand, true or lying.

/// Objects in order; every other field is computed from them unless set.
struct BinaryFixture {
    var objects: [[UInt8]]
    var header: [UInt8] = Array("bplist00".utf8)
    var offsets: [UInt64]?
    var offsetSize = 2
    var referenceSize = 1
    var objectCount: UInt64?
    var topObject: UInt64 = 0
    var offsetTable: UInt64?

    init(_ objects: [[UInt8]]) { self.objects = objects }

    func with(_ change: (inout BinaryFixture) -> Void) -> BinaryFixture {
        var copy = self
        change(&copy)
        return copy
    }

    var bytes: [UInt8] {
        var bytes = header
        var starts: [UInt64] = []
        for object in objects {
            starts.append(UInt64(bytes.count))
            bytes += object
        }
        let table = UInt64(bytes.count)
        for offset in offsets ?? starts { bytes += Self.bigEndian(offset, offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: offsetSize), UInt8(truncatingIfNeeded: referenceSize)]
        for field in [objectCount ?? UInt64(objects.count), topObject, offsetTable ?? table] {
            bytes += Self.bigEndian(field, 8)
        }
        return bytes
    }

    static func bigEndian(_ number: UInt64, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> UInt64(8 * (width - 1 - $0)) : 0) }
    }

    static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 0x0F, 0x11] + bigEndian(UInt64(count), 2)
    }

    /// References of one byte.
    static func array(_ references: [UInt8]) -> [UInt8] { head(0xA, references.count) + references }
    static func dictionary(_ keys: [UInt8], _ values: [UInt8]) -> [UInt8] { head(0xD, keys.count) + keys + values }
    static func string(_ text: String) -> [UInt8] { head(0x5, text.utf8.count) + Array(text.utf8) }
    static func utf16(_ units: [UInt16]) -> [UInt8] {
        head(0x6, units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    /// Arrays that each hold the next one `width` times; the last one holds a boolean.
    static func sharedReferences(levels: Int, width: Int) -> BinaryFixture {
        var objects = (1...levels).map { level in array(Array(repeating: UInt8(level), count: width)) }
        objects.append([0x09])
        return BinaryFixture(objects)
    }
}
