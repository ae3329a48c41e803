// AVAsset: the film of an input, of which nothing but the file is known.

public import Foundation

/// A film or a sound. Apple declares it in AVFoundation, which is not simulated.
open class AVAsset: NSObject, @unchecked Sendable {}  // it has no state

/// A film or a sound in a file. Nothing reads the file.
open class AVURLAsset: AVAsset, @unchecked Sendable {  // its property is constant
    public let url: URL

    /// - Parameters:
    ///   - url: the file.
    ///   - options: no effect.
    public init(url: URL, options: [String: Any]? = nil) { self.url = url }
}
