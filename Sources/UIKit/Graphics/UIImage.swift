// UIImage: an image as the bytes of its file or as pixels, each made of the other when it is needed.

public import Foundation
import ImageCodecs

/// An image. Safe to use from any thread.
///
/// JPEG and PNG files are decoded and encoded by the system's libraries, and not before the pixels are needed. Other
/// bytes are stored and returned as they are. The size is known if the header of a PNG, JPEG or GIF file tells it.
/// Nothing is drawn, tinted or resized but in a `CGContext` with rows of pixels.
public final class UIImage: NSObject, Sendable {
    public enum Orientation: Int, Sendable {
        case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
    }
    public enum RenderingMode: Int, Sendable { case automatic, alwaysOriginal, alwaysTemplate }
    public enum ResizingMode: Int, Sendable { case tile, stretch }

    private let content: ImageContent
    /// The pixels for each point.
    public let scale: CGFloat
    /// The size in points, with the orientation applied. Only the header is read for it.
    public let size: CGSize
    /// The orientation in which the pixels are to be seen; that of the file's EXIF data, if nothing else was given.
    public let imageOrientation: Orientation
    public let renderingMode: RenderingMode
    /// The name of an image that the system would have.
    let symbol: String?

    private init(
        _ content: ImageContent, _ scale: CGFloat = 1, _ size: CGSize? = nil, _ orientation: Orientation? = nil,
        _ mode: RenderingMode = .automatic, _ symbol: String? = nil
    ) {
        self.content = content
        self.scale = scale
        let orientation = orientation ?? Orientation(exif: content.orientation)
        imageOrientation = orientation
        renderingMode = mode
        self.symbol = symbol
        let pixels =
            orientation.exif >= 5 ? CGSize(width: content.size.height, height: content.size.width) : content.size
        self.size = size ?? CGSize(width: pixels.width / scale, height: pixels.height / scale)
    }

    /// Makes an empty image.
    public override convenience init() { self.init(ImageContent(Data())) }

    /// Makes an image of the bytes of a file, which is decoded when its pixels are needed. Nil if there are no bytes.
    ///
    /// Ours: any bytes will do. Pixels come from JPEG and PNG files; other bytes only travel.
    public convenience init?(data: Data) { self.init(data: data, scale: 1) }

    public convenience init?(data: Data, scale: CGFloat) {
        guard !data.isEmpty else { return nil }
        self.init(ImageContent(data), scale)
    }

    /// Makes an image of a file. Nil if the file cannot be read.
    public convenience init?(contentsOfFile path: String) {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return nil }
        self.init(data: data)
    }

    /// Makes the image of that name from the bundle or from an asset catalogue in it. Nil if there is none.
    public convenience init?(
        named name: String, in bundle: Bundle? = nil, compatibleWith traitCollection: UITraitCollection? = nil
    ) {
        guard let data = AssetCatalog(bundle).image(name) else { return nil }
        self.init(ImageContent(data))
    }

    /// Makes a symbol of any name, without bytes, 20 points wide and high (ours).
    public convenience init?(systemName name: String, withConfiguration configuration: Configuration? = nil) {
        guard !name.isEmpty else { return nil }
        self.init(ImageContent(Data()), 1, CGSize(width: 20, height: 20), .up, .automatic, name)
    }

    public convenience init(cgImage: CGImage) { self.init(cgImage: cgImage, scale: 1, orientation: .up) }
    public convenience init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
        self.init(ImageContent(cgImage), scale, nil, orientation)
    }

    /// Makes the image of a context: the image drawn last, upright, at the size of the context.
    convenience init(drawn: UIImage?, size: CGSize, scale: CGFloat) {
        let content = drawn.map { $0.content.upright(from: $0.imageOrientation.exif) }
        self.init(content ?? ImageContent(Data()), scale, size, .up)
    }

    /// The bytes of the file that the image was made of. Ours. An image of pixels is written as PNG.
    public var data: Data { content.file.isEmpty ? pngData() ?? Data() : content.file }

    /// The format of the file, if it can be decoded.
    var format: ImageFormat? { content.format }

    /// Returns a PNG file of the pixels as they are stored, without the orientation (from memory).
    ///
    /// Nil if there are no pixels. Ours: bytes that are no JPEG or PNG file are returned as they are, and so is a PNG
    /// file that cannot be decoded, also because the library is missing.
    public func pngData() -> Data? { encoded(.png, 1) }

    /// Returns a JPEG file of the pixels as they are stored, with the orientation as EXIF data.
    ///
    /// Nil if there are no pixels. Ours: bytes that are no JPEG or PNG file are returned as they are, and so is a JPEG
    /// file that cannot be decoded, also because the library is missing.
    ///
    /// - Parameter compressionQuality: 0 (smallest) to 1 (best).
    public func jpegData(compressionQuality: CGFloat) -> Data? { encoded(.jpeg, compressionQuality) }

    private func encoded(_ format: ImageFormat, _ quality: CGFloat) -> Data? {
        let orientation = imageOrientation.exif
        let file = cgImage.flatMap { image in
            ImageContent.reported(format) { () throws(ImageCodecError) in
                try image.withPixels { (pixels) throws(ImageCodecError) in
                    try ImageCodec.encode(pixels, as: format, quality: quality, orientation: orientation)
                }
            }
        }
        if let file { return Data(file) }
        return content.file.isEmpty || ![nil, format].contains(content.format) ? nil : content.file
    }

    /// The pixels as they are stored: the orientation is not applied. Decoded at the first use, and kept.
    ///
    /// Nil for other bytes than JPEG and PNG files. Nil also for a damaged file and without the library; the reason is
    /// written to standard error then.
    public var cgImage: CGImage? { content.image }

    public func withRenderingMode(_ mode: RenderingMode) -> UIImage {
        UIImage(content, scale, size, imageOrientation, mode, symbol)
    }
    public func withTintColor(_ color: UIColor) -> UIImage { self }
    public func withTintColor(_ color: UIColor, renderingMode: RenderingMode) -> UIImage {
        withRenderingMode(renderingMode)
    }
    public func withConfiguration(_ configuration: Configuration) -> UIImage { self }
    public func resizableImage(withCapInsets insets: UIEdgeInsets, resizingMode: ResizingMode = .tile) -> UIImage {
        self
    }
    public func preparingThumbnail(of size: CGSize) -> UIImage? { UIImage(drawn: self, size: size, scale: scale) }

    /// Draws the image into the current context, scaled. A shell then yields this image.
    public func draw(in rect: CGRect) { GraphicsContexts.draw(self, in: rect) }
    public func draw(at point: CGPoint) { draw(in: CGRect(origin: point, size: size)) }
    public func draw(in rect: CGRect, blendMode: CGBlendMode, alpha: CGFloat) {
        GraphicsContexts.draw(self, in: rect, blendMode, alpha: alpha)
    }
    public func draw(at point: CGPoint, blendMode: CGBlendMode, alpha: CGFloat) {
        draw(in: CGRect(origin: point, size: size), blendMode: blendMode, alpha: alpha)
    }

    /// The pixels with the orientation applied.
    var uprightImage: CGImage? {
        guard let image = cgImage, imageOrientation != .up else { return cgImage }
        return image.upright(from: imageOrientation.exif)
    }

    /// The look of a symbol. It has no effect.
    public class Configuration: NSObject, @unchecked Sendable {}  // has no state

    public final class SymbolConfiguration: Configuration, @unchecked Sendable {
        public convenience init(pointSize: CGFloat, weight: SymbolWeight = .regular, scale: SymbolScale = .default) {
            self.init()
        }
        public convenience init(font: UIFont) { self.init() }
        public convenience init(textStyle: UIFont.TextStyle) { self.init() }
        public convenience init(scale: SymbolScale) { self.init() }
        public convenience init(weight: SymbolWeight) { self.init() }
    }

    public enum SymbolWeight: Int, Sendable {
        case unspecified, ultraLight, thin, light, regular, medium, semibold, bold, heavy, black
    }
    public enum SymbolScale: Int, Sendable { case `default` = -1, unspecified, small, medium, large }
}

public enum CGBlendMode: Int32, Sendable {
    case normal, multiply, screen, overlay, darken, lighten, clear = 16, copy, sourceIn
}

public func UIImagePNGRepresentation(_ image: UIImage) -> Data? { image.pngData() }
public func UIImageJPEGRepresentation(_ image: UIImage, _ quality: CGFloat) -> Data? {
    image.jpegData(compressionQuality: quality)
}

extension UIImage: NSItemProviderReading, NSItemProviderWriting {
    /// The readable type: any image. So the provider's first image is read, and not a conversion of it.
    public static var readableTypeIdentifiersForItemProvider: [String] { ["public.image"] }
    /// The writable types: PNG, which loses nothing, then JPEG.
    public static var writableTypeIdentifiersForItemProvider: [String] { ["public.png", "public.jpeg"] }

    /// The writable types of this image: that of its file first, whose bytes are not changed.
    public var writableTypeIdentifiersForItemProvider: [String] {
        switch format {
        case .jpeg: ["public.jpeg", "public.png"]
        case nil where cgImage == nil: ["public.image"]
        default: ["public.png", "public.jpeg"]
        }
    }

    /// Makes an image of the bytes of a file. Ours: any bytes will do, as for `init(data:)`.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        guard let image = Self(data: data) else {
            throw NSItemProvider.error(.unavailableCoercionError, "An image of type \(typeIdentifier) has no bytes.")
        }
        return image
    }

    /// Writes the file of the image, or encodes its pixels; returns `nil`, as the work is done by then.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        let isOwn = typeIdentifier == writableTypeIdentifiersForItemProvider.first && format != nil
        let isJPEG = typeIdentifier == "public.jpeg"
        if let file = isOwn ? data : isJPEG ? jpegData(compressionQuality: 0.9) : pngData() {
            completionHandler(file, nil)
        } else {
            let reason = "The image cannot be written as \(typeIdentifier): it has no pixels, or a library is missing."
            completionHandler(nil, NSItemProvider.error(.itemUnavailableError, reason))
        }
        return nil
    }
}
