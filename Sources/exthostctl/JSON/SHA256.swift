// SHA256: the checksum that replaces bytes in JSON.

import Foundation

/// The hash function of FIPS 180-4, section 6.2.
enum SHA256 {
    /// Returns the digest of `data` in hexadecimal.
    static func hexadecimal(of data: Data) -> String {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        let whole = data.count / 64 * 64
        var schedule = [UInt32](repeating: 0, count: 64)
        data.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: whole, by: 64) {
                mix(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64]), into: &state, &schedule)
            }
        }
        // Section 5.1.1: a one, zeros, and the length in bits as 64 of them.
        var tail = [UInt8](data.suffix(data.count - whole)) + [0x80]
        tail += [UInt8](repeating: 0, count: (120 - tail.count) % 64)
        withUnsafeBytes(of: UInt64(data.count * 8).bigEndian) { tail += $0 }
        tail.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 64) {
                mix(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64]), into: &state, &schedule)
            }
        }
        return state.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private static func mix(_ block: UnsafeRawBufferPointer, into state: inout [UInt32], _ w: inout [UInt32]) {
        for t in 0..<16 { w[t] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: t * 4, as: UInt32.self)) }
        for t in 16..<64 {
            let s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3
            let s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10
            w[t] = s1 &+ w[t - 7] &+ s0 &+ w[t - 16]
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for t in 0..<64 {
            let sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let first = h &+ sum1 &+ ((e & f) ^ (~e & g)) &+ constants[t] &+ w[t]
            let sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let second = sum0 &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The constants of section 4.2.2: the first 32 bits of the fractions of the cube roots of the first 64 primes,
    /// computed as stated there.
    private static let constants: [UInt32] = {
        var primes: [Int] = []
        var candidate = 2
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { UInt32(truncatingIfNeeded: cubeRoot(of: $0)) }
    }()

    /// Returns the integer part of the cube root of `number` · 2⁹⁶, which is the root itself · 2³². It bisects, in
    /// integers.
    private static func cubeRoot(of number: Int) -> UInt64 {
        let target = UInt128(number) << 96
        var low: UInt64 = 0
        var high: UInt64 = 7 << 32
        while high - low > 1 {
            let middle = low + (high - low) / 2
            let cube = UInt128(middle) * UInt128(middle) * UInt128(middle)
            if cube <= target { low = middle } else { high = middle }
        }
        return low
    }
}
