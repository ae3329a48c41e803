// RequestIdentifier: the UUID that names a request from its begin to its last log line.

public import PropertyListCoding

/// A random (version 4) UUID without Foundation. The host chooses it, so that a repeated begin starts only one request.
public struct RequestIdentifier: Sendable, Hashable, LosslessStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// Makes a new one from the system's random source.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Makes a new one from a random source that is as good.
    public init(using generator: inout some RandomNumberGenerator) {
        high = generator.next() & 0xffff_ffff_ffff_0fff | 0x4000
        low = generator.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
    }

    /// The two halves of the UUID, for storage in binary form.
    public var words: (high: UInt64, low: UInt64) { (high, low) }

    /// Makes one from its two halves, without a check.
    public init(words: (high: UInt64, low: UInt64)) { (high, low) = words }

    /// Reads the canonical form of 36 characters, in either case.
    public init?(_ description: String) {
        var text = description
        let parsed: (UInt64, UInt64)? = text.withUTF8 { bytes in
            guard bytes.count == 36 else { return nil }
            var halves: (UInt64, UInt64) = (0, 0)
            var digits = 0
            for (index, byte) in bytes.enumerated() {
                if index == 8 || index == 13 || index == 18 || index == 23 {
                    guard byte == UInt8(ascii: "-") else { return nil }
                    continue
                }
                let digit: UInt8
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
                case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
                case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
                default: return nil
                }
                if digits < 16 {
                    halves.0 = halves.0 << 4 | UInt64(digit)
                } else {
                    halves.1 = halves.1 << 4 | UInt64(digit)
                }
                digits += 1
            }
            return halves
        }
        guard let parsed else { return nil }
        (high, low) = parsed
    }

    public var description: String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            let hex: StaticString = "0123456789ABCDEF"
            var position = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    buffer[position] = UInt8(ascii: "-")
                    position += 1
                }
                let half = digit < 16 ? high : low
                buffer[position] = hex.utf8Start[Int(half >> UInt64((15 - digit % 16) * 4) & 15)]
                position += 1
            }
            return 36
        }
    }
}

extension RequestIdentifier: WireValue {
    public init?(wire: PropertyList) {
        guard let text = wire.string else { return nil }
        self.init(text)
    }
    public var wire: PropertyList { .string(description) }
}
