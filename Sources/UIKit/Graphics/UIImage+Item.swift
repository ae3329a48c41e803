// UIImage+Item: images as objects that item providers read and write.

public import Foundation
import ImageCodecs

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
