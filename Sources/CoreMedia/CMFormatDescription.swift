// CMFormatDescription: the format of samples.

public import CoreAudioTypes
public import CoreVideo

public typealias CMMediaType = UInt32
public typealias CMVideoFormatDescription = CMFormatDescription
public typealias CMAudioFormatDescription = CMFormatDescription
public typealias CMVideoCodecType = UInt32

public let kCMMediaType_Video: CMMediaType = 0x7669_6465
public let kCMMediaType_Audio: CMMediaType = 0x736f_756e

/// The width and height of video in pixels.
public struct CMVideoDimensions: Sendable, Hashable {
    public var width: Int32
    public var height: Int32
    public init() { (width, height) = (0, 0) }
    public init(width: Int32, height: Int32) { (self.width, self.height) = (width, height) }
}

// Unchecked: `init` writes the memory, and all others only read it.
/// A format of video or of sound.
public final class CMFormatDescription: @unchecked Sendable {
    /// The kind of samples.
    public struct MediaType: RawRepresentable, Sendable, Hashable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let video = MediaType(rawValue: kCMMediaType_Video)
        public static let audio = MediaType(rawValue: kCMMediaType_Audio)
    }

    /// The code of a pixel format, or of a format of sound.
    public struct MediaSubType: RawRepresentable, Sendable, Hashable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let linearPCM = MediaSubType(rawValue: kAudioFormatLinearPCM)
    }

    public let mediaType: MediaType
    public let mediaSubType: MediaSubType
    /// The size of video; zeros for sound.
    public let dimensions: CMVideoDimensions
    /// The format of sound; nil for video.
    public let audioStreamBasicDescription: AudioStreamBasicDescription?

    fileprivate let stored: UnsafeMutablePointer<AudioStreamBasicDescription>?

    package init(video buffer: CVImageBuffer) {
        (mediaType, mediaSubType) = (.video, MediaSubType(rawValue: CVPixelBufferGetPixelFormatType(buffer)))
        dimensions = CMVideoDimensions(
            width: Int32(CVPixelBufferGetWidth(buffer)), height: Int32(CVPixelBufferGetHeight(buffer)))
        (audioStreamBasicDescription, stored) = (nil, nil)
    }

    package init(audio description: AudioStreamBasicDescription) {
        (mediaType, mediaSubType) = (.audio, MediaSubType(rawValue: description.mFormatID))
        dimensions = CMVideoDimensions()
        audioStreamBasicDescription = description
        let memory = UnsafeMutablePointer<AudioStreamBasicDescription>.allocate(capacity: 1)
        memory.initialize(to: description)
        stored = memory
    }

    deinit { stored?.deallocate() }
}

public func CMFormatDescriptionGetMediaType(_ desc: CMFormatDescription) -> CMMediaType { desc.mediaType.rawValue }
public func CMFormatDescriptionGetMediaSubType(_ desc: CMFormatDescription) -> UInt32 { desc.mediaSubType.rawValue }
public func CMVideoFormatDescriptionGetDimensions(_ videoDesc: CMVideoFormatDescription) -> CMVideoDimensions {
    videoDesc.dimensions
}

/// Returns the format of sound, which lives as long as the description; nil for video.
public func CMAudioFormatDescriptionGetStreamBasicDescription(
    _ desc: CMAudioFormatDescription
) -> UnsafePointer<AudioStreamBasicDescription>? {
    desc.stored.map { UnsafePointer($0) }
}

/// Makes the description of an image's format.
///
/// - Returns: 0.
public func CMVideoFormatDescriptionCreateForImageBuffer(
    allocator: CFAllocator?, imageBuffer: CVImageBuffer,
    formatDescriptionOut: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus {
    formatDescriptionOut.pointee = CMFormatDescription(video: imageBuffer)
    return noErr
}
