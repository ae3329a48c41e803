// ImageCodec: JPEG and PNG files to pixels and back, by the system's libturbojpeg and libpng.

internal import CImageCodecs
internal import Glibc

/// The decoder and encoder of image files.
///
/// The libraries are loaded at the first use of their format. All functions may be called from any thread; they take
/// as long as the image is large. A host does not decode a stranger's image itself: `ImageInspector` of
/// `PointHosts` lets a confined process do it.
public enum ImageCodec {
    /// The largest number of pixels that is decoded or encoded (ours): 256 MiB of rows.
    public static let mostPixels = 1 << 26

    /// Reads the header of a file, without a library.
    ///
    /// - Throws: `ImageCodecError.unknownFormat` or `.damaged`.
    public static func header(of bytes: [UInt8]) throws(ImageCodecError) -> ImageHeader {
        try withBytes(bytes) { (bytes) throws(ImageCodecError) in try ImageHeader(of: bytes) }
    }

    /// Decodes a whole file.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - longestSide: the side to which a larger image is scaled, in pixels; nil for none. JPEG is scaled while it
    ///     is decoded, so that the full size is never in memory.
    /// - Returns: the stored pixels: the orientation is not applied.
    /// - Throws: each case of `ImageCodecError`. A cut file is damaged.
    public static func decode(_ bytes: [UInt8], longestSide: Int? = nil) throws(ImageCodecError) -> Pixels {
        try withBytes(bytes) { (bytes) throws(ImageCodecError) in try decode(bytes, longestSide: longestSide) }
    }

    /// Decodes a whole file from memory of any kind; otherwise the same as for an array.
    ///
    /// - Parameters:
    ///   - bytes: the file, which must not change meanwhile.
    ///   - longestSide: the side to which a larger image is scaled, in pixels; nil for none.
    public static func decode(_ bytes: UnsafeRawBufferPointer, longestSide: Int? = nil) throws(ImageCodecError)
        -> Pixels
    {
        let header = try ImageHeader(of: bytes)
        try check(header.width, header.height)
        if let longestSide, longestSide < 1 { throw .invalid("\(longestSide) is not a length of a side") }
        var image = exthost_image()
        let file = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
        let (width, height) = (Int32(header.width), Int32(header.height))
        switch header.format {
        case .jpeg:
            exthost_jpeg_decode(file, bytes.count, width, height, Int32(clamping: longestSide ?? 0), &image)
        case .png:
            // libpng names what is wrong with the rows; it does not look for the end behind them.
            exthost_png_decode(file, bytes.count, width, height, &image)
            if image.status == EXTHOST_IMAGE_DONE, !ByteReader(bytes).hasPNGEnd {
                free(image.bytes)
                throw .damaged(.png, "it ends before its last chunk")
            }
        }
        let memory = try memory(of: image, header.format)
        let pixels = try Pixels(width: Int(image.width), height: Int(image.height), memory: memory)
        return try longestSide.map { (side) throws(ImageCodecError) in try pixels.scaled(toLongestSide: side) }
            ?? pixels
    }

    /// Encodes an image.
    ///
    /// - Parameters:
    ///   - pixels: the image.
    ///   - format: the format of the file. JPEG has no alpha: transparent pixels become white.
    ///   - quality: 0 to 1 for JPEG; PNG loses nothing. Values outside are taken as the nearest one.
    ///   - orientation: the EXIF orientation to write; JPEG only, and 1 writes none.
    /// - Returns: the file.
    /// - Throws: `ImageCodecError.libraryMissing`, `.noMemory`, or `.damaged` with the encoder's words.
    public static func encode(
        _ pixels: Pixels, as format: ImageFormat, quality: Double = 0.9, orientation: UInt8 = 1
    ) throws(ImageCodecError) -> [UInt8] {
        var image = exthost_image()
        let (width, height) = (Int32(pixels.width), Int32(pixels.height))
        switch format {
        case .jpeg:
            // min and max would let a value pass that is not a number.
            let percent = quality > 0 ? (quality < 1 ? Int32(quality * 100) : 100) : 1
            exthost_jpeg_encode(pixels.base, width, height, max(1, percent), &image)
        case .png: exthost_png_encode(pixels.base, width, height, &image)
        }
        let file = try withExtendedLifetime(pixels.memory) { () throws(ImageCodecError) in try memory(of: image, format)
        }
        guard format == .jpeg, (2...8).contains(orientation) else { return Array(file.bytes) }
        return [0xFF, 0xD8] + ByteReader.exifSegment(orientation) + file.bytes.dropFirst(2)
    }

    /// Loads the library of a format.
    ///
    /// - Throws: `ImageCodecError.libraryMissing`.
    public static func load(_ format: ImageFormat) throws(ImageCodecError) {
        var image = exthost_image()
        let isLoaded = format == .jpeg ? exthost_jpeg_load(&image) : exthost_png_load(&image)
        if !isLoaded { throw error(image, format) }
    }

    /// Checks a size before memory is taken for it.
    static func check(_ width: Int, _ height: Int) throws(ImageCodecError) {
        guard width > 0, height > 0 else { throw .invalid("\(width) × \(height) is no size of an image") }
        let (count, overflows) = width.multipliedReportingOverflow(by: height)
        guard !overflows, count <= mostPixels else { throw .tooLarge(width: width, height: height) }
    }

    private static func memory(of image: exthost_image, _ format: ImageFormat) throws(ImageCodecError) -> PixelMemory {
        guard image.status == EXTHOST_IMAGE_DONE, let bytes = image.bytes else { throw error(image, format) }
        return PixelMemory(taking: UnsafeRawBufferPointer(start: bytes, count: image.count)) {
            free(UnsafeMutableRawPointer(mutating: $0.baseAddress))
        }
    }

    private static func error(_ image: exthost_image, _ format: ImageFormat) -> ImageCodecError {
        let words = withUnsafeBytes(of: image.words) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return switch image.status {
        case EXTHOST_IMAGE_LIBRARY_MISSING: .libraryMissing(format.library, words)
        case EXTHOST_IMAGE_NO_MEMORY: .noMemory
        default: .damaged(format, words)
        }
    }

    private static func withBytes<Value>(
        _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(ImageCodecError) -> Value
    ) throws(ImageCodecError) -> Value {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ImageCodecError) in try body(bytes) }
        }
        return try result.get()
    }
}
