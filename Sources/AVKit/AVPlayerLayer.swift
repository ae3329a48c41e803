// AVPlayerLayer: a layer that keeps its player and shows nothing.

public import AVFoundation
public import UIKit

/// The way a film fills its layer. It has no effect.
public struct AVLayerVideoGravity: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var resize: AVLayerVideoGravity { AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResize") }
    public static var resizeAspect: AVLayerVideoGravity {
        AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResizeAspect")
    }
    public static var resizeAspectFill: AVLayerVideoGravity {
        AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResizeAspectFill")
    }
}

/// A layer that keeps its player. Apple has it in AVFoundation, which here does not include layers.
@MainActor @preconcurrency open class AVPlayerLayer: CALayer {
    open var player: AVPlayer?
    open var videoGravity = AVLayerVideoGravity.resizeAspect
    /// Always false: nothing is shown.
    open var isReadyForDisplay: Bool { false }

    public convenience init(player: AVPlayer?) {
        self.init()
        self.player = player
    }
}
