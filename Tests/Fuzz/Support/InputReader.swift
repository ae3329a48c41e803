// InputReader: the fuzzer's bytes, taken from the front; nothing is left when they end.

struct InputReader {
    private var rest: UnsafeRawBufferPointer.SubSequence

    init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        rest = UnsafeRawBufferPointer(start: start, count: count)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Little-endian.
    mutating func word() -> UInt16 { UInt16(byte()) | UInt16(byte()) << 8 }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func all() -> [UInt8] { bytes(rest.count) }
}
