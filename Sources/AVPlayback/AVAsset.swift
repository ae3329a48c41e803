// AVAsset: a film or a sound, of which nothing but the file is known.

@_exported public import CoreMedia
@_exported public import Foundation

/// A film or a sound. Nothing reads the file.
open class AVAsset: NSObject, @unchecked Sendable {  // its property is constant
    private let file: URL?
    /// The length: 0, as of an asset that is not loaded.
    open var duration: CMTime { .zero }
    open var isPlayable: Bool { false }

    public override init() { file = nil }
    /// Makes an asset of a file.
    public init(url: URL) { file = url }

    /// The file.
    package var fileURL: URL? { file }
}

/// A film or a sound in a file. Nothing reads the file.
open class AVURLAsset: AVAsset, @unchecked Sendable {  // its property is constant
    public let url: URL

    /// - Parameters:
    ///   - url: the file.
    ///   - options: no effect.
    public init(url: URL, options: [String: Any]? = nil) {
        self.url = url
        super.init(url: url)
    }
}
