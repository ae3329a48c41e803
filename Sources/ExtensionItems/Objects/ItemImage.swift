// ItemImage: an image as its encoded bytes, without decoding or drawing.

public import Foundation

/// An image in place of Apple's UIImage or NSImage: the bytes as they were stored, and the requested size.
public final class ItemImage: NSObject, Sendable {
    /// The image in its file format.
    public let data: Data
    /// The size that the reader requested, in pixels; the image may have another.
    public let preferredSize: CGSize?

    /// Makes an image of encoded bytes.
    public init(data: Data, preferredSize: CGSize? = nil) {
        self.data = data
        self.preferredSize = preferredSize
    }
}

/// Returns the value of `NSItemProviderPreferredImageSizeKey`; nil if there is none, or one that is no size.
///
/// The value is a `CGSize`, or width and height in an array or a dictionary (`Width`, `Height`), as property lists have
/// it.
func preferredImageSize(in options: [AnyHashable: Any]) -> CGSize? {
    let size: CGSize
    switch options[NSItemProviderPreferredImageSizeKey] {
    case let given as CGSize: size = given
    case let pair as [Double] where pair.count == 2: size = CGSize(width: pair[0], height: pair[1])
    case let entries as [String: Double]:
        guard let width = entries["Width"], let height = entries["Height"] else { return nil }
        size = CGSize(width: width, height: height)
    default: return nil
    }
    guard size.width > 0, size.height > 0, size.width.isFinite, size.height.isFinite else { return nil }
    return size
}
