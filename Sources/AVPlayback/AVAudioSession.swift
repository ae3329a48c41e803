// AVAudioSession: the session of a device without sound.

public import Foundation

/// The use of sound by a process. It keeps what is set; the device has no inputs and outputs.
open class AVAudioSession: NSObject, @unchecked Sendable {  // as Apple's: it is used on one thread
    /// The kind of use. It has no effect.
    public struct Category: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var ambient: Category { Category(rawValue: "AVAudioSessionCategoryAmbient") }
        public static var soloAmbient: Category { Category(rawValue: "AVAudioSessionCategorySoloAmbient") }
        public static var playback: Category { Category(rawValue: "AVAudioSessionCategoryPlayback") }
        public static var record: Category { Category(rawValue: "AVAudioSessionCategoryRecord") }
        public static var playAndRecord: Category { Category(rawValue: "AVAudioSessionCategoryPlayAndRecord") }
    }
    /// The mode of a use. It has no effect.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var `default`: Mode { Mode(rawValue: "AVAudioSessionModeDefault") }
        public static var measurement: Mode { Mode(rawValue: "AVAudioSessionModeMeasurement") }
        public static var moviePlayback: Mode { Mode(rawValue: "AVAudioSessionModeMoviePlayback") }
        public static var spokenAudio: Mode { Mode(rawValue: "AVAudioSessionModeSpokenAudio") }
        public static var voiceChat: Mode { Mode(rawValue: "AVAudioSessionModeVoiceChat") }
    }
    public struct CategoryOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var mixWithOthers: CategoryOptions { CategoryOptions(rawValue: 1) }
        public static var duckOthers: CategoryOptions { CategoryOptions(rawValue: 2) }
        public static var allowBluetooth: CategoryOptions { CategoryOptions(rawValue: 4) }
        public static var defaultToSpeaker: CategoryOptions { CategoryOptions(rawValue: 8) }
    }
    public struct SetActiveOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var notifyOthersOnDeactivation: SetActiveOptions { SetActiveOptions(rawValue: 1) }
    }
    public enum RecordPermission: UInt, Sendable {
        case undetermined = 1_970_168_948
        case denied = 1_684_369_017
        case granted = 1_735_552_628
    }

    private static let shared = AVAudioSession()
    open class func sharedInstance() -> AVAudioSession { shared }

    open private(set) var category = Category.soloAmbient
    open private(set) var mode = Mode.default
    open private(set) var categoryOptions: CategoryOptions = []
    open var outputVolume: Float { 0 }
    open var isOtherAudioPlaying: Bool { false }
    open var isInputAvailable: Bool { false }
    open var recordPermission: RecordPermission { .denied }

    open func setCategory(_ category: Category) throws { try setCategory(category, mode: mode, options: []) }
    open func setCategory(_ category: Category, options: CategoryOptions = []) throws {
        try setCategory(category, mode: mode, options: options)
    }
    open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        (self.category, self.mode, categoryOptions) = (category, mode, options)
    }
    open func setMode(_ mode: Mode) throws { self.mode = mode }

    /// Ends a use, and begins none.
    ///
    /// - Throws: for `true` the error that the device has no sound.
    open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        if active { throw Playback.refusal }
    }

    /// Calls the handler with false, on a global queue.
    open func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
        DispatchQueue.global().async { response(false) }
    }
}
