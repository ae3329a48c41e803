// BusBytes and BusReader: a writer and a reader of the few D-Bus types that the probe needs ("Marshaling (Wire
// Format)").

/// A little-endian buffer. Each value is aligned to its size.
struct BusBytes {
    var bytes: [UInt8] = []

    mutating func align(to size: Int) {
        while bytes.count % size != 0 { bytes.append(0) }
    }

    mutating func number(_ value: UInt32) {
        align(to: 4)
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    mutating func string(_ text: String) {
        number(UInt32(text.utf8.count))
        bytes += Array(text.utf8) + [0]
    }

    /// Appends a header field: its code, and a variant of a string or an object's path.
    mutating func field(_ code: UInt8, _ type: Character, _ value: String) {
        align(to: 8)
        bytes += [code, 1, type.asciiValue ?? 0, 0]
        string(value)
    }

    mutating func signature(_ code: UInt8, _ value: String) {
        align(to: 8)
        bytes += [code, 1, UInt8(ascii: "g"), 0, UInt8(value.utf8.count)] + Array(value.utf8) + [0]
    }
}

/// A reader of D-Bus values. Each method returns nil if the bytes end too soon.
struct BusReader {
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    /// Makes a reader. Alignment counts from the slice's start.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    var isAtEnd: Bool { place >= bytes.endIndex }

    mutating func align(to size: Int) {
        while (place - bytes.startIndex) % size != 0 { place += 1 }
    }

    mutating func byte() -> UInt8? {
        guard place < bytes.endIndex else { return nil }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func number() -> UInt32? {
        align(to: 4)
        guard place + 4 <= bytes.endIndex else { return nil }
        defer { place += 4 }
        return bytes[place..<(place + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func string() -> String? { number().flatMap { text(Int($0)) } }

    mutating func signature() -> String? { byte().flatMap { text(Int($0)) } }

    /// Reads a text that ends with a zero byte.
    private mutating func text(_ count: Int) -> String? {
        guard count < bytes.endIndex - place else { return nil }
        defer { place += count + 1 }
        return String(decoding: bytes[place..<(place + count)], as: UTF8.self)
    }
}
