// StickerSides: the sides of the images that stickers can be.

/// Returns the sides of a PNG, GIF or JPEG image in pixels, by the head of its file; nil for other data.
public func stickerSides(of bytes: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
    guard bytes.starts(with: Array("GIF8".utf8)) else {
        return (try? ImageHeader(of: bytes)).map { ($0.width, $0.height) }
    }
    guard bytes.count >= 10 else { return nil }
    return (Int(bytes[6]) | Int(bytes[7]) << 8, Int(bytes[8]) | Int(bytes[9]) << 8)
}
