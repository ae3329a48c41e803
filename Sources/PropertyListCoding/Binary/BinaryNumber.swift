// BinaryNumber: the layout of numbers and of the heads of objects in the binary form, for writing.

enum BinaryNumber {
    /// Returns the smallest number of bytes, a power of two, that holds a number.
    @inline(__always)
    static func width(_ greatest: UInt64) -> Int {
        switch greatest {
        case 0...0xFF: 1
        case 0...0xFFFF: 2
        case 0...0xFFFF_FFFF: 4
        default: 8
        }
    }

    @inline(__always)
    static func integerMarker(width: Int) -> UInt8 { BinaryMarker.integer << 4 | UInt8(width.trailingZeroBitCount) }

    /// Writes `width` bytes (0, 1, 2, 4 or 8) at `target`, big-endian.
    @inline(__always)
    static func store(_ number: UInt64, width: Int, to target: UnsafeMutableRawPointer) {
        switch width {
        case 0: break
        case 1: target.storeBytes(of: UInt8(truncatingIfNeeded: number), as: UInt8.self)
        case 2: target.storeBytes(of: UInt16(truncatingIfNeeded: number).bigEndian, as: UInt16.self)
        case 4: target.storeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian, as: UInt32.self)
        default: target.storeBytes(of: number.bigEndian, as: UInt64.self)
        }
    }

    /// Returns the bytes of a marker with a count: one below fifteen; otherwise an integer follows the marker.
    @inline(__always)
    static func headWidth(_ count: Int) -> Int { count < 15 ? 1 : 2 + width(UInt64(count)) }

    /// Writes `headWidth(count)` bytes at `target`.
    @inline(__always)
    static func storeHead(kind: UInt8, count: Int, to target: UnsafeMutableRawPointer) {
        guard count >= 15 else {
            return target.storeBytes(of: kind << 4 | UInt8(truncatingIfNeeded: count), as: UInt8.self)
        }
        let width = width(UInt64(count))
        target.storeBytes(of: kind << 4 | 0x0F, as: UInt8.self)
        target.storeBytes(of: integerMarker(width: width), toByteOffset: 1, as: UInt8.self)
        store(UInt64(count), width: width, to: target + 2)
    }
}
