// AVPlayer, AVAudioPlayer: players that keep their values and play nothing.

public import CoreMedia
public import Foundation

public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

enum Playback {
    /// The error of whatever would play.
    static var refusal: NSError {
        NSError(
            domain: AVFoundationErrorDomain, code: -11800,
            userInfo: [NSLocalizedDescriptionKey: "notSimulated: this device plays neither films nor sounds"])
    }
}

/// A film or a sound that a player has. It fails when it is to be played.
open class AVPlayerItem: NSObject, @unchecked Sendable {  // as Apple's: it is used on one thread
    public enum Status: Int, Sendable { case unknown, readyToPlay, failed }

    public let asset: AVAsset
    open private(set) var status = Status.unknown
    open private(set) var error: (any Error)?
    open var duration: CMTime { .zero }
    open var preferredForwardBufferDuration: TimeInterval = 0

    public init(asset: AVAsset) { self.asset = asset }
    public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

    open func currentTime() -> CMTime { .zero }

    func fail() {
        guard status == .unknown else { return }
        (status, error) = (.failed, Playback.refusal)
        DispatchQueue.main.async {
            NotificationCenter.default.post(
                name: .AVPlayerItemFailedToPlayToEndTime, object: self,
                userInfo: [AVPlayerItemFailedToPlayToEndTimeErrorKey: Playback.refusal])
        }
    }
}

public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

extension NSNotification.Name {
    /// The notification of an item that was to be played.
    public static var AVPlayerItemFailedToPlayToEndTime: NSNotification.Name {
        NSNotification.Name("AVPlayerItemFailedToPlayToEndTimeNotification")
    }
    /// The notification of an item's end, which never comes: nothing is played.
    public static var AVPlayerItemDidPlayToEndTime: NSNotification.Name {
        NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")
    }
}

/// A player that keeps its item and plays nothing: an item that is to be played fails.
open class AVPlayer: NSObject, @unchecked Sendable {  // as Apple's: it is used on one thread
    public enum Status: Int, Sendable { case unknown, readyToPlay, failed }
    public enum TimeControlStatus: Int, Sendable { case paused, waitingToPlayAtSpecifiedRate, playing }
    public enum ActionAtItemEnd: Int, Sendable { case advance, pause, none }

    open private(set) var currentItem: AVPlayerItem?
    open var isMuted = false
    open var volume: Float = 1
    open var actionAtItemEnd = ActionAtItemEnd.pause
    open var allowsExternalPlayback = true
    open var automaticallyWaitsToMinimizeStalling = true
    /// The speed: 0. Another value plays, and fails.
    open var rate: Float {
        get { 0 }
        set { if newValue != 0 { play() } }
    }
    open var status: Status { .unknown }
    open var timeControlStatus: TimeControlStatus { .paused }
    open var error: (any Error)? { currentItem?.error }

    public override init() {}
    public init(playerItem item: AVPlayerItem?) { currentItem = item }
    public convenience init(url: URL) { self.init(playerItem: AVPlayerItem(url: url)) }

    open func replaceCurrentItem(with item: AVPlayerItem?) { currentItem = item }
    /// Lets the item fail.
    open func play() { currentItem?.fail() }
    /// Has no effect: nothing is played.
    open func pause() {}
    open func currentTime() -> CMTime { .zero }
    open func seek(to time: CMTime) {}
    /// Calls the handler with false on the main queue: the time does not change.
    open func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
        DispatchQueue.main.async { completionHandler(false) }
    }

    /// Returns a token. The block is never called: no time passes in the item.
    open func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any { NSObject() }
    open func removeTimeObserver(_ observer: Any) {}
}

/// The observer of a player of sounds. Every method has a body, in place of Objective-C's optional ones.
///
/// No method is called.
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
}

extension AVAudioPlayerDelegate {
    public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
    public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
}

/// A player of sounds that keeps its values and plays nothing: `play()` returns false.
open class AVAudioPlayer: NSObject, @unchecked Sendable {  // as Apple's: it is used on one thread
    open weak var delegate: (any AVAudioPlayerDelegate)?
    open private(set) var url: URL?
    open private(set) var data: Data?
    open var volume: Float = 1
    open var pan: Float = 0
    open var rate: Float = 1
    open var enableRate = false
    open var numberOfLoops = 0
    open var currentTime: TimeInterval = 0
    open var isMeteringEnabled = false
    open var duration: TimeInterval { 0 }
    open var isPlaying: Bool { false }
    open var numberOfChannels: Int { 0 }

    /// Makes a player of a file.
    ///
    /// - Throws: Foundation's error if the file cannot be read.
    public init(contentsOf url: URL) throws {
        _ = try FileHandle(forReadingFrom: url)
        self.url = url
    }
    public convenience init(contentsOf url: URL, fileTypeHint: String?) throws { try self.init(contentsOf: url) }
    /// Makes a player of bytes, which nothing reads.
    public init(data: Data) throws { self.data = data }

    @discardableResult open func prepareToPlay() -> Bool { false }
    @discardableResult open func play() -> Bool { false }
    @discardableResult open func play(atTime time: TimeInterval) -> Bool { false }
    /// Has no effect: nothing is played.
    open func pause() {}
    open func stop() {}
    open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) { self.volume = volume }
}
