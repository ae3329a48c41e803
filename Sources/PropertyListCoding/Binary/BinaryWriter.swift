// BinaryWriter: values to the binary form, with one object for each different string and scalar.

internal import Glibc

/// Writes into memory it has been given, in two passes: the first walks the value, writes every leaf once and notes what
/// the containers refer to; only then is the number of objects known, and with it the width of a reference, and the
/// containers follow. The notes live outside Swift's arrays: their sizes are known beforehand (`BinarySize`).
struct BinaryWriter: ~Copyable {
    private let output: UnsafeMutableRawBufferPointer
    /// Bytes written.
    private var end = 0

    /// Where each leaf begins, in order of writing.
    private let leafStarts: UnsafeMutableBufferPointer<Int>
    private var leafCount = 0
    /// Open addressing: the upper half of a leaf's hash, and its number plus one; zero is free. At most half full.
    private let slots: UnsafeMutableBufferPointer<UInt64>
    private let hasher = KeyedHash.process

    private let containers: UnsafeMutableBufferPointer<Container>
    private var containerCount = 0
    private let references: UnsafeMutableBufferPointer<UInt32>
    private var referenceCount = 0
    private var lastKeys = BinaryKeyReferences()

    private struct Container {
        let kind: UInt8
        let count: Int
        /// In `references`: one to an element, two to an entry of a dictionary, all keys first.
        let firstReference: Int
        /// Where it begins, once written.
        var start = 0
    }

    /// Set in a reference to a container, whose number is final only when all leaves are known.
    private static let containerBit: UInt32 = 1 << 31

    /// `output` holds `size.bytes`, and `size` is that of the value to be written.
    init(output: UnsafeMutableRawBufferPointer, size: BinarySize) {
        self.output = output
        leafStarts = .allocate(capacity: size.leaves)
        containers = .allocate(capacity: size.containers)
        references = .allocate(capacity: size.references)
        var slotCount = 16
        while slotCount < 2 * size.leaves { slotCount *= 2 }
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: 0)
    }

    deinit {
        leafStarts.deallocate()
        containers.deallocate()
        references.deallocate()
        slots.deallocate()
    }

    /// Writes one property list and says how many bytes it took.
    mutating func write(_ value: PropertyList) -> Int {
        put(bytes: UnsafeRawBufferPointer(start: BinaryMarker.header.utf8Start, count: BinaryMarker.headerCount))
        let top = reference(to: value)
        let objects = leafCount + containerCount
        let width = BinarySize.width(UInt64(objects - 1))
        for index in 0..<containerCount { putContainer(index, width: width) }
        let table = end
        let offsetSize = BinarySize.width(UInt64(table))
        for index in 0..<leafCount { put(UInt64(leafStarts[index]), width: offsetSize) }
        for index in 0..<containerCount { put(UInt64(containers[index].start), width: offsetSize) }
        put(0, width: 4)
        put(0, width: 2)
        put(UInt64(offsetSize), width: 1)
        put(UInt64(width), width: 1)
        put(UInt64(objects), width: 8)
        put(number(top), width: 8)
        put(UInt64(table), width: 8)
        return end
    }

    /// The final number of the object a noted reference means.
    @inline(__always)
    private func number(_ reference: UInt32) -> UInt64 {
        reference & Self.containerBit == 0
            ? UInt64(reference) : UInt64(reference & ~Self.containerBit) + UInt64(leafCount)
    }

    // MARK: Bytes

    @inline(__always)
    private mutating func put(_ number: UInt64, width: Int) {
        precondition(width <= output.count - end)  // `BinarySize` is an upper bound
        let target = output.baseAddress.unsafelyUnwrapped + end
        switch width {
        case 1: target.storeBytes(of: UInt8(truncatingIfNeeded: number), as: UInt8.self)
        case 2: target.storeBytes(of: UInt16(truncatingIfNeeded: number).bigEndian, as: UInt16.self)
        case 4: target.storeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian, as: UInt32.self)
        default: target.storeBytes(of: number.bigEndian, as: UInt64.self)
        }
        end += width
    }

    @inline(__always)
    private mutating func put(bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= output.count - end)
        guard let source = bytes.baseAddress else { return }
        (output.baseAddress.unsafelyUnwrapped + end).copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
    }

    /// A marker with a count: in its lower half when below fifteen, in an integer behind it otherwise.
    @inline(__always)
    private mutating func put(kind: UInt8, count: Int) {
        guard count >= 15 else { return put(UInt64(kind << 4 | UInt8(truncatingIfNeeded: count)), width: 1) }
        put(UInt64(kind << 4 | 0x0F), width: 1)
        putInteger(UInt64(count))
    }

    @inline(__always)
    private mutating func putInteger(_ number: UInt64) {
        let width = BinarySize.width(number)
        put(UInt64(BinaryMarker.integer << 4) | UInt64(width.trailingZeroBitCount), width: 1)
        put(number, width: width)
    }

    private mutating func putContainer(_ index: Int, width: Int) {
        containers[index].start = end
        let container = containers[index]
        put(kind: container.kind, count: container.count)
        let count = container.kind == BinaryMarker.dictionary ? 2 * container.count : container.count
        for index in container.firstReference..<container.firstReference + count {
            put(number(references[index]), width: width)
        }
    }

    // MARK: The walk

    private mutating func reference(to value: PropertyList) -> UInt32 {
        let start = end
        switch value {
        case .string(let string): return reference(to: string)
        case .boolean(let flag): put(UInt64(flag ? BinaryMarker.yes : BinaryMarker.no), width: 1)
        case .integer(let number): putInteger(UInt64(bitPattern: number))
        case .real(let number):
            put(UInt64(BinaryMarker.real64), width: 1)
            put(number.bitPattern, width: 8)
        case .date(let seconds):
            put(UInt64(BinaryMarker.date), width: 1)
            put(seconds.bitPattern, width: 8)
        case .data(let bytes):
            put(kind: BinaryMarker.data, count: bytes.count)
            bytes.withUnsafeBytes { put(bytes: $0) }
            return newLeaf(at: start)
        case .array(let items):
            let container = open(BinaryMarker.array, count: items.count, references: items.count)
            note(items, from: containers[container].firstReference)
            return Self.containerBit | UInt32(truncatingIfNeeded: container)
        case .dictionary(let entries):
            let keys = entries.keys
            let container = open(BinaryMarker.dictionary, count: keys.count, references: 2 * keys.count)
            let first = containers[container].firstReference
            note(keys: keys, from: first)
            note(entries.values, from: first + keys.count)
            return Self.containerBit | UInt32(truncatingIfNeeded: container)
        }
        return leaf(at: start, hash: hasher(UnsafeRawBufferPointer(rebasing: output[start..<end])))
    }

    private mutating func open(_ kind: UInt8, count: Int, references: Int) -> Int {
        containers[containerCount] = Container(kind: kind, count: count, firstReference: referenceCount)
        containerCount += 1
        referenceCount += references
        precondition(containerCount <= containers.count && referenceCount <= self.references.count)
        return containerCount - 1
    }

    private mutating func note(_ items: [PropertyList], from first: Int) {
        for index in items.indices { references[first + index] = reference(to: items[index]) }
    }

    /// Dictionaries a reader made may share their key array: then their references are known from the last time.
    private mutating func note(keys: [String], from first: Int) {
        if let known = lastKeys.first(of: keys) {
            for index in keys.indices { references[first + index] = references[known + index] }
            return
        }
        for index in keys.indices { references[first + index] = reference(to: keys[index]) }
        lastKeys.remember(keys, first: first)
    }

    private mutating func reference(to string: String) -> UInt32 {
        let start = end
        let hash = string.withBytes { text in
            if text.isASCII {
                put(kind: BinaryMarker.ascii, count: text.count)
                put(bytes: text)
            } else {
                let units = UTF16BigEndian.unitCount(utf8: text)
                put(kind: BinaryMarker.utf16, count: units)
                precondition(2 * units <= output.count - end)
                UTF16BigEndian.encode(utf8: text, into: output.baseAddress.unsafelyUnwrapped + end)
                end += 2 * units
            }
            return hasher(text)
        }
        return leaf(at: start, hash: hash)
    }

    // MARK: Unique leaves

    private mutating func newLeaf(at start: Int) -> UInt32 {
        leafStarts[leafCount] = start
        leafCount += 1
        return UInt32(truncatingIfNeeded: leafCount - 1)
    }

    /// The leaf just written at `start`, or, when an equal one stands before it, that one: then it is taken back.
    @inline(__always)
    private mutating func leaf(at start: Int, hash: UInt64) -> UInt32 {
        let count = end - start
        let written = output.baseAddress.unsafelyUnwrapped
        let upper = hash & 0xFFFF_FFFF_0000_0000
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let entry = slots[slot]
            if entry & 0xFFFF_FFFF_0000_0000 == upper {
                let earlier = Int(truncatingIfNeeded: entry & 0xFFFF_FFFF) - 1
                let place = leafStarts[earlier]
                // No object is the beginning of another, so as many equal bytes make an equal object.
                if count <= start - place, memcmp(written + place, written + start, count) == 0 {
                    end = start
                    return UInt32(truncatingIfNeeded: earlier)
                }
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        let number = newLeaf(at: start)
        slots[slot] = upper | UInt64(number + 1)
        return number
    }
}
