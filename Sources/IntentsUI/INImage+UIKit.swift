// INImage+UIKit: pictures of intents out of those of UIKit.

public import Intents
public import UIKit

extension INImage {
    /// Makes a picture that travels as PNG.
    ///
    /// - Parameter uiImage: the picture.
    public convenience init(uiImage: UIImage) { self.init(imageData: uiImage.pngData() ?? Data()) }

    /// Makes a picture that travels as PNG.
    ///
    /// - Parameter cgImage: the picture.
    public convenience init(cgImage: CGImage) { self.init(uiImage: UIImage(cgImage: cgImage)) }
}
