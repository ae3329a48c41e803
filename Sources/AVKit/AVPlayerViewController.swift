// AVPlayerViewController: a controller that keeps its player and shows nothing.

@_exported public import AVFoundation
@_exported public import UIKit

/// The observer of a player's controller. No method is called.
@MainActor @preconcurrency public protocol AVPlayerViewControllerDelegate: NSObjectProtocol {}

/// A controller that keeps its player. Its view is empty: the player plays nothing.
@MainActor @preconcurrency open class AVPlayerViewController: UIViewController {
    open var player: AVPlayer?
    open weak var delegate: (any AVPlayerViewControllerDelegate)?
    /// The way the film fills the view. It has no effect.
    open var videoGravity = AVLayerVideoGravity.resizeAspect
    open var showsPlaybackControls = true
    open var allowsPictureInPicturePlayback = true
    open var updatesNowPlayingInfoCenter = true
    open var entersFullScreenWhenPlaybackBegins = false
    open var exitsFullScreenWhenPlaybackEnds = false
    open private(set) lazy var contentOverlayView: UIView? = UIView()
    /// Always false: nothing is shown.
    open var isReadyForDisplay: Bool { false }
    open var videoBounds: CGRect { .zero }
}
