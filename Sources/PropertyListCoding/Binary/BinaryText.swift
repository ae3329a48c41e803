// BinaryText: strings to and from the binary form's two encodings, ASCII and big-endian UTF-16.

extension UnsafeRawBufferPointer {
    var isASCII: Bool {
        var offset = 0
        var seen: UInt64 = 0
        while offset + 8 <= count {
            seen |= loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < count {
            seen |= UInt64(self[offset])
            offset += 1
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }
}

extension String {
    /// Calls `body` with the string's UTF-8 bytes, in place if it has them in one piece (all native strings).
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        return Array(utf8).withUnsafeBytes(body)
    }

    /// Reads ASCII; returns nil if a byte is not ASCII.
    @inline(__always)
    init?(ascii bytes: UnsafeRawBufferPointer) {
        guard bytes.isASCII else { return nil }
        self.init(unsafeUninitializedCapacity: bytes.count) { buffer in
            UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
            return bytes.count
        }
    }

    /// Reads big-endian UTF-16 of an even byte count; returns nil if a surrogate stands alone.
    init?(utf16BigEndian bytes: UnsafeRawBufferPointer) {
        guard let count = UTF16BigEndian.utf8Count(bytes) else { return nil }
        self.init(unsafeUninitializedCapacity: count) { buffer in
            UTF16BigEndian.decode(bytes, into: buffer)
            return count
        }
    }
}

/// The project's own transcoding: the standard library's goes scalar by scalar through iterators.
enum UTF16BigEndian {
    @inline(__always)
    private static func unit(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        UInt32(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    /// Returns the number of bytes that the text takes in UTF-8; nil if a surrogate stands alone.
    static func utf8Count(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var count = 0
        var offset = 0
        while offset < bytes.count {
            let first = unit(bytes, offset)
            offset += 2
            switch first {
            case 0..<0x80: count += 1
            case 0x80..<0x800: count += 2
            case 0xD800..<0xDC00:
                guard offset < bytes.count, 0xDC00..<0xE000 ~= unit(bytes, offset) else { return nil }
                offset += 2
                count += 4
            case 0xDC00..<0xE000: return nil
            default: count += 3
            }
        }
        return count
    }

    /// Writes the text as UTF-8. `bytes` has passed `utf8Count`, which is the buffer's capacity.
    static func decode(_ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableBufferPointer<UInt8>) {
        var at = 0
        var offset = 0
        @inline(__always) func put(_ byte: UInt32) {
            buffer[at] = UInt8(truncatingIfNeeded: byte)
            at += 1
        }
        while offset < bytes.count {
            var scalar = unit(bytes, offset)
            offset += 2
            if 0xD800..<0xDC00 ~= scalar {
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + unit(bytes, offset) & 0x3FF
                offset += 2
            }
            switch scalar {
            case 0..<0x80: put(scalar)
            case 0x80..<0x800:
                put(0xC0 | scalar >> 6)
                put(0x80 | scalar & 0x3F)
            case 0x800..<0x10000:
                put(0xE0 | scalar >> 12)
                put(0x80 | scalar >> 6 & 0x3F)
                put(0x80 | scalar & 0x3F)
            default:
                put(0xF0 | scalar >> 18)
                put(0x80 | scalar >> 12 & 0x3F)
                put(0x80 | scalar >> 6 & 0x3F)
                put(0x80 | scalar & 0x3F)
            }
        }
    }

    /// Returns the number of UTF-16 units of valid UTF-8: one for each leading byte, two for those of four bytes.
    static func unitCount(utf8: UnsafeRawBufferPointer) -> Int {
        var count = 0
        for byte in utf8 { count += (byte & 0xC0 != 0x80 ? 1 : 0) + (byte >= 0xF0 ? 1 : 0) }
        return count
    }

    /// Writes `unitCount` units of valid UTF-8, which every Swift string holds.
    static func encode(utf8: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer) {
        var output = output
        var offset = 0
        @inline(__always) func next() -> UInt32 {
            defer { offset += 1 }
            return UInt32(utf8[offset])
        }
        @inline(__always) func put(_ unit: UInt32) {
            output.storeBytes(of: UInt16(truncatingIfNeeded: unit).bigEndian, as: UInt16.self)
            output += 2
        }
        while offset < utf8.count {
            let lead = next()
            switch lead {
            case 0..<0x80: put(lead)
            case 0x80..<0xE0: put((lead & 0x1F) << 6 | next() & 0x3F)
            case 0xE0..<0xF0:
                let second = next()
                put((lead & 0x0F) << 12 | (second & 0x3F) << 6 | next() & 0x3F)
            default:
                let second = next()
                let third = next()
                let scalar = (lead & 0x07) << 18 | (second & 0x3F) << 12 | (third & 0x3F) << 6 | next() & 0x3F
                put(0xD800 + (scalar - 0x10000) >> 10)
                put(0xDC00 + scalar & 0x3FF)
            }
        }
    }
}
