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

    /// Gives the picture of the data, of a file's URL or of a name, on a global queue; nil for an address of the network.
    ///
    /// - Parameter completion: gets the picture.
    public func fetchUIImage(completion: @escaping (UIImage?) -> Void) {
        nonisolated(unsafe) let completion = completion  // called once, on another thread as on Apple's systems
        DispatchQueue.global().async { [data, url, name] in
            let found = data ?? url.flatMap { $0.isFileURL ? try? Data(contentsOf: $0) : nil }
            completion(found.map { UIImage(data: $0) } ?? name.flatMap { UIImage(named: $0) })
        }
    }
}
