// ImageCodecError: the reasons why an image cannot be read or written.

/// A library that decodes and encodes a format.
public struct ImageLibrary: Sendable, Hashable {
    /// The file name, such as `libpng16.so.16`.
    public let file: String
    /// The Debian package that has it.
    public let package: String

    /// The library for JPEG.
    public static let jpeg = ImageLibrary(file: "libturbojpeg.so.0", package: "libturbojpeg0")
    /// The library for PNG.
    public static let png = ImageLibrary(file: "libpng16.so.16", package: "libpng16-16")
}

/// The reason why an image cannot be read or written.
public enum ImageCodecError: Error, Sendable, Hashable {
    /// The library cannot be loaded; with the dynamic linker's words.
    case libraryMissing(ImageLibrary, String)
    /// The bytes begin as neither a JPEG nor a PNG file.
    case unknownFormat
    /// The file is damaged or cut; with the decoder's words.
    case damaged(ImageFormat, String)
    /// The image has more pixels than `ImageCodec.mostPixels`.
    case tooLarge(width: Int, height: Int)
    /// The machine has no memory for the pixels.
    case noMemory
    /// The given pixels or numbers are not an image.
    case invalid(String)
}

extension ImageCodecError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .libraryMissing(let library, let words):
            "\(library.file) cannot be loaded (\(words)): apt install \(library.package)"
        case .unknownFormat: "the bytes are neither a JPEG nor a PNG file"
        case .damaged(let format, let words): "the \(format.name) file cannot be decoded: \(words)"
        case .tooLarge(let width, let height):
            "the image has \(width) × \(height) pixels, and more than \(ImageCodec.mostPixels) are not decoded"
        case .noMemory: "there is no memory for the pixels"
        case .invalid(let words): words
        }
    }
}
