// ImageHeader: the size of an image from the first bytes of its file.

import Foundation

/// The headers of PNG (ISO 15948, 11.2.2), GIF (GIF89a, 18) and JPEG (ITU-T T.81, B.2.2).
enum ImageHeader {
    /// In pixels; nil where the bytes are of no known kind.
    static func size(of data: Data) -> CGSize? {
        let start = data.startIndex
        func number(_ offset: Int, _ length: Int) -> Int {
            (0..<length).reduce(0) { $0 << 8 | Int(data[start + offset + $1]) }
        }
        if data.count >= 24, data.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            return CGSize(width: number(16, 4), height: number(20, 4))
        }
        if data.count >= 10, data.starts(with: [0x47, 0x49, 0x46, 0x38]) {
            return CGSize(width: number(6, 2).byteSwapped16, height: number(8, 2).byteSwapped16)
        }
        guard data.count >= 4, data.starts(with: [0xFF, 0xD8]) else { return nil }
        var place = 2
        while place + 9 <= data.count, number(place, 1) == 0xFF {
            let marker = number(place + 1, 1)
            // A frame's header: all of SOF0 to SOF15 but DHT, JPG and DAC.
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                return CGSize(width: number(place + 7, 2), height: number(place + 5, 2))
            }
            place += marker == 0xFF ? 1 : 2 + number(place + 2, 2)
        }
        return nil
    }
}

extension Int {
    fileprivate var byteSwapped16: Int { self >> 8 | (self & 0xFF) << 8 }
}
