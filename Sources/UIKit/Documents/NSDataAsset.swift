// NSDataAsset: the bytes of a data set in an asset catalogue.

public import Foundation

/// The bytes of a data set (`NAME.dataset`) in a catalogue of a bundle. Safe to use from any thread.
open class NSDataAsset: NSObject, @unchecked Sendable {  // its properties are constant
    /// The name of the data set.
    public let name: String
    /// The bytes of its first file.
    public let data: Data
    /// The uniform type identifier that the catalogue gives; `public.data` if it gives none.
    public let typeIdentifier: String

    /// Reads a data set of the main bundle. Blocks.
    ///
    /// - Parameter name: the name.
    /// - Returns: nil if there is none.
    public convenience init?(name: String) { self.init(name: name, bundle: .main) }

    /// Reads a data set. Blocks.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - bundle: the bundle with the catalogue.
    /// - Returns: nil if there is none.
    public init?(name: String, bundle: Bundle) {
        guard let asset = AssetCatalog(bundle).data(name) else { return nil }
        (self.name, data, typeIdentifier) = (name, asset.data, asset.type)
    }
}
