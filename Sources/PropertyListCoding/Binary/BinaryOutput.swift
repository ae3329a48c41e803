// BinaryOutput: the memory a binary property list is written to: objects in front, their offsets behind.

/// A writer into memory whose sizes have been computed; a write beyond them traps, so that it does not touch other
/// memory.
struct BinaryOutput {
    private let memory: UnsafeMutableRawBufferPointer
    private let offsetTable: Int
    private let offsetSize: Int
    /// The positions of the next object and of the next offset.
    private(set) var position = 0
    private var offsetPosition: Int

    init(_ memory: UnsafeMutableRawBufferPointer, offsetTable: Int, offsetSize: Int) {
        self.memory = memory
        self.offsetTable = offsetTable
        self.offsetSize = offsetSize
        offsetPosition = offsetTable
    }

    @inline(__always)
    private func target(_ position: Int, _ count: Int) -> UnsafeMutableRawPointer {
        precondition(count <= memory.count - position)
        return memory.baseAddress.unsafelyUnwrapped + position
    }

    @inline(__always)
    mutating func put(_ number: UInt64, width: Int) {
        BinaryNumber.store(number, width: width, to: target(position, width))
        position += width
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(start: target(position, bytes.count), count: bytes.count).copyMemory(from: bytes)
        position += bytes.count
    }

    @inline(__always)
    mutating func putHead(kind: UInt8, count: Int) {
        let width = BinaryNumber.headWidth(count)
        BinaryNumber.storeHead(kind: kind, count: count, to: target(position, width))
        position += width
    }

    /// Writes the offset of the next object, in order of the objects' numbers.
    @inline(__always)
    mutating func putOffset(_ offset: Int) {
        BinaryNumber.store(UInt64(offset), width: offsetSize, to: target(offsetPosition, offsetSize))
        offsetPosition += offsetSize
    }

    mutating func putTrailer(referenceSize: Int, objects: Int, top: UInt64) {
        position = offsetPosition
        put(0, width: 4)
        put(0, width: 2)
        put(UInt64(offsetSize), width: 1)
        put(UInt64(referenceSize), width: 1)
        put(UInt64(objects), width: 8)
        put(top, width: 8)
        put(UInt64(offsetTable), width: 8)
    }
}
