// UIImage: an image file's bytes, which nobody decodes.

public import Foundation

/// An image as its bytes. Safe to use from any thread. A shell: the bytes are kept and given back, not decoded, so that any will do and
/// `size` is not known.
public final class UIImage: NSObject, Sendable {
    private let bytes: Data

    /// Nil for no bytes at all.
    public init?(data: Data) {
        guard !data.isEmpty else { return nil }
        bytes = data
    }

    /// Nil when the file cannot be read.
    public convenience init?(contentsOfFile path: String) {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return nil }
        self.init(data: data)
    }

    /// The bytes as they were given, whatever their format. Ours: there is no encoder behind it.
    public var data: Data { bytes }
}
