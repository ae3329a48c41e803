// RPBroadcastMP4ClipHandler: the principal class of an upload that gets clips, which no broadcast here makes.

public import Foundation

/// The principal class of an upload that gets clips, which Apple has replaced by samples.
///
/// A broadcast with such a class fails with `notSimulated`: nothing here encodes video. So no method is called.
open class RPBroadcastMP4ClipHandler: RPBroadcastHandler {
    /// Processes a clip. It is not called.
    ///
    /// - Parameters:
    ///   - mp4ClipURL: the file.
    ///   - setupInfo: the dictionary of the set-up; nil without one.
    ///   - finished: whether it is the last clip.
    open func processMP4Clip(with mp4ClipURL: URL?, setupInfo: [String: NSObject]?, finished: Bool) {}

    /// Reports that a clip is processed. It has no effect.
    ///
    /// - Parameters:
    ///   - broadcastConfiguration: the settings of the next clips; nil: those of before.
    ///   - error: the error that ends the broadcast; nil: it goes on.
    open func finishedProcessingMP4Clip(
        withUpdatedBroadcastConfiguration broadcastConfiguration: RPBroadcastConfiguration?, error: (any Error)?
    ) {}
}
