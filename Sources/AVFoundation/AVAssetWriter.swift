// AVAssetWriter: a writer of films, which has no encoder here.

public import CoreMedia
public import Foundation

/// The kind of a file.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public static let mp4 = AVFileType("public.mpeg-4")
    public static let mov = AVFileType("com.apple.quicktime-movie")
    public static let m4v = AVFileType("com.apple.m4v-video")
    public static let m4a = AVFileType("com.apple.m4a-audio")
}

/// The kind of a track.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public static let video = AVMediaType("vide")
    public static let audio = AVMediaType("soun")
}

/// The form of encoded pictures.
public struct AVVideoCodecType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let h264 = AVVideoCodecType(rawValue: "avc1")
    public static let hevc = AVVideoCodecType(rawValue: "hvc1")
    public static let jpeg = AVVideoCodecType(rawValue: "jpeg")
}

/// A track of a writer. It takes no samples, because nothing encodes them.
open class AVAssetWriterInput: NSObject, @unchecked Sendable {  // as Apple's: its user decides about threads
    public let mediaType: AVMediaType
    public let outputSettings: [String: Any]?
    open var expectsMediaDataInRealTime = false
    open var isReadyForMoreMediaData: Bool { false }

    /// - Parameters:
    ///   - mediaType: the kind of the track.
    ///   - outputSettings: kept only.
    public init(mediaType: AVMediaType, outputSettings: [String: Any]?) {
        (self.mediaType, self.outputSettings) = (mediaType, outputSettings)
    }

    /// Returns false: the sample is dropped.
    @discardableResult open func append(_ sampleBuffer: CMSampleBuffer) -> Bool { false }
    open func markAsFinished() {}
}

/// A writer of films without an encoder: it fails when it is to write, and makes no file.
open class AVAssetWriter: NSObject, @unchecked Sendable {  // as Apple's: its user decides about threads
    public enum Status: Int, Sendable { case unknown, writing, completed, failed, cancelled }

    public let outputURL: URL
    public let outputFileType: AVFileType
    open private(set) var status = Status.unknown
    open private(set) var error: (any Error)?
    open private(set) var inputs: [AVAssetWriterInput] = []
    open var shouldOptimizeForNetworkUse = false

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - outputURL: a file that does not exist yet.
    ///   - outputFileType: the kind of the file.
    /// - Throws: `CocoaError.fileWriteUnsupportedScheme` for a URL of another scheme than `file`.
    public init(outputURL: URL, fileType outputFileType: AVFileType) throws {
        guard outputURL.isFileURL else { throw CocoaError(.fileWriteUnsupportedScheme) }
        (self.outputURL, self.outputFileType) = (outputURL, outputFileType)
    }
    /// Makes a writer, as `init(outputURL:fileType:)`.
    public convenience init(url outputURL: URL, fileType outputFileType: AVFileType) throws {
        try self.init(outputURL: outputURL, fileType: outputFileType)
    }

    open func canAdd(_ input: AVAssetWriterInput) -> Bool { status == .unknown }
    open func add(_ input: AVAssetWriterInput) { inputs.append(input) }

    /// Fails: there is no encoder.
    ///
    /// - Returns: false. The words of `error` begin with `notSimulated`.
    @discardableResult open func startWriting() -> Bool {
        guard status == .unknown else { return false }
        status = .failed
        error = NSError(
            domain: AVFoundationErrorDomain, code: -11800,
            userInfo: [NSLocalizedDescriptionKey: "notSimulated: nothing encodes films here"])
        return false
    }

    /// Has no effect: nothing is written.
    open func startSession(atSourceTime startTime: CMTime) {}
    /// Has no effect: nothing is written.
    open func endSession(atSourceTime endTime: CMTime) {}
    open func cancelWriting() { if status == .unknown { status = .cancelled } }

    /// Calls the handler on another thread: nothing is written.
    open func finishWriting(completionHandler handler: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async { handler() }
    }
}
