// Base64: the conversion of the text of <data> to bytes.

enum Base64 {
    private static let space: UInt8 = 0x40
    private static let padding: UInt8 = 0x41
    private static let invalid: UInt8 = 0x42

    /// The meaning of each byte: six bits, or one of the above.
    private static let meanings: InlineArray<256, UInt8> = {
        var meanings = InlineArray<256, UInt8>(repeating: invalid)
        for byte in [0x20, 0x09, 0x0A, 0x0D] { meanings[byte] = space }
        meanings[0x3D] = padding
        for index in 0..<26 {
            meanings[0x41 + index] = UInt8(index)
            meanings[0x61 + index] = UInt8(26 + index)
        }
        for index in 0..<10 { meanings[0x30 + index] = UInt8(52 + index) }
        meanings[0x2B] = 62
        meanings[0x2F] = 63
        return meanings
    }()

    /// Decodes base64; nil for anything else. Spaces may stand anywhere; padding is required.
    static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        let meanings = meanings
        var isValid = true
        let result = [UInt8](capacity: text.count / 4 * 3 + 3) { output in
            var bits: UInt32 = 0
            var symbols = 0
            var paddings = 0
            for byte in text {
                let meaning = meanings[Int(byte)]
                if meaning >= space {
                    if meaning == padding { paddings += 1 }
                    isValid = isValid && meaning != invalid
                    continue
                }
                isValid = isValid && paddings == 0
                bits = bits << 6 | UInt32(meaning)
                symbols += 1
                if symbols == 4 {
                    symbols = 0
                    output.append(UInt8(truncatingIfNeeded: bits >> 16))
                    output.append(UInt8(truncatingIfNeeded: bits >> 8))
                    output.append(UInt8(truncatingIfNeeded: bits))
                }
            }
            switch (symbols, paddings) {
            case (0, 0): break
            case (2, 2): output.append(UInt8(truncatingIfNeeded: bits >> 4))
            case (3, 1):
                output.append(UInt8(truncatingIfNeeded: bits >> 10))
                output.append(UInt8(truncatingIfNeeded: bits >> 2))
            default: isValid = false
            }
        }
        return isValid ? result : nil
    }
}
