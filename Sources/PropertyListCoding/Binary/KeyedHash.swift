// KeyedHash: a fast hash of bytes whose key no peer can know, so that no peer can choose strings that collide.

struct KeyedHash: Sendable {
    private let key: UInt64

    /// The hash of every reading and writing of this process. Their results do not depend on it.
    static let process = KeyedHash(key: UInt64.random(in: .min ... .max))

    /// Multiplies to 128 bits and folds the halves: every input bit reaches every output bit.
    @inline(__always)
    private func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    @inline(__always)
    func callAsFunction(_ word: UInt64) -> UInt64 { fold(word ^ key, 0x9E37_79B9_7F4A_7C15) }

    @inline(__always)
    func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return self(0) }
        @inline(__always) func word(_ offset: Int) -> UInt64 {
            base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        @inline(__always) func half(_ offset: Int) -> UInt64 {
            UInt64(base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        let count = bytes.count
        var state = key ^ UInt64(count) &* 0x9E37_79B9_7F4A_7C15
        // The last step overlaps the one before it if the count is no multiple: the count itself distinguishes them.
        switch count {
        case 16...:
            var offset = 0
            while offset < count - 16 {
                state = fold(word(offset) ^ 0xA076_1D64_78BD_642F, word(offset + 8) ^ state)
                offset += 16
            }
            return fold(word(count - 16) ^ 0xE703_7ED1_A0B4_28DB, word(count - 8) ^ state)
        case 8...: return fold(word(0) ^ 0xE703_7ED1_A0B4_28DB, word(count - 8) ^ state)
        case 4...: return fold(half(0) << 32 | half(count - 4), 0xE703_7ED1_A0B4_28DB ^ state)
        default:
            let packed =
                UInt64(base.load(as: UInt8.self)) << 16 | UInt64(bytes[count >> 1]) << 8 | UInt64(bytes[count - 1])
            return fold(packed, 0xE703_7ED1_A0B4_28DB ^ state)
        }
    }
}
