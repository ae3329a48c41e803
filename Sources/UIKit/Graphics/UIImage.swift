// UIImage: the bytes of an image file, which are never decoded.

public import Foundation

/// An image as its bytes. Safe to use from any thread.
///
/// A shell: the bytes are stored and returned without being decoded, so that any bytes will do. The size is known if
/// the header of a PNG, JPEG or GIF file tells it.
public final class UIImage: NSObject, Sendable {
    public enum Orientation: Int, Sendable {
        case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
    }
    public enum RenderingMode: Int, Sendable { case automatic, alwaysOriginal, alwaysTemplate }
    public enum ResizingMode: Int, Sendable { case tile, stretch }

    private let bytes: Data
    /// The pixels for each point. They have no effect.
    public let scale: CGFloat
    /// The size in points.
    public let size: CGSize
    public let imageOrientation: Orientation
    public let renderingMode: RenderingMode
    /// The name of an image that the system would have.
    let symbol: String?

    private init(
        _ bytes: Data, _ scale: CGFloat = 1, _ size: CGSize? = nil, _ orientation: Orientation = .up,
        _ mode: RenderingMode = .automatic, _ symbol: String? = nil
    ) {
        self.bytes = bytes
        self.scale = scale
        imageOrientation = orientation
        renderingMode = mode
        self.symbol = symbol
        let pixels = ImageHeader.size(of: bytes) ?? .zero
        self.size = size ?? CGSize(width: pixels.width / scale, height: pixels.height / scale)
    }

    /// Makes an empty image.
    public override convenience init() { self.init(Data()) }

    /// Makes an image. Nil if there are no bytes.
    public convenience init?(data: Data) { self.init(data: data, scale: 1) }

    public convenience init?(data: Data, scale: CGFloat) {
        guard !data.isEmpty else { return nil }
        self.init(data, scale)
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
        self.init(data)
    }

    /// Makes a symbol of any name, without bytes, 20 points wide and high (ours).
    public convenience init?(systemName name: String, withConfiguration configuration: Configuration? = nil) {
        guard !name.isEmpty else { return nil }
        self.init(Data(), 1, CGSize(width: 20, height: 20), .up, .automatic, name)
    }

    public convenience init(cgImage: CGImage) { self.init(cgImage: cgImage, scale: 1, orientation: .up) }
    public convenience init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
        self.init(cgImage.bytes, scale, nil, orientation)
    }

    /// Makes the image of a context: the bytes of the image drawn last, at the size of the context.
    convenience init(drawn: UIImage?, size: CGSize, scale: CGFloat) { self.init(drawn?.bytes ?? Data(), scale, size) }

    /// The original bytes, whatever their format. Ours: there is no encoder behind it.
    public var data: Data { bytes }
    /// Returns the original bytes; nil if there are none. Ours: nothing is encoded.
    public func pngData() -> Data? { bytes.isEmpty ? nil : bytes }
    /// Returns the original bytes; nil if there are none. Ours: nothing is encoded, whatever the quality.
    public func jpegData(compressionQuality: CGFloat) -> Data? { pngData() }

    public var cgImage: CGImage? { bytes.isEmpty ? nil : CGImage(bytes) }

    public func withRenderingMode(_ mode: RenderingMode) -> UIImage {
        UIImage(bytes, scale, size, imageOrientation, mode, symbol)
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

    /// Draws the image into the current context, which then yields this image.
    public func draw(in rect: CGRect) { GraphicsContexts.draw(self) }
    public func draw(at point: CGPoint) { GraphicsContexts.draw(self) }
    public func draw(in rect: CGRect, blendMode: CGBlendMode, alpha: CGFloat) { GraphicsContexts.draw(self) }

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

/// The bytes of an image under CoreGraphics's name. They are not decoded.
public final class CGImage: Sendable {
    let bytes: Data
    init(_ bytes: Data) { self.bytes = bytes }
    /// The width in pixels; 0 if the header does not tell.
    public var width: Int { Int(ImageHeader.size(of: bytes)?.width ?? 0) }
    public var height: Int { Int(ImageHeader.size(of: bytes)?.height ?? 0) }
    /// Returns the whole image: nothing is cropped.
    public func cropping(to rect: CGRect) -> CGImage? { self }
}

public enum CGBlendMode: Int32, Sendable {
    case normal, multiply, screen, overlay, darken, lighten, clear = 16, copy, sourceIn
}

public func UIImagePNGRepresentation(_ image: UIImage) -> Data? { image.pngData() }
public func UIImageJPEGRepresentation(_ image: UIImage, _ quality: CGFloat) -> Data? {
    image.jpegData(compressionQuality: quality)
}

/// A reader of the headers of PNG (ISO 15948, 11.2.2), GIF (GIF89a, 18) and JPEG (ITU-T T.81, B.2.2).
enum ImageHeader {
    /// Returns the size in pixels. Nil if the format is unknown.
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
