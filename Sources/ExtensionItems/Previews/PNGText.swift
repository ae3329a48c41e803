// PNGText: the text in a PNG file, where thumbnails name their file (PNG specification, tEXt).

/// A reader and writer of `tEXt` chunks; the image itself is ignored.
enum PNGText {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The end of the signature and the first chunk (`IHDR`): length, name, 13 bytes, sum.
    private static let headerEnd = 8 + 4 + 4 + 13 + 4

    static func isPNG(_ bytes: [UInt8]) -> Bool { bytes.count >= headerEnd && bytes.starts(with: signature) }

    /// Returns every text by its keyword; nil for data that is no PNG file, or a truncated one.
    static func read(_ bytes: [UInt8]) -> [String: String]? {
        guard isPNG(bytes) else { return nil }
        var texts: [String: String] = [:]
        var place = signature.count
        while place + 12 <= bytes.count {
            let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= bytes.count - place - 12 else { return nil }
            let name = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
            let contents = bytes[place + 8..<place + 8 + length]
            if name == "IEND" { return texts }
            if name == "tEXt", let end = contents.firstIndex(of: 0) {
                texts[latin1(contents[..<end])] = latin1(contents[(end + 1)...])
            }
            place += length + 12
        }
        return nil
    }

    /// Returns the file with texts behind its header; texts are ASCII.
    static func adding(_ texts: [(String, String)], to bytes: [UInt8]) -> [UInt8] {
        guard isPNG(bytes) else { return bytes }
        var result = Array(bytes[..<headerEnd])
        for (keyword, text) in texts {
            let chunk = Array("tEXt".utf8) + Array(keyword.utf8) + [0] + Array(text.utf8)
            result += bigEndian(UInt32(chunk.count - 4)) + chunk + bigEndian(checksum(chunk))
        }
        return result + bytes[headerEnd...]
    }

    private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Returns the CRC-32, as the PNG specification defines it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = sum & 1 == 1
                sum >>= 1
                if isOdd { sum ^= 0xEDB8_8320 }
            }
        }
        return ~sum
    }
}
