// MD5: the hash in the names of thumbnails (RFC 1321). It is not for security.

internal import Foundation

/// Returns the MD5 sum of some bytes in hexadecimal digits.
func md5(_ bytes: some Sequence<UInt8>) -> String {
    var message = Array(bytes)
    let bits = UInt64(message.count) &* 8
    message.append(0x80)
    while message.count % 64 != 56 { message.append(0) }
    for shift in stride(from: UInt64(0), to: 64, by: 8) { message.append(UInt8(truncatingIfNeeded: bits >> shift)) }

    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
    for block in stride(from: 0, to: message.count, by: 64) {
        var words: [UInt32] = []
        for place in stride(from: block, to: block + 64, by: 4) {
            var word: UInt32 = 0
            for byte in message[place..<place + 4].reversed() { word = word << 8 | UInt32(byte) }
            words.append(word)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let mixed: UInt32
            let word: Int
            switch step / 16 {
            case 0: (mixed, word) = ((b & c) | (~b & d), step)
            case 1: (mixed, word) = ((d & b) | (~d & c), (5 * step + 1) % 16)
            case 2: (mixed, word) = (b ^ c ^ d, (3 * step + 5) % 16)
            default: (mixed, word) = (c ^ (b | ~d), (7 * step) % 16)
            }
            let sum = a &+ mixed &+ constants[step] &+ words[word]
            let turn = turns[step / 16][step % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << turn | sum >> (32 - turn)))
        }
        for (index, value) in [a, b, c, d].enumerated() { state[index] &+= value }
    }
    var digits = ""
    for word in state {
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            let byte = UInt8(truncatingIfNeeded: word >> shift)
            digits += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
    return digits
}

private let turns: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
/// The integer part of 2³² times the sine of each step's number.
private let constants: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
