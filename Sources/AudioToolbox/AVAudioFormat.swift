// AVAudioFormat, AVAudioPCMBuffer: a format of samples, and memory for them.

import Glibc
import Locks

public enum AVAudioCommonFormat: UInt, Sendable {
    case otherFormat, pcmFormatFloat32, pcmFormatFloat64, pcmFormatInt16, pcmFormatInt32
}

/// A format of uncompressed samples. Layouts of channels and settings of compressed formats are not there.
open class AVAudioFormat: NSObject, @unchecked Sendable {
    // Unchecked: it never changes.
    private let description_: AudioStreamBasicDescription

    /// The format of floats that are not interleaved; nil for a rate or a number of channels that no format has.
    public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
        self.init(commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels, interleaved: false)
    }

    public init?(
        commonFormat: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool
    ) {
        let (bits, flags): (UInt32, AudioFormatFlags)
        switch commonFormat {
        case .otherFormat: return nil
        case .pcmFormatFloat32: (bits, flags) = (32, kAudioFormatFlagIsFloat)
        case .pcmFormatFloat64: (bits, flags) = (64, kAudioFormatFlagIsFloat)
        case .pcmFormatInt16: (bits, flags) = (16, kAudioFormatFlagIsSignedInteger)
        case .pcmFormatInt32: (bits, flags) = (32, kAudioFormatFlagIsSignedInteger)
        }
        guard sampleRate > 0, sampleRate.isFinite, (1...1024).contains(channels) else { return nil }
        let bytes = bits / 8 * (interleaved ? channels : 1)
        description_ = AudioStreamBasicDescription(
            mSampleRate: sampleRate, mFormatID: kAudioFormatLinearPCM,
            mFormatFlags: flags | kAudioFormatFlagIsPacked | (interleaved ? 0 : kAudioFormatFlagIsNonInterleaved),
            mBytesPerPacket: bytes, mFramesPerPacket: 1, mBytesPerFrame: bytes, mChannelsPerFrame: channels,
            mBitsPerChannel: bits, mReserved: 0)
    }

    /// Reads a description of uncompressed samples; nil for any other.
    public convenience init?(streamDescription: UnsafePointer<AudioStreamBasicDescription>) {
        let value = streamDescription.pointee
        guard value.mFormatID == kAudioFormatLinearPCM else { return nil }
        let isFloat = value.mFormatFlags & kAudioFormatFlagIsFloat != 0
        let format: AVAudioCommonFormat
        switch (value.mBitsPerChannel, isFloat) {
        case (32, true): format = .pcmFormatFloat32
        case (64, true): format = .pcmFormatFloat64
        case (16, false): format = .pcmFormatInt16
        case (32, false): format = .pcmFormatInt32
        default: return nil
        }
        self.init(
            commonFormat: format, sampleRate: value.mSampleRate, channels: value.mChannelsPerFrame,
            interleaved: value.mFormatFlags & kAudioFormatFlagIsNonInterleaved == 0)
    }

    open var sampleRate: Double { description_.mSampleRate }
    open var channelCount: AVAudioChannelCount { description_.mChannelsPerFrame }
    open var isInterleaved: Bool { description_.mFormatFlags & kAudioFormatFlagIsNonInterleaved == 0 }
    open var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

    open var commonFormat: AVAudioCommonFormat {
        switch (description_.mBitsPerChannel, description_.mFormatFlags & kAudioFormatFlagIsFloat != 0) {
        case (32, true): .pcmFormatFloat32
        case (64, true): .pcmFormatFloat64
        case (16, false): .pcmFormatInt16
        default: .pcmFormatInt32
        }
    }

    open var streamDescription: UnsafePointer<AudioStreamBasicDescription> {
        stored.withLock { stored in
            if let stored { return UnsafePointer(stored.pointer) }
            let made = StoredDescription(description_)
            stored = made
            return UnsafePointer(made.pointer)
        }
    }

    private let stored = Mutex<StoredDescription?>(nil)

    // Unchecked: `init` writes the memory, and all others only read it.
    /// The memory behind `streamDescription`, which lives as long as the format.
    private final class StoredDescription: @unchecked Sendable {
        let pointer = UnsafeMutablePointer<AudioStreamBasicDescription>.allocate(capacity: 1)
        init(_ value: AudioStreamBasicDescription) { pointer.initialize(to: value) }
        deinit { pointer.deallocate() }
    }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? AVAudioFormat)?.description_ == description_
    }
    open override var hash: Int { description_.hashValue }
    open override var description: String {
        "<AVAudioFormat: \(channelCount) ch, \(sampleRate) Hz, \(commonFormat), \(isInterleaved ? "inter" : "deinter")leaved>"
    }
}

/// Memory for samples of a format: one buffer, or one a channel.
open class AVAudioPCMBuffer: NSObject, @unchecked Sendable {
    // Unchecked: as on Apple's systems, its user decides on which thread it is used.
    public let format: AVAudioFormat
    public let frameCapacity: AVAudioFrameCount
    /// The number of frames in use. It sets the sizes of the buffers.
    open var frameLength: AVAudioFrameCount {
        didSet {
            if frameLength > frameCapacity { frameLength = frameCapacity }
            setSizes()
        }
    }

    private let list: UnsafeMutableAudioBufferListPointer
    /// The same memory, with the sizes of the capacity.
    private let whole: UnsafeMutableAudioBufferListPointer
    private let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>?
    private let bytesPerFrame: Int

    /// - Returns: nil for more than 1 GiB, or without memory.
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        let layout = format.streamDescription.pointee
        bytesPerFrame = Int(layout.mBytesPerFrame)
        let count = format.isInterleaved ? 1 : Int(format.channelCount)
        let size = Int(frameCapacity) * bytesPerFrame
        guard size * count <= 1 << 30 else { return nil }
        var memory: [UnsafeMutableRawPointer] = []
        for _ in 0..<count {
            guard let data = calloc(1, max(size, 16)) else {
                for data in memory { free(data) }
                return nil
            }
            memory.append(data)
        }
        (self.format, self.frameCapacity, frameLength) = (format, frameCapacity, 0)
        list = AudioBufferList.allocate(maximumBuffers: count)
        whole = AudioBufferList.allocate(maximumBuffers: count)
        for index in 0..<count {
            list[index] = AudioBuffer(
                mNumberChannels: format.isInterleaved ? format.channelCount : 1, mDataByteSize: 0,
                mData: memory[index])
            whole[index] = list[index]
            whole[index].mDataByteSize = UInt32(size)
        }
        if format.commonFormat == .pcmFormatFloat32 {
            let pointers = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: count)
            for index in 0..<count {
                (pointers + index).initialize(to: memory[index].assumingMemoryBound(to: Float.self))
            }
            channels = pointers
        } else {
            channels = nil
        }
    }

    deinit {
        for buffer in list { free(buffer.mData) }
        free(list.unsafeMutablePointer)
        free(whole.unsafeMutablePointer)
        channels?.deallocate()
    }

    private func setSizes() {
        for index in list.indices { list[index].mDataByteSize = UInt32(Int(frameLength) * bytesPerFrame) }
    }

    open var stride: Int { format.isInterleaved ? Int(format.channelCount) : 1 }
    open var audioBufferList: UnsafePointer<AudioBufferList> { list.unsafePointer }
    /// The list. Its buffers have the capacity's sizes, so that a render may fill all of it.
    open var mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList> { whole.unsafeMutablePointer }
    open var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? { channels.map { UnsafePointer($0) } }
}
