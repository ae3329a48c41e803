// BinaryLeaves: the strings and scalars of a value, encoded, each different one once.

internal import Glibc

struct BinaryLeaves: ~Copyable {
    /// The encoded objects, one after the other.
    private(set) var bytes = GrowingBuffer<UInt8>(capacity: 1 << 10)
    /// The position in `bytes` at which each object begins.
    private(set) var starts = GrowingBuffer<Int>(capacity: 64)
    /// The hash table, with open addressing, at most half full.
    ///
    /// The upper half of a slot is a leaf's hash, the lower its number plus one; zero is free.
    private var slots = Self.freeSlots(128)
    private let hasher = KeyedHash.process

    private static func freeSlots(_ count: Int) -> GrowingBuffer<UInt64> {
        var slots = GrowingBuffer<UInt64>(capacity: count)
        slots.extend(by: count).initialize(repeating: 0, count: count)
        return slots
    }

    // MARK: What can be a leaf; each answers with its number

    mutating func add(_ string: String) -> Int {
        let start = bytes.count
        let hash = string.withBytes { text in
            if text.isASCII {
                append(kind: BinaryMarker.ascii, count: text.count)
                append(text)
            } else {
                let units = UTF16BigEndian.unitCount(utf8: text)
                append(kind: BinaryMarker.utf16, count: units)
                UTF16BigEndian.encode(utf8: text, into: bytes.extend(by: 2 * units))
            }
            return hasher(text)
        }
        return number(ofLeafAt: start, hash: hash)
    }

    mutating func add(_ flag: Bool) -> Int { addScalar(flag ? BinaryMarker.yes : BinaryMarker.no, 0, width: 0) }

    mutating func add(_ integer: Int64) -> Int {
        let bits = UInt64(bitPattern: integer)
        let width = BinaryNumber.width(bits)
        return addScalar(BinaryNumber.integerMarker(width: width), bits, width: width)
    }

    mutating func add(real: Double) -> Int { addScalar(BinaryMarker.real64, real.bitPattern, width: 8) }

    mutating func add(date seconds: Double) -> Int { addScalar(BinaryMarker.date, seconds.bitPattern, width: 8) }

    mutating func add(data: [UInt8]) -> Int {
        let start = bytes.count
        append(kind: BinaryMarker.data, count: data.count)
        let hash = data.withUnsafeBytes { data in
            append(data)
            return hasher(data)
        }
        return number(ofLeafAt: start, hash: hash)
    }

    private mutating func addScalar(_ marker: UInt8, _ bits: UInt64, width: Int) -> Int {
        let start = bytes.count
        bytes.append(marker)
        BinaryNumber.store(bits, width: width, to: bytes.extend(by: width))
        return number(ofLeafAt: start, hash: hasher(bits ^ UInt64(marker) << 32))
    }

    // MARK: Bytes

    @inline(__always)
    private mutating func append(_ source: UnsafeRawBufferPointer) {
        let target = bytes.extend(by: source.count)
        if let base = source.baseAddress {
            UnsafeMutableRawPointer(target).copyMemory(from: base, byteCount: source.count)
        }
    }

    @inline(__always)
    private mutating func append(kind: UInt8, count: Int) {
        BinaryNumber.storeHead(kind: kind, count: count, to: bytes.extend(by: BinaryNumber.headWidth(count)))
    }

    // MARK: One of each

    /// Returns the number of the leaf just written at `start`, or that of an earlier equal one: then the new one is
    /// removed.
    @inline(__always)
    private mutating func number(ofLeafAt start: Int, hash: UInt64) -> Int {
        let count = bytes.count - start
        let written = bytes.pointer(at: start)
        let mask = slots.count - 1
        let tag = hash >> 32
        var slot = Int(truncatingIfNeeded: tag) & mask
        while slots[slot] != 0 {
            if slots[slot] >> 32 == tag {
                let earlier = Int(truncatingIfNeeded: slots[slot] & 0xFFFF_FFFF) - 1
                let place = starts[earlier]
                // No object is a prefix of another, so equal bytes of the same count mean equal objects.
                if count <= start - place, memcmp(bytes.pointer(at: place), written, count) == 0 {
                    bytes.removeLast(count)
                    return earlier
                }
            }
            slot = (slot + 1) & mask
        }
        starts.append(start)
        slots[slot] = tag << 32 | UInt64(starts.count)
        if 2 * starts.count > slots.count { widen() }
        return starts.count - 1
    }

    @inline(never)
    private mutating func widen() {
        var wider = Self.freeSlots(4 * slots.count)
        let mask = wider.count - 1
        for index in 0..<slots.count where slots[index] != 0 {
            var slot = Int(truncatingIfNeeded: slots[index] >> 32) & mask
            while wider[slot] != 0 { slot = (slot + 1) & mask }
            wider[slot] = slots[index]
        }
        slots = wider
    }
}
