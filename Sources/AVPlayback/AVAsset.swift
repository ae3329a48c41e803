// AVAsset: a film or a sound, of which nothing but the file is known.

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

public typealias CMTimeValue = Int64
public typealias CMTimeScale = Int32

/// A time as a fraction of seconds.
public struct CMTime: Sendable, Hashable, Comparable {
    public var value: CMTimeValue
    /// The parts of a second; 0 for a time that is not valid.
    public var timescale: CMTimeScale

    public init() { self.init(value: 0, timescale: 0) }
    public init(value: CMTimeValue, timescale: CMTimeScale) { (self.value, self.timescale) = (value, timescale) }
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        let value = CMTimeValue(exactly: (seconds * Double(preferredTimescale)).rounded())
        self.init(value: value ?? 0, timescale: value == nil ? 0 : preferredTimescale)
    }

    public static var zero: CMTime { CMTime(value: 0, timescale: 1) }
    public static var invalid: CMTime { CMTime(value: 0, timescale: 0) }
    public var isValid: Bool { timescale != 0 }
    public var seconds: Double { isValid ? Double(value) / Double(timescale) : .nan }

    public static func < (one: CMTime, other: CMTime) -> Bool { one.seconds < other.seconds }
}

public var kCMTimeZero: CMTime { .zero }
public var kCMTimeInvalid: CMTime { .invalid }
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }
