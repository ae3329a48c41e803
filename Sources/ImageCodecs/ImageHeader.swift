// ImageHeader: format, size and orientation, read from the bytes of a file without a library.

/// A format of image files.
public enum ImageFormat: Sendable, Hashable, CaseIterable {
    case jpeg, png

    /// The name of the format, as people write it.
    public var name: String { self == .jpeg ? "JPEG" : "PNG" }
    /// The library that decodes and encodes the format.
    public var library: ImageLibrary { self == .jpeg ? .jpeg : .png }

    /// Recognizes a format by the first bytes of a file; nil for another one.
    public init?(signatureOf bytes: UnsafeRawBufferPointer) {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else {
            return nil
        }
    }
}

/// The facts that the head of an image file tells. The pixels may still be damaged.
public struct ImageHeader: Sendable, Hashable {
    public let format: ImageFormat
    /// The width of the stored image in pixels, before it is turned upright.
    public let width: Int
    /// The height of the stored image in pixels.
    public let height: Int
    /// The EXIF orientation, 1 to 8; 1 if the file has none or one that is no orientation.
    public let orientation: UInt8

    /// Makes a header; each value is described at its property.
    public init(format: ImageFormat, width: Int, height: Int, orientation: UInt8 = 1) {
        (self.format, self.width, self.height, self.orientation) = (format, width, height, orientation)
    }

    /// The size of the upright image: from orientation 5 on, width and height change their places.
    public var uprightSize: (width: Int, height: Int) {
        orientation >= 5 ? (width: height, height: width) : (width: width, height: height)
    }

    /// Reads the header of a JPEG (ITU-T T.81, B.2.2) or PNG file (ISO 15948, 11.2.2).
    ///
    /// - Throws: `ImageCodecError.unknownFormat` or `.damaged`. Neither needs a library.
    public init(of bytes: UnsafeRawBufferPointer) throws(ImageCodecError) {
        guard let format = ImageFormat(signatureOf: bytes) else { throw .unknownFormat }
        let reader = ByteReader(bytes)
        let (size, orientation) = try format == .jpeg ? reader.jpeg() : reader.png()
        self.init(format: format, width: size.width, height: size.height, orientation: orientation)
    }
}

/// A reader of numbers at any place of the bytes: a place outside of them is nil.
struct ByteReader {
    let bytes: UnsafeRawBufferPointer
    var isLittleEndian = false

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Returns the number of `length` bytes, at most 4, at a place.
    func number(_ place: Int, _ length: Int) -> Int? {
        guard place >= 0, place <= bytes.count - length else { return nil }
        let part = bytes[place..<place + length]
        return isLittleEndian
            ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the bytes of a range, as far as there are any.
    func part(_ start: Int, _ length: Int) -> ByteReader {
        let start = min(max(start, 0), bytes.count)
        return ByteReader(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + max(length, 0), bytes.count)]))
    }
}

extension ByteReader {
    typealias Facts = (size: (width: Int, height: Int), orientation: UInt8)

    /// Reads the segments before the first scan: the frame header, and the orientation in Exif's APP1.
    func jpeg() throws(ImageCodecError) -> Facts {
        var (size, orientation): ((width: Int, height: Int)?, UInt8?)
        var place = 2
        while let prefix = number(place, 1), prefix == 0xFF, let marker = number(place + 1, 1), marker != 0xDA {
            // Fill bytes, and markers without a segment.
            if marker == 0xFF || marker == 1 || (0xD0...0xD8).contains(marker) {
                place += marker == 0xFF ? 1 : 2
                continue
            }
            guard let length = number(place + 2, 2), length >= 2 else { break }
            // A frame's header: all of SOF0 to SOF15 but DHT, JPG and DAC.
            if size == nil, (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker),
                let height = number(place + 5, 2), let width = number(place + 7, 2)
            {
                size = (width, height)
            }
            if marker == 0xE1, orientation == nil {
                let segment = part(place + 4, length - 2)
                if segment.bytes.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) {
                    orientation = segment.part(6, length).exifOrientation()
                }
            }
            place += 2 + length
        }
        guard let size else { throw .damaged(.jpeg, "it ends before the size of its image") }
        guard size.width > 0, size.height > 0 else { throw .damaged(.jpeg, "its image has no width or no height") }
        return (size, orientation ?? 1)
    }

    /// Reads the chunks: `IHDR`, and the orientation in `eXIf`, which may stand at any place.
    func png() throws(ImageCodecError) -> Facts {
        guard number(12, 4) == Self.chunk("IHDR"), let width = number(16, 4), let height = number(20, 4) else {
            throw .damaged(.png, "it does not begin with the size of its image")
        }
        let longest = Int(Int32.max)
        guard (1...longest).contains(width), (1...longest).contains(height) else {
            throw .damaged(.png, "its image has the size \(width) × \(height)")
        }
        var place = 8
        while let length = number(place, 4), let type = number(place + 4, 4), type != Self.chunk("IEND") {
            if type == Self.chunk("eXIf") { return ((width, height), part(place + 8, length).exifOrientation() ?? 1) }
            place += 12 + length
        }
        return ((width, height), 1)
    }

    /// Whether the chunks reach the last one: libpng itself stops after the last row.
    var hasPNGEnd: Bool {
        var place = 8
        while let length = number(place, 4), let type = number(place + 4, 4) {
            if type == Self.chunk("IEND") { return place + 12 + length <= bytes.count }
            place += 12 + length
        }
        return false
    }

    private static func chunk(_ name: StaticString) -> Int {
        UnsafeBufferPointer(start: name.utf8Start, count: 4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads the orientation of a TIFF structure (Exif 2.3, 4.5): tag 0x0112 of the first directory, 1 to 8.
    func exifOrientation() -> UInt8? {
        var tiff = self
        switch number(0, 2) {
        case 0x4949: tiff.isLittleEndian = true
        case 0x4D4D: tiff.isLittleEndian = false
        default: return nil
        }
        guard tiff.number(2, 2) == 42, let directory = tiff.number(4, 4), let count = tiff.number(directory, 2) else {
            return nil
        }
        for index in 0..<count {
            let entry = directory + 2 + 12 * index
            guard let tag = tiff.number(entry, 2) else { return nil }
            guard tag == 0x0112 else { continue }
            // The type is SHORT; some writers use LONG.
            let isShort = tiff.number(entry + 2, 2) == 3
            guard isShort || tiff.number(entry + 2, 2) == 4, tiff.number(entry + 4, 4) == 1,
                let value = tiff.number(entry + 8, isShort ? 2 : 4), (1...8).contains(value)
            else { return nil }
            return UInt8(value)
        }
        return nil
    }

    /// The segment APP1 of a JPEG file with nothing but an orientation.
    static func exifSegment(_ orientation: UInt8) -> [UInt8] {
        let exif: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
        let tiff: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1]
        let entry: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
        return [0xFF, 0xE1, 0, 36 - 2] + exif + tiff + entry + [0, 0, 0, 0]
    }
}
