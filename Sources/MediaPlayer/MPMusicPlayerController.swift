// MPMusicPlayerController, MPMediaLibrary: the music of a device on which no app may hear it.

public import Foundation

/// Whether an app may read the library. Here it is always denied.
public enum MPMediaLibraryAuthorizationStatus: Int, Sendable { case notDetermined, denied, restricted, authorized }

/// The library of a device on which no app may read it.
///
/// Safe to use from any thread.
open class MPMediaLibrary: NSObject, @unchecked Sendable {  // has no state
    private static let shared = MPMediaLibrary()

    open class func `default`() -> MPMediaLibrary { shared }
    /// Returns `denied`.
    open class func authorizationStatus() -> MPMediaLibraryAuthorizationStatus { .denied }

    /// Answers that access is denied: nobody is asked.
    ///
    /// - Parameter handler: called on another thread, with `denied`.
    open class func requestAuthorization(
        _ handler: @escaping @Sendable (MPMediaLibraryAuthorizationStatus) -> Void
    ) {
        DispatchQueue.global().async { handler(.denied) }
    }
}

/// The states of a player.
public enum MPMusicPlaybackState: Int, Sendable {
    case stopped, playing, paused, interrupted, seekingForward, seekingBackward
}

public enum MPMusicRepeatMode: Int, Sendable { case `default`, none, one, all }
public enum MPMusicShuffleMode: Int, Sendable { case `default`, off, songs, albums }

/// The controls of a player.
public protocol MPMediaPlayback {
    var isPreparedToPlay: Bool { get }
    /// The place in the item, in seconds.
    var currentPlaybackTime: TimeInterval { get set }
    var currentPlaybackRate: Float { get set }
    func prepareToPlay()
    func play()
    func pause()
    func stop()
}

/// A player without music: it has no item, stays stopped, and posts no notification. It keeps its modes.
open class MPMusicPlayerController: NSObject, MPMediaPlayback, @unchecked Sendable {  // as Apple's: on the main thread
    private static let system = MPMusicPlayerController()
    private static let application = MPMusicPlayerController()

    /// The player of the app Music.
    open class var systemMusicPlayer: MPMusicPlayerController { system }
    /// The player of this app.
    open class var applicationMusicPlayer: MPMusicPlayerController { application }

    /// Nil. Another value has no effect.
    open var nowPlayingItem: MPMediaItem? {
        get { nil }
        set {}
    }
    open var playbackState: MPMusicPlaybackState { .stopped }
    open var repeatMode = MPMusicRepeatMode.default
    open var shuffleMode = MPMusicShuffleMode.default
    open var isPreparedToPlay: Bool { false }
    /// 0: there is no item. Another value has no effect.
    open var currentPlaybackTime: TimeInterval {
        get { 0 }
        set {}
    }
    /// 0: nothing is played. Another value has no effect.
    open var currentPlaybackRate: Float {
        get { 0 }
        set {}
    }

    // None of these has an effect: there is no music.
    open func prepareToPlay() {}
    open func play() {}
    open func pause() {}
    open func stop() {}
    open func skipToNextItem() {}
    open func skipToBeginning() {}
    open func skipToPreviousItem() {}
    open func beginGeneratingPlaybackNotifications() {}
    open func endGeneratingPlaybackNotifications() {}
}

extension NSNotification.Name {
    /// The notification of another item, which never comes.
    public static var MPMusicPlayerControllerNowPlayingItemDidChange: NSNotification.Name {
        NSNotification.Name("MPMusicPlayerControllerNowPlayingItemDidChangeNotification")
    }
    /// The notification of another state, which never comes.
    public static var MPMusicPlayerControllerPlaybackStateDidChange: NSNotification.Name {
        NSNotification.Name("MPMusicPlayerControllerPlaybackStateDidChangeNotification")
    }
}
