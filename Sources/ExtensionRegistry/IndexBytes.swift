// IndexBytes: the bytes of an index, which its entries share, and their checksum.

import LinuxSystem

/// The immutable bytes of an index. Entries read rarely used values from here, so it lives as long as its last entry.
final class IndexBytes: Sendable {
    private enum Place {
        case array([UInt8])
        case memory(ReadMemory)
    }

    private let place: Place

    init(_ bytes: [UInt8]) { place = .array(bytes) }

    init(_ memory: ReadMemory) { place = .memory(memory) }

    func read<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        switch place {
        case .array(let bytes): bytes.withUnsafeBytes(body)
        case .memory(let memory): memory.withUnsafeBytes(body)
        }
    }

    /// Calls `body` with a part of the bytes, in place.
    func read<Value>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        read { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
}

extension UnsafeRawBufferPointer {
    func number<Number: FixedWidthInteger>(at offset: Int, as _: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

extension [UInt8] {
    mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

/// The checksum of an index. It detects damage, not attacks.
///
/// The rights of the folder protect an index as they protect the database beside it.
enum IndexChecksum {
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Returns the checksum of the bytes.
    ///
    /// It mixes four words at a time, each in its own lane, so the lanes do not wait for one another. Every step is
    /// reversible, so a change of any one word changes the sum.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var (one, two, three, four): (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
        func mixed(_ lane: UInt64, _ word: UInt64) -> UInt64 {
            let product = (lane ^ word) &* factor
            return product << 29 | product >> 35
        }
        var offset = 0
        while offset + 32 <= bytes.count {
            one = mixed(one, bytes.number(at: offset, as: UInt64.self))
            two = mixed(two, bytes.number(at: offset + 8, as: UInt64.self))
            three = mixed(three, bytes.number(at: offset + 16, as: UInt64.self))
            four = mixed(four, bytes.number(at: offset + 24, as: UInt64.self))
            offset += 32
        }
        while offset < bytes.count {
            one = mixed(one, UInt64(bytes[offset]))
            offset += 1
        }
        return [one, two, three, four].reduce(UInt64(bytes.count)) { mixed($0, $1) }
    }
}
