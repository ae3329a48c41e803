// CMSampleBuffer: samples of video or sound, with their times.

public import CoreAudioTypes
public import CoreVideo
import Locks

public let kCMSampleBufferError_ArrayTooSmall: OSStatus = -12737
public let kCMSampleBufferError_InvalidMediaTypeForOperation: OSStatus = -12741
public let kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment: UInt32 = 1

public typealias CMAttachmentMode = UInt32
public typealias CMAttachmentBearer = CMSampleBuffer

public struct CMSampleTimingInfo: Sendable, Hashable {
    public var duration: CMTime
    public var presentationTimeStamp: CMTime
    public var decodeTimeStamp: CMTime

    public init() { (duration, presentationTimeStamp, decodeTimeStamp) = (.invalid, .invalid, .invalid) }
    public init(duration: CMTime, presentationTimeStamp: CMTime, decodeTimeStamp: CMTime) {
        (self.duration, self.presentationTimeStamp) = (duration, presentationTimeStamp)
        self.decodeTimeStamp = decodeTimeStamp
    }
}

// Unchecked: all but the attachments is constant, and those have a lock.
/// A frame of video, or frames of sound.
public final class CMSampleBuffer: @unchecked Sendable {
    /// The image; nil for sound.
    public let imageBuffer: CVImageBuffer?
    /// The bytes of the sound; nil for video.
    public let dataBuffer: CMBlockBuffer?
    public let formatDescription: CMFormatDescription?
    public let numSamples: Int
    /// The duration of all samples.
    public let duration: CMTime
    public let presentationTimeStamp: CMTime
    private let attached = Mutex(Attachments())

    // Unchecked: the values go where the author sends the buffer.
    private struct Attachments: @unchecked Sendable {
        var values: [String: AnyObject] = [:]
    }

    package init(
        image: CVImageBuffer, format: CMFormatDescription?, duration: CMTime, presentationTimeStamp: CMTime
    ) {
        (imageBuffer, dataBuffer, numSamples) = (image, nil, 1)
        formatDescription = format ?? CMFormatDescription(video: image)
        (self.duration, self.presentationTimeStamp) = (duration, presentationTimeStamp)
    }

    package init(
        audio bytes: [UInt8], _ description: AudioStreamBasicDescription, samples: Int, presentationTimeStamp: CMTime
    ) {
        (imageBuffer, dataBuffer, numSamples) = (nil, CMBlockBuffer(bytes), samples)
        formatDescription = CMFormatDescription(audio: description)
        duration = CMTime(value: Int64(samples), timescale: Int32(clamping: Int(description.mSampleRate)))
        self.presentationTimeStamp = presentationTimeStamp
    }

    public var decodeTimeStamp: CMTime { .invalid }
    public var outputPresentationTimeStamp: CMTime { presentationTimeStamp }
    public var outputDuration: CMTime { duration }
    public var isValid: Bool { true }
    public var dataReadiness: Bool { true }
    /// The size of all samples in bytes.
    public var totalSampleSize: Int {
        imageBuffer.map { CVPixelBufferGetDataSize($0) } ?? dataBuffer?.dataLength ?? 0
    }

    package func attach(_ value: AnyObject?, for key: String) {
        let kept = Attachments(values: value.map { [key: $0] } ?? [:])
        attached.withLock { $0.values[key] = kept.values[key] }
    }

    fileprivate func attachment(_ key: String) -> AnyObject? { attached.withLock { $0 }.values[key] }
}

public func CMSampleBufferGetImageBuffer(_ sbuf: CMSampleBuffer) -> CVImageBuffer? { sbuf.imageBuffer }
public func CMSampleBufferGetDataBuffer(_ sbuf: CMSampleBuffer) -> CMBlockBuffer? { sbuf.dataBuffer }
public func CMSampleBufferGetFormatDescription(_ sbuf: CMSampleBuffer) -> CMFormatDescription? {
    sbuf.formatDescription
}
public func CMSampleBufferGetPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.presentationTimeStamp }
public func CMSampleBufferGetOutputPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime {
    sbuf.presentationTimeStamp
}
/// Returns the invalid time: the samples are not compressed.
public func CMSampleBufferGetDecodeTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.decodeTimeStamp }
public func CMSampleBufferGetDuration(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.duration }
public func CMSampleBufferGetNumSamples(_ sbuf: CMSampleBuffer) -> CMItemCount { sbuf.numSamples }
public func CMSampleBufferGetTotalSampleSize(_ sbuf: CMSampleBuffer) -> Int { sbuf.totalSampleSize }
public func CMSampleBufferIsValid(_ sbuf: CMSampleBuffer) -> Bool { sbuf.isValid }
public func CMSampleBufferDataIsReady(_ sbuf: CMSampleBuffer) -> Bool { true }

/// Returns an attachment, such as `RPVideoSampleOrientationKey`; nil if there is none.
public func CMGetAttachment(
    _ target: CMAttachmentBearer, key: CFString, attachmentModeOut: UnsafeMutablePointer<CMAttachmentMode>?
) -> CFTypeRef? {
    attachmentModeOut?.pointee = 1
    return target.attachment(key)
}

/// Attaches a value, or removes it with nil.
public func CMSetAttachment(
    _ target: CMAttachmentBearer, key: CFString, value: CFTypeRef?, attachmentMode: CMAttachmentMode
) { target.attach(value, for: key) }

/// Makes a sample of an image.
///
/// - Returns: 0.
public func CMSampleBufferCreateReadyWithImageBuffer(
    allocator: CFAllocator?, imageBuffer: CVImageBuffer, formatDescription: CMVideoFormatDescription,
    sampleTiming: UnsafePointer<CMSampleTimingInfo>, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    sampleBufferOut.pointee = CMSampleBuffer(
        image: imageBuffer, format: formatDescription, duration: sampleTiming.pointee.duration,
        presentationTimeStamp: sampleTiming.pointee.presentationTimeStamp)
    return noErr
}

/// Fills a list of buffers with the samples of sound. The block buffer owns their memory.
///
/// - Returns: `kCMSampleBufferError_ArrayTooSmall`, or an error for video.
public func CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
    _ sbuf: CMSampleBuffer, bufferListSizeNeededOut: UnsafeMutablePointer<Int>?,
    bufferListOut: UnsafeMutablePointer<AudioBufferList>?, bufferListSize: Int,
    blockBufferAllocator: CFAllocator?, blockBufferMemoryAllocator: CFAllocator?, flags: UInt32,
    blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>?
) -> OSStatus {
    guard let data = sbuf.dataBuffer, let format = sbuf.formatDescription?.audioStreamBasicDescription else {
        return kCMSampleBufferError_InvalidMediaTypeForOperation
    }
    bufferListSizeNeededOut?.pointee = MemoryLayout<AudioBufferList>.size
    guard let bufferListOut else { return noErr }
    guard bufferListSize >= MemoryLayout<AudioBufferList>.size else { return kCMSampleBufferError_ArrayTooSmall }
    // The channels of a broadcast are interleaved: one buffer has all of them.
    bufferListOut.pointee = AudioBufferList(
        mNumberBuffers: 1,
        mBuffers: AudioBuffer(
            mNumberChannels: format.mChannelsPerFrame, mDataByteSize: UInt32(data.dataLength), mData: data.memory))
    blockBufferOut?.pointee = data
    return noErr
}
